// The live connection of a thread: the tab's socket, and the transport of the SDK over it.

export { type OpenThread, openThread } from "./open-thread.ts";
export type { LastRun } from "./run-log.ts";
export type { RunSettings } from "./thread-adapter.ts";
export type { ThreadConnection } from "./thread-socket.ts";
