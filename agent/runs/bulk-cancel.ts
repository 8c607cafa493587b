import {
  type CancelAction,
  type Clock,
  type Database,
  findRun,
  type MetadataFilter,
  NotFound,
  type RunsToCancel,
  uncancelledRuns,
} from "@berth/store";
import type { RunQueue } from "./queue.ts";

export type BulkCancelDeps = { db: Database; clock: Clock; queue: Pick<RunQueue, "cancel"> };

/** Which runs: some of a thread, or all that are in a state. */
export type RunSelection =
  | { threadId: string; runIds: string[] }
  | { status: "pending" | "running" | "all"; permitted?: MetadataFilter | undefined };

/** As many share a transaction. */
const AT_ONCE = 100;

/**
 * Cancels many runs; those that are over already stay as they are.
 * @throws NotFound none of the named runs is one of the thread
 */
export async function cancelRuns(
  deps: BulkCancelDeps,
  selection: RunSelection,
  action: CancelAction,
): Promise<void> {
  if ("status" in selection) {
    const { status, permitted } = selection;
    const createdBy = deps.clock.now();
    for (const one of status === "all" ? (["pending", "running"] as const) : [status]) {
      await cancelAll(deps, { status: one, permitted, createdBy, limit: AT_ONCE }, action);
    }
    return;
  }
  const { threadId, runIds } = selection;
  const runs = await Promise.all([...new Set(runIds)].map((id) => findRun(deps.db, id)));
  const theirs = runs.flatMap((run) => (run?.thread_id === threadId ? [run.run_id] : []));
  if (theirs.length === 0) throw new NotFound("Run not found");
  await cancelEach(deps, theirs, action);
}

/** Page by page: a run that was cancelled is in no later one, and one that comes meanwhile was not meant. */
async function cancelAll(deps: BulkCancelDeps, which: RunsToCancel, action: CancelAction): Promise<void> {
  for (;;) {
    const runs = await uncancelledRuns(deps.db, which);
    if (runs.length === 0) return;
    await cancelEach(
      deps,
      runs.map(({ run_id }) => run_id),
      action,
    );
  }
}

async function cancelEach({ queue }: BulkCancelDeps, runIds: string[], action: CancelAction): Promise<void> {
  for (let done = 0; done < runIds.length; done += AT_ONCE) {
    await Promise.all(runIds.slice(done, done + AT_ONCE).map((id) => queue.cancel(id, action)));
  }
}
