export { CHANNELS, type EventFilter, type EventView, matches, ownerView, type ThreadEvent } from "./event.ts";
export { PermittedEvents, type ThreadEventReader } from "./permitted-events.ts";
export { LANGUAGE, RunFold } from "./run-fold.ts";
export { type EventBatch, ThreadEvents } from "./thread-events.ts";
