export { spawnThread } from "./spawn.ts";
export { runThread, type ThreadPlace } from "./thread.ts";
