import { sql } from "kysely";
import { latestValues } from "../checkpoints/index.ts";
import { systemClock } from "../clock.ts";
import { type Database, unpackText } from "../database/index.ts";
import { decodeBody, withTexts } from "../events/index.ts";
import { findThread } from "../threads/index.ts";
import { Traces } from "../traces/index.ts";
import { listWorkspaces } from "../workspaces/index.ts";
import { OWNER_NAMES, tracesOfUser } from "./user-traces.ts";

/** One thing that is kept, with its kind. */
export type Exported = { kind: string } & Record<string, unknown>;

/** By table: in which order its rows of a thread are read, and what is JSON in them. */
const OF_THREAD = {
  runs: { kind: "run", by: ["run_id"], json: ["metadata", "kwargs", "error"] },
  checkpoints: { kind: "checkpoint", by: ["ns", "checkpoint_id"], json: ["checkpoint", "metadata"] },
  channel_values: { kind: "channel_value", by: ["ns", "channel", "version"], json: [] },
  list_chunks: { kind: "list_chunk", by: ["list_id", "start"], json: ["value"] },
  checkpoint_writes: { kind: "checkpoint_write", by: ["ns", "checkpoint_id", "task_id", "idx"], json: [] },
  feedback: { kind: "feedback", by: ["feedback_id"], json: ["value"] },
  crons: { kind: "cron", by: ["cron_id"], json: ["payload", "metadata"] },
} as const;

const ROWS_AT_ONCE = 200;

/** Everything that is kept of a thread: nothing where there is none of this id and no trace of one. */
export async function* exportThread(db: Database, threadId: string): AsyncGenerator<Exported> {
  const thread = await findThread(db, threadId);
  if (thread) yield { kind: "thread", ...thread };
  const state = (await latestValues(db, [threadId])).get(threadId);
  if (state) yield { kind: "state", thread_id: threadId, ...state };
  for (const table of Object.keys(OF_THREAD) as (keyof typeof OF_THREAD)[])
    yield* rowsOfThread(db, table, threadId);
  yield* eventsOf(db, threadId);
  yield* tracesOf(db, threadId);
  yield* derivedFrom(db, threadId);
}

/** What was derived from the traces of a thread, and is kept longer than they are. Reads whole tables. */
async function* derivedFrom({ read }: Database, threadId: string): AsyncGenerator<Exported> {
  for (const { table, kind } of DERIVED) {
    const rows = await read.selectFrom(table).selectAll().where("thread_id", "=", threadId).execute();
    for (const row of rows) yield { kind, ...row };
  }
  const deliveries = await read
    .selectFrom("deliveries")
    .select(["id", "type", "state", "created_at", "body"])
    .where("body", "like", `%${threadId.replaceAll(/[%_\\]/g, "_")}%`)
    .execute();
  for (const delivery of deliveries) yield { kind: "delivery", ...parsed(delivery, ["body"]) };
}

const DERIVED = [
  { table: "findings", kind: "finding" },
  { table: "issue_traces", kind: "issue_trace" },
] as const;

/** Everything that is kept of threads, runs and crons that are a user's, and in namespaces that name the user. */
export async function* exportUser(db: Database, user: string): AsyncGenerator<Exported> {
  const seen = new Set(await threadsOfUser(db, user));
  for (const threadId of seen) yield* exportThread(db, threadId);
  yield* ownedTraces(db, user, seen);
  const crons = await db.read.selectFrom("crons").selectAll().where("user_id", "=", user).execute();
  for (const cron of crons) {
    if (cron.thread_id === null || !seen.has(cron.thread_id))
      yield { kind: "cron", ...parsed(cron, OF_THREAD.crons.json) };
  }
  yield* itemsOf(db, user);
}

