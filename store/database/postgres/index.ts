export { connectAlone, lockForCopy, rowsFrom } from "./alone.ts";
export { openServer, openServerReader, UnusableServer } from "./open.ts";
export type { Changed } from "./pokes.ts";
