export { connectAlone, lockForCopy, rowsFrom } from "./alone.ts";
export { kyselyOn } from "./connection.ts";
export { openServer, openServerReader, UnusableServer } from "./open.ts";
export type { Changed } from "./pokes.ts";
