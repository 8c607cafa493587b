import type { WriteOrder } from "./writer.ts";

/** Runs that wait: one claim at a time in all processes, and what those who could claim are told. */
export const QUEUE_SCOPE = "queue";

/** Deliveries that are put into the outbox. */
export const OUTBOX_SCOPE = "outbox";

/** Spans of traces, and their projects. */
export const TRACES_SCOPE = "traces";

/** Items of the store. */
export const ITEMS_SCOPE = "items";

/** Everything of one thread: its runs, its events, its checkpoints and its own row. */
export const threadScope = (threadId: string): string => `thread:${threadId}`;

/** What those are told who follow a run elsewhere, or execute it. */
export const tellOfRun = (runId: string): string => `run:${runId}`;

/** What a run of a thread writes. */
export const writesOfRun = (run: {
  thread_id: string;
  run_id: string;
}): WriteOrder & { scope: string[] } => ({
  scope: [threadScope(run.thread_id)],
  tells: [tellOfRun(run.run_id)],
});
