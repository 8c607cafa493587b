import type { Thread } from "@berth/server";

export const THREAD_FIELDS = [
  "thread_id",
  "status",
  "created_at",
  "updated_at",
  "metadata",
  "interrupts",
  "error",
] as const satisfies readonly (keyof Thread)[];

/** A thread as this screen asks for it: without its state, but with the first and the last words of it. */
export type ThreadRow = Pick<Thread, (typeof THREAD_FIELDS)[number] | "extracted">;

/** What is read of a thread's state for its line. */
export const THREAD_WORDS = { first: "values.messages[0].content", last: "values.messages[-1].content" };
