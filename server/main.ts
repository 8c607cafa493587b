#!/usr/bin/env bun
import "./foreground-callbacks.ts";
import { compileLittle, hearEarly, startEarly } from "./early/index.ts";

const words = process.argv.slice(2);
// The same program is its own executors, too: a compiled one has no other file to start them from. Whoever starts a
// process as one talks to it.
const isExecutor = !Bun.isMainThread || (words[0] === "executor" && process.send !== undefined);
if (isExecutor) {
  compileLittle();
  // It is told at once what to load, and what does that is still being loaded itself.
  const told = Bun.isMainThread ? undefined : hearEarly();
  (await import("./executor/index.ts")).runExecutor(told);
} else {
  startEarly(import.meta.path, words);
  await (await import("./cli/index.ts")).runBerth(words);
}
