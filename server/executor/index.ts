export { runExecutor } from "./run.ts";
