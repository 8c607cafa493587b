import { sql } from "kysely";
import { type Database, prepared, type Tx } from "../database/index.ts";
import type { ForgottenThreadRow, SpanRow, TraceRow } from "../schema/index.ts";
import { forgetFindings } from "./forgotten-findings.ts";
import { insertPack, takeSoundPack } from "./span-pack.ts";
import type { SpanWrite } from "./trace.ts";
import { removeWords } from "./trace-words.ts";

/** A thread that was deleted, and when. */
export type ForgottenThread = Pick<ForgottenThreadRow, "thread_id" | "at">;

/** Whose traces are meant: those of a whole workspace, or of one tracing project. */
export type ForgottenIn = { workspaceId: string; sessionId?: string };

/** Threads, and traces of one of them, that one transaction looks at. */
const AT_ONCE = 20;
const ALL_SESSIONS = "";

const selectForgotten = prepared<{ thread_id: string }, ForgottenThreadRow>((db, { thread_id }) =>
  db.selectFrom("forgotten_threads").selectAll().where("thread_id", "=", thread_id),
);

/** Notes, in the transaction that deletes a thread, that what its traces say is to go. */
export async function noteForgotten(
  tx: Tx,
  { thread_id, at }: ForgottenThread,
  { workspaceId, sessionId = ALL_SESSIONS }: ForgottenIn,
): Promise<void> {
  const again = { at, pending: 1, unshipped: 1 };
  await tx
    .insertInto("forgotten_threads")
    .values({ thread_id, workspace_id: workspaceId, session_id: sessionId, ...again })
    .onConflict((there) => there.columns(["thread_id", "workspace_id", "session_id"]).doUpdateSet(again))
    .execute();
}

/** Whether a trace is of before its thread was deleted. A thread that is made again under the id is another one. */
export async function isForgotten(
  tx: Tx,
  { thread_id, workspace_id, session_id, start_time }: Omit<TracePlace, "id">,
): Promise<boolean> {
  if (thread_id === null) return false;
  const rows = await selectForgotten(tx, { thread_id });
  return rows.some(
    (row) =>
      row.workspace_id === workspace_id &&
      (row.session_id === ALL_SESSIONS || row.session_id === session_id) &&
      start_time <= row.at,
  );
}

type TracePlace = Pick<TraceRow, "id" | "thread_id" | "workspace_id" | "session_id" | "start_time">;

/** Takes what was said out of the traces of threads that were deleted. */
export async function stripForgotten(db: Database, now: number): Promise<void> {
  for (;;) {
    const due = await db.read
      .selectFrom("forgotten_threads")
      .selectAll()
      .where("pending", "=", sql.lit(1))
      .orderBy("at")
      .limit(AT_ONCE)
      .execute();
    for (const thread of due) await stripThread(db, thread, now);
    if (due.length < AT_ONCE) return;
  }
}

async function stripThread(db: Database, thread: ForgottenThreadRow, now: number): Promise<void> {
  for (let last = ""; ; ) {
    const traces = await tracesOf(db, thread, last);
    await db.write(async (tx) => {
      for (const { id } of traces) await stripTrace(tx, id, now);
      const ids = traces.map(({ id }) => id);
      await forgetFindings(tx, ids, now);
      if (traces.length === AT_ONCE) return;
      await tx
        .updateTable("forgotten_threads")
        .set({ pending: 0 })
        .where("thread_id", "=", thread.thread_id)
        .where("workspace_id", "=", thread.workspace_id)
        .where("session_id", "=", thread.session_id)
        .where("at", "=", thread.at)
        .execute();
    });
    last = traces.at(-1)?.id ?? "";
    if (traces.length < AT_ONCE) return;
  }
}

