#!/usr/bin/env bun
import "./foreground-callbacks.ts";

// The same program is the threads of its own that run graphs: a compiled one has no other file to start them from.
if (Bun.isMainThread) await (await import("./cli/index.ts")).runBerth(process.argv.slice(2));
else (await import("./executors/index.ts")).runThread();
