export { runBerth } from "./run.ts";
