// The live connection of a thread: where its events come from, and the transport of the SDK over that.

export type { RunSettings } from "./feed-adapter.ts";
export { type OpenThread, type OpenThreadOptions, openRuns, openThread } from "./open-thread.ts";
export type { LastRun } from "./run-log.ts";
export type { ThreadConnection, ThreadFeed } from "./thread-feed.ts";
