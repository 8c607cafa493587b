#!/usr/bin/env bun
import "./foreground-callbacks.ts";

// The same program is its own executors, too: a compiled one has no other file to start them from.
if (!Bun.isMainThread || process.env.BERTH_EXECUTOR === "1")
  (await import("./executors/index.ts")).runExecutor();
else await (await import("./cli/index.ts")).runBerth(process.argv.slice(2));
