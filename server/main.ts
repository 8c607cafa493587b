#!/usr/bin/env bun
import "./foreground-callbacks.ts";
import { startEarly } from "./early/index.ts";

const words = process.argv.slice(2);
// The same program is its own executors, too: a compiled one has no other file to start them from. Whoever starts a
// process as one talks to it.
const isExecutor = !Bun.isMainThread || (words[0] === "executor" && process.send !== undefined);
if (isExecutor) (await import("./executor/index.ts")).runExecutor();
else {
  startEarly(import.meta.path, words);
  await (await import("./cli/index.ts")).runBerth(words);
}
