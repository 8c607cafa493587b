export { type ExecutorHome, runExecutor } from "./run.ts";
export { spawnExecutor } from "./spawn.ts";
