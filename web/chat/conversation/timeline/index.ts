export type { CallTimes, Fork, MessageOrigin } from "./branches.ts";
export { type Timeline, type Todo, todosOf } from "./timeline.ts";
export { type ShownConversation, type StreamedState, useShown } from "./use-shown.ts";
