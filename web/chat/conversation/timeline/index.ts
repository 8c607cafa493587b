export type { Fork, Origin, Timing } from "./branches.ts";
export { type Timeline, type Todo, todosOf } from "./timeline.ts";
export { type Shown, type ThreadState, useShown } from "./use-shown.ts";
