import type { Writing } from "./writer.ts";

/** Runs that wait, and who takes them: one claim at a time in all processes. */
export const QUEUE_SCOPE = "queue";

/** Everything of one thread: its runs, its events, its checkpoints and its own row. */
export const threadScope = (threadId: string): string => `thread:${threadId}`;

/** What a run of a thread writes; those who follow the run elsewhere hear of it. */
export const writesOfRun = (run: { thread_id: string; run_id: string }): Writing => ({
  scope: [threadScope(run.thread_id)],
  tells: [`run:${run.run_id}`],
});