/** Traces of a user's runs on threads that are not the user's, or that no longer exist. */
async function* ownedTraces(db: Database, user: string, seen: ReadonlySet<string>): AsyncGenerator<Exported> {
  const { threadIds, traces } = await tracesOfUser(db, user);
  for (const threadId of threadIds) if (!seen.has(threadId)) yield* exportThread(db, threadId);
  const whole = new Traces(db, systemClock);
  for (const { id, workspace_id, thread_id } of traces) {
    if (thread_id !== null && seen.has(thread_id)) continue;
    yield { kind: "trace", ...(await whole.get(workspace_id, id)) };
    for (const { table, kind } of DERIVED) {
      const rows = await db.read.selectFrom(table).selectAll().where("trace_id", "=", id).execute();
      for (const row of rows) yield { kind, ...row };
    }
  }
}

/** Threads whose metadata name a user as their owner. */
export async function threadsOfUser(db: Database, user: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of OWNER_NAMES) found.push(...(await threadsLabelled(db, name, user)));
  return [...new Set(found)];
}

async function threadsLabelled({ read }: Database, name: string, user: string): Promise<string[]> {
  const rows = await read
    .selectFrom("thread_labels")
    .select("thread_id")
    .where("name", "=", name)
    .where("value", "=", JSON.stringify(user))
    .orderBy("thread_id")
    .execute();
  return rows.map(({ thread_id }) => thread_id);
}

async function* rowsOfThread(
  { read }: Database,
  table: keyof typeof OF_THREAD,
  threadId: string,
): AsyncGenerator<Exported> {
  const { kind, by, json } = OF_THREAD[table];
  const order = sql.join(by.map((column) => sql.ref(column)));
  for (let offset = 0; ; offset += ROWS_AT_ONCE) {
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where thread_id = ${threadId}
      order by ${order} limit ${ROWS_AT_ONCE} offset ${offset}
    `.execute(read);
    for (const row of rows) yield { kind, ...parsed(unpackedRow(row), json) };
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

async function* eventsOf({ read }: Database, threadId: string): AsyncGenerator<Exported> {
  for (let last = -1; ; ) {
    const segments = await read
      .selectFrom("events")
      .selectAll()
      .where("thread_id", "=", threadId)
      .where("first_seq", ">", last)
      .orderBy("first_seq")
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const segment of segments) {
      const { run_id, first_seq, at } = segment;
      last = first_seq;
      // One row at a time: each may refer to long texts.
      const [whole] = await withTexts(read, [segment]);
      if (!whole) continue;
      for (const { seq, name, json } of decodeBody(whole.body, first_seq, first_seq - 1))
        yield { kind: "event", thread_id: threadId, run_id, seq, at, name, data: JSON.parse(json) };
    }
    if (segments.length < ROWS_AT_ONCE) return;
  }
}

async function* tracesOf(db: Database, threadId: string): AsyncGenerator<Exported> {
  const traces = new Traces(db, systemClock);
  for (const { id } of await listWorkspaces(db)) {
    let cursor: string | undefined;
    do {
      const page = await traces.search(id, { threadId, limit: 100, offset: 0, cursor });
      for (const { id: traceId } of page.rows) yield { kind: "trace", ...(await traces.get(id, traceId)) };
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }
}

/** Namespaces of items with a user as a label. Reads all namespaces: what has no index, and is asked for by hand. */
export async function itemsNaming({ read }: Database, user: string): Promise<string[]> {
  const namespaces = await read.selectFrom("items").select("namespace").distinct().execute();
  return namespaces.map(({ namespace }) => namespace).filter((name) => name.split(".").includes(user));
}

async function* itemsOf(db: Database, user: string): AsyncGenerator<Exported> {
  for (const namespace of await itemsNaming(db, user)) {
    const items = await db.read.selectFrom("items").selectAll().where("namespace", "=", namespace).execute();
    for (const item of items) yield { kind: "item", ...parsed(item, ["value"]) };
  }
}

/** A row with the text of its value. */
const unpackedRow = (row: Record<string, unknown>): Record<string, unknown> =>
  row.value instanceof Uint8Array ? { ...row, value: unpackText(row.value) } : row;

function parsed(row: Record<string, unknown>, json: readonly string[]): Record<string, unknown> {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    json.includes(name) && typeof value === "string" ? jsonOr(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
