/**
 * The one place that writes a thread's status.
 *
 *   idle | interrupted | error --admit--> busy --last run ends--> idle | interrupted | error
 *
 * A thread is busy exactly while a run of it is pending or running.
 */
import { type QueryCreator, sql } from "kysely";
import { newestStateAt } from "../checkpoints/index.ts";
import { prepared, type Tx } from "../database/index.ts";
import type { Instant, Json, RestStatus, Schema, ThreadRow, ThreadStatus } from "../schema/index.ts";
import { relabel } from "./labels.ts";
import { type ThreadTtl, ttlColumns } from "./ttl.ts";

type Values = Record<string, unknown>;

/** How a thread stands once no run is under way on it. */
export type Rest = {
  status: RestStatus;
  interrupts: Json;
  error: Json | null;
  /** When its state last changed; undefined keeps what stands. */
  stateUpdatedAt?: Instant | undefined;
};

const insert = prepared<ThreadRow>((db, row) =>
  db.insertInto("threads").values({
    thread_id: row.thread_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    state_updated_at: row.state_updated_at,
    status: row.status,
    rest_status: row.rest_status,
    metadata: row.metadata,
    config: row.config,
    interrupts: row.interrupts,
    error: row.error,
    last_seq: row.last_seq,
    title: row.title,
    ttl_strategy: row.ttl_strategy,
    ttl_minutes: row.ttl_minutes,
    ttl_expires_at: row.ttl_expires_at,
  }),
);

/** What a thread becomes when a run is admitted to it. */
export type Busy = { thread_id: string; metadata: Json; config: Json; title: string | null; now: Instant };

/** For a statement that does more, too. */
export const becomesBusy = (db: QueryCreator<Schema>, { thread_id, metadata, config, title, now }: Busy) =>
  db
    .updateTable("threads")
    .set({ status: "busy", metadata, config, title, updated_at: now })
    .where("thread_id", "=", thread_id);

const setBusy = prepared<Busy>(becomesBusy);

/** What a thread becomes when its run ends, unless another one is under way. */
export type Resting = {
  thread_id: string;
  status: RestStatus;
  interrupts: Json;
  error: Json | null;
  state_updated_at: Instant | null;
  now: Instant;
};

/**
 * For a statement that does more, too.
 * @param except a run that ends in the same statement: it keeps the thread busy no longer
 */
export function comesToRest(db: QueryCreator<Schema>, rest: Resting, except?: string) {
  const ended = except === undefined ? sql`` : sql` and runs.run_id <> ${except}`;
  return db
    .updateTable("threads")
    .set({
      status: sql<ThreadStatus>`case when exists (select 1 from runs where runs.thread_id = ${rest.thread_id}
        and runs.status in ('pending', 'running')${ended}) then 'busy' else ${sql.val(rest.status)} end`,
      rest_status: rest.status,
      interrupts: rest.interrupts,
      error: rest.error,
      state_updated_at: sql<Instant | null>`coalesce(${sql.val(rest.state_updated_at)}, state_updated_at)`,
      updated_at: rest.now,
    })
    .where("thread_id", "=", rest.thread_id);
}

const setRest = prepared<Resting>((db, rest) => comesToRest(db, rest));

/** The columns of a thread that rests as told. */
export const restingAs = (thread_id: string, rest: Rest, now: Instant): Resting => ({
  thread_id,
  status: rest.status,
  interrupts: rest.interrupts,
  error: rest.error,
  state_updated_at: rest.stateUpdatedAt ?? null,
  now,
});

type Fresh = { thread_id: string; metadata: Values; ttl?: ThreadTtl | null | undefined; now: Instant };

/** Writes a new idle thread. The caller has made sure that the id is free. */
export async function insertThread(tx: Tx, { thread_id, metadata, ttl, now }: Fresh): Promise<ThreadRow> {
  const row: ThreadRow = {
    thread_id,
    created_at: now,
    updated_at: now,
    state_updated_at: null,
    status: "idle",
    rest_status: "idle",
    metadata: JSON.stringify(metadata),
    config: "{}",
    interrupts: "{}",
    error: null,
    last_seq: 0,
    title: null,
    ...ttlColumns(ttl, now),
  };
  await insert(tx, row);
  await relabel(tx, thread_id, {}, metadata);
  return row;
}

/** Writes a copy of a thread, as its row says; a thread that is busy is none. */
export async function insertCopy(tx: Tx, row: ThreadRow & { status: RestStatus }): Promise<void> {
  await insert(tx, row);
  await relabel(tx, row.thread_id, {}, JSON.parse(row.metadata));
}

/** What a run leaves on its thread: which graph and assistant spoke last, and how a dynamic graph is built. */
export type Stamp = {
  graph_id: string;
  assistant_id: string;
  configurable: Values;
  /** What to call a thread that has no title yet. */
  title?: string | undefined;
};

/**
 * A run was admitted: the thread is busy. The first run's `configurable` stays with the thread, so that a graph
 * made by a factory can be made again when only its state is read.
 * @param write what writes the row, perhaps with more
 */
export async function markBusy(
  tx: Tx,
  thread: ThreadRow,
  stamp: Stamp,
  now: Instant,
  write: (tx: Tx, busy: Busy) => Promise<unknown> = setBusy,
): Promise<void> {
  const { graph_id, assistant_id, configurable } = stamp;
  const was = JSON.parse(thread.metadata) as Values;
  const is = { ...was, graph_id, assistant_id };
  await relabel(tx, thread.thread_id, was, is);
  const metadata = JSON.stringify(is);
  const config = thread.config === "{}" ? JSON.stringify({ configurable }) : thread.config;
  const title = thread.title ?? stamp.title ?? null;
  await write(tx, { thread_id: thread.thread_id, metadata, config, title, now });
}

/** A run ended: the thread rests as told, or stays busy when another run waits on it. */
export async function settle(tx: Tx, threadId: string, rest: Rest, now: Instant): Promise<void> {
  await setRest(tx, restingAs(threadId, rest, now));
}

/** A run went away before it ended: its thread stands as it did without it, at the newest state that it has. */
export async function settleIfIdle(tx: Tx, threadId: string, now: Instant): Promise<void> {
  const thread = await tx
    .selectFrom("threads")
    .select(["rest_status", "interrupts", "error", "state_updated_at"])
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
  if (!thread) return;
  const { rest_status: status, interrupts, error } = thread;
  const at = await newestStateAt(tx, threadId);
  const stateUpdatedAt = at === undefined ? undefined : Math.max(at, thread.state_updated_at ?? 0);
  await settle(tx, threadId, { status, interrupts, error, stateUpdatedAt }, now);
}
