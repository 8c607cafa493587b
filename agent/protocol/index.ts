export { CHANNELS, type EventFilter, matches, type ThreadEvent } from "./event.ts";
export { type EventView, ownerView } from "./owner-view.ts";
export { RunFold } from "./run-fold.ts";
export { type EventBatch, ThreadEvents } from "./thread-events.ts";
