export { channelOf, type EventFilter, matches, type ThreadEvent } from "./event.ts";
export { type EventBatch, type FollowOptions, ThreadEvents } from "./thread-events.ts";