const tracesOf = (
  db: Database,
  { thread_id, workspace_id, session_id, at }: ForgottenThreadRow,
  last: string,
) =>
  db.read
    .selectFrom("traces")
    .select("id")
    .where("thread_id", "=", thread_id)
    .where("workspace_id", "=", workspace_id)
    .$if(session_id !== ALL_SESSIONS, (query) => query.where("session_id", "=", session_id))
    .where("start_time", "<=", at)
    .where("id", ">", last)
    .orderBy("id")
    .limit(AT_ONCE)
    .execute();

/** Those that the Berth that deployed this process has not heard of, the oldest first. */
export const unshippedForgotten = (db: Database, limit: number): Promise<ForgottenThread[]> =>
  db.read
    .selectFrom("forgotten_threads")
    .select(["thread_id", "at"])
    .where("unshipped", "=", sql.lit(1))
    .orderBy("at")
    .limit(limit)
    .execute();

export async function noteForgottenShipped(tx: Tx, threads: readonly ForgottenThread[]): Promise<void> {
  for (const { thread_id, at } of threads)
    await tx
      .updateTable("forgotten_threads")
      .set({ unshipped: 0 })
      .where("thread_id", "=", thread_id)
      .where("at", "=", at)
      .execute();
}

/** No trace of before is left. */
export async function sweepForgotten(db: Database, before: number): Promise<void> {
  const old = await db.read
    .selectFrom("forgotten_threads")
    .select("thread_id")
    .where("at", "<", before)
    .limit(1)
    .executeTakeFirst();
  if (old) await db.write((tx) => tx.deleteFrom("forgotten_threads").where("at", "<", before).execute());
}

/** What a trace says of itself whose content is gone. */
export const CONTENT_DELETED = { content_deleted: true };

/**
 * Takes out of a trace whatever people, graphs and models said: inputs, outputs, metadata, tags, the words of errors
 * and of feedback. What ran, when, how long, with how many tokens and which kind of error stays.
 */
async function stripTrace(tx: Tx, id: string, now: number): Promise<void> {
  const trace = await tx.selectFrom("traces").selectAll().where("id", "=", id).executeTakeFirst();
  if (!trace) return;
  await removeWords(tx, [id]);
  const packed = await takeSoundPack(tx, trace);
  if (packed.length > 0) await insertPack(tx, trace, packed.map(strippedPacked));
  await tx
    .updateTable("spans")
    .set({ ...NOTHING, error_message: EMPTY_ERROR, revision: sql`revision + 1` })
    .where("trace_id", "=", id)
    .execute();
  await tx
    .updateTable("trace_feedback")
    .set({ value: null, comment: null, revision: sql`revision + 1` })
    .where("trace_id", "=", id)
    .execute();
  const session = await tx
    .selectFrom("sessions")
    .select("ships")
    .where("id", "=", trace.session_id)
    .executeTakeFirst();
  await tx
    .updateTable("traces")
    .set({
      ...{
        metadata: JSON.stringify(CONTENT_DELETED),
        tags: "[]",
        error_message: EMPTY_ERROR,
        error_text: "",
      },
      // What is left would look like another failure. It is sent on all the same.
      unscanned: session?.ships === 1 ? trace.unscanned : 0,
      ...{ body_bytes: 0, unindexed: 0, revision: trace.revision + 1, updated_at: now },
    })
    .where("id", "=", id)
    .execute();
}

const NOTHING = { inputs: null, outputs: null, metadata: "{}", tags: "[]" };
const EMPTY_ERROR = sql<string | null>`case when error_message is null then null else '' end`;

/** A pack names the spans' orders by itself. */
const strippedPacked = (span: SpanRow): SpanRow => ({
  ...{ ...span, ...NOTHING, dotted_order: "" },
  error_message: span.error_message === null ? null : "",
});

/** News of a span without their content. */
export function strippedWrite(news: SpanWrite): SpanWrite {
  const { inputs: _, outputs: __, metadata: ___, tags: ____, error, ...rest } = news;
  const isRoot = news.id === news.trace_id;
  return {
    ...rest,
    ...(error !== undefined && { error: error && { type: error.type, message: "" } }),
    ...(isRoot && { metadata: CONTENT_DELETED }),
  };
}
