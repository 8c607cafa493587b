export { CodeSource, type OpenCode } from "./code-source.ts";
export type { ExecutorHome, OwnAddress } from "./home.ts";
export type { SaidByExecutor, ToldToExecutor } from "./messages.ts";
