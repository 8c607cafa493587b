import { type Expression, sql } from "kysely";
import type { Tx } from "../database/index.ts";
import type { RestStatus, ThreadRow } from "../schema/index.ts";

/** The columns of each table but the thread's own, which is another in the copy. */
const TABLES = {
  checkpoints: ["ns", "checkpoint_id", "parent_id", "checkpoint", "metadata"],
  checkpoint_writes: ["ns", "checkpoint_id", "task_id", "idx", "channel", "type", "value", "task_path"],
  channel_values: ["ns", "channel", "version", "type", "value", "length"],
  list_chunks: ["list_id", "start", "count", "tag", "value"],
} as const;

/**
 * Copies everything that is checkpointed of a thread, the history of its subgraphs too. Runs and events stay
 * with the thread that had them.
 */
export async function copyCheckpoints(tx: Tx, from: string, to: string): Promise<void> {
  for (const [table, columns] of Object.entries(TABLES)) {
    const values = columns.map((column) =>
      column === "metadata" ? renamed(sql.ref(column), from, to) : sql.ref(column),
    );
    await sql`insert into ${sql.table(table)} (thread_id, ${sql.join(columns.map((column) => sql.ref(column)))})
      select cast(${to} as text), ${sql.join(values)} from ${sql.table(table)} where thread_id = ${from}`.execute(
      tx,
    );
  }
}

/** What a run noted of its thread in the metadata of a checkpoint. */
function renamed(column: Expression<unknown>, from: string, to: string): Expression<unknown> {
  const noted = (threadId: string) => `"thread_id":${JSON.stringify(threadId)}`;
  return sql`replace(${column}, cast(${noted(from)} as text), cast(${noted(to)} as text))`;
}

/** A thread's row for a copy of it, at rest, with the interrupts that its state holds. */
export function copiedRow(row: ThreadRow, threadId: string, now: number): ThreadRow & { status: RestStatus } {
  const open = row.status === "interrupted";
  const status = open ? "interrupted" : "idle";
  return {
    ...row,
    thread_id: threadId,
    created_at: now,
    updated_at: now,
    status,
    rest_status: status,
    interrupts: open ? row.interrupts : "{}",
    metadata: JSON.stringify({ ...JSON.parse(row.metadata), thread_id: threadId }),
    error: null,
    last_seq: 0,
  };
}
