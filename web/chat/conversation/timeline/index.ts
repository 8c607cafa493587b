export { type CallTimes, type Fork, type MessageOrigin, originsOf } from "./branches.ts";
export { type AskedQuestion, AT_START } from "./questions.ts";
export { type Timeline, type Todo, todosOf } from "./timeline.ts";
export { useQuestions } from "./use-questions.ts";
export { type ShownConversation, type StreamedState, useShown } from "./use-shown.ts";
