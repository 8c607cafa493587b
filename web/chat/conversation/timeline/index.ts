export type { Fork, Origin } from "./branches.ts";
export { type Timeline, type Todo, todosOf } from "./timeline.ts";
export type { Timing } from "./timings.ts";
export { type Shown, type ThreadState, useShown } from "./use-shown.ts";
