export { connectAlone, lockForCopy, rowsFrom } from "./alone.ts";
export { openServer, UnusableServer } from "./open.ts";
export type { Changed } from "./pokes.ts";
