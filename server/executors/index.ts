export { type ExecutorHome, IS_EXECUTOR, runExecutor } from "./run.ts";
export { spawnExecutor } from "./spawn.ts";
