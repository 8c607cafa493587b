import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database, Tx } from "../database/index.ts";
import type { TraceRow } from "../schema/index.ts";
import { listWorkspaces } from "../workspaces/index.ts";
import { sweepForgotten } from "./forgotten-threads.ts";
import { removePacks } from "./span-pack.ts";
import { removeWords } from "./trace-words.ts";

/** Traces that one transaction removes, with all of their spans. */
const AT_ONCE = 100;
/** Transactions of one sweep; the next one goes on. */
const MOST_TURNS = 100;

/**
 * Removes traces that began before a moment, and those of deleted sessions.
 * @returns how many traces it removed
 */
export async function sweepTraces(db: Database, before: number): Promise<number> {
  let removed = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const traces = [...(await oldTraces(db, before)), ...(await tracesOfDeleted(db))];
    if (traces.length === 0) break;
    await db.write((tx) => removeTraces(tx, traces));
    removed += traces.length;
  }
  await sweepForgotten(db, before);
  return removed;
}

/** Maximum number of index entries that are counted before the event loop has a turn. */
const COUNTED_AT_ONCE = 10_000;

/**
 * Removes the oldest traces of each workspace that has more than so many.
 * @returns how many traces it removed
 */
export async function sweepExcess(db: Database, max: number): Promise<number> {
  let removed = 0;
  for (const { id } of await listWorkspaces(db)) {
    const last = await lastKept(db, id, max);
    for (let turn = 0; last && turn < MOST_TURNS; turn++) {
      const traces = await tracesBefore(db, id, last);
      if (traces.length === 0) break;
      await db.write((tx) => removeTraces(tx, traces));
      removed += traces.length;
    }
  }
  return removed;
}

/** The oldest of the newest traces of a workspace; undefined where it has fewer. */
async function lastKept(db: Database, workspaceId: string, max: number): Promise<Old | undefined> {
  let last: Old | undefined;
  for (let counted = 0; counted < max; ) {
    const step = Math.min(COUNTED_AT_ONCE, max - counted);
    const next: Old | undefined = await newestFirst(db, workspaceId, last)
      .limit(1)
      .offset(step - 1)
      .executeTakeFirst();
    if (!next) return undefined;
    last = next;
    counted += step;
    await nextTurn();
  }
  return last;
}

/** Some traces of a workspace that began before one. */
function tracesBefore(db: Database, workspaceId: string, before: Old): Promise<Old[]> {
  return newestFirst(db, workspaceId, before).limit(AT_ONCE).execute();
}

const newestFirst = (db: Database, workspaceId: string, before: Old | undefined) =>
  db.read
    .selectFrom("traces")
    .select(["id", "start_time"])
    .where("workspace_id", "=", workspaceId)
    .$if(before !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("start_time", "id"), "<", tuple(before?.start_time ?? 0, before?.id ?? "")),
      ),
    )
    .orderBy("start_time", "desc")
    .orderBy("id", "desc");

type Old = Pick<TraceRow, "id" | "start_time">;

/** Some of the old traces of the first session that has any. */
async function oldTraces(db: Database, before: number): Promise<Old[]> {
  const sessions = await db.read.selectFrom("sessions").select("id").orderBy("id").execute();
  for (const { id } of sessions) {
    const rows = await db.read
      .selectFrom("traces")
      .select(["id", "start_time"])
      .where("session_id", "=", id)
      .where("start_time", "<", before)
      .orderBy("start_time")
      .orderBy("id")
      .limit(AT_ONCE)
      .execute();
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Some traces of the session that was deleted first; where there are none left, the session goes too. */
async function tracesOfDeleted(db: Database): Promise<Old[]> {
  const session = await db.read
    .selectFrom("sessions")
    .select("id")
    .where("deleted_at", "is not", null)
    .orderBy("deleted_at")
    .limit(1)
    .executeTakeFirst();
  if (!session) return [];
  const rows = await db.read
    .selectFrom("traces")
    .select(["id", "start_time"])
    .where("session_id", "=", session.id)
    .orderBy("start_time")
    .orderBy("id")
    .limit(AT_ONCE)
    .execute();
  if (rows.length === 0)
    await db.write((tx) => tx.deleteFrom("sessions").where("id", "=", session.id).execute());
  return rows;
}

/** Removes traces by their ids. @returns how many there were */
export async function forgetTraces(tx: Tx, ids: readonly string[]): Promise<number> {
  const traces = await tx.selectFrom("traces").select(["id", "start_time"]).where("id", "in", ids).execute();
  if (traces.length > 0) await removeTraces(tx, traces);
  return traces.length;
}

/** Removes traces with all of their spans and feedback. */
export async function removeTraces(tx: Tx, traces: Old[]): Promise<void> {
  const ids = traces.map(({ id }) => id);
  await removePacks(tx, traces);
  await removeWords(tx, ids);
  await tx.deleteFrom("spans").where("trace_id", "in", ids).execute();
  await tx.deleteFrom("trace_feedback").where("trace_id", "in", ids).execute();
  await tx.deleteFrom("traces").where("id", "in", ids).execute();
}
