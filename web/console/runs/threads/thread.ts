export type ThreadStatus = "idle" | "busy" | "interrupted" | "error";

/** A thread as this screen asks for it: without its state, but with the first and the last words of it. */
export type ThreadRow = {
  thread_id: string;
  status: ThreadStatus;
  created_at: string;
  updated_at: string;
  metadata: Record<string, unknown>;
  interrupts: Record<string, unknown[]>;
  error: { error?: string; message?: string } | null;
  extracted?: { first?: unknown; last?: unknown };
};

export const THREAD_FIELDS = [
  ...["thread_id", "status", "created_at", "updated_at", "metadata", "interrupts", "error"],
];

/** What is read of a thread's state for its line. */
export const THREAD_WORDS = { first: "values.messages[0].content", last: "values.messages[-1].content" };
