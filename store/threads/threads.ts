import { type Expression, sql } from "kysely";
import { checkMerged } from "../bounds.ts";
import { deleteCheckpointsOfThread, newestStateAt } from "../checkpoints/index.ts";
import type { Clock } from "../clock.ts";
import { deleteCronsOfThread } from "../crons/index.ts";
import { type Database, prepared, type Tx } from "../database/index.ts";
import { Conflict, NotFound } from "../errors.ts";
import { deleteEventsOfThread } from "../events/index.ts";
import { type JsonObject, type Page, parseObject } from "../json-filter.ts";
import type { Instant, RestStatus, ThreadRow, ThreadStatus } from "../schema/index.ts";
import { deleteFeedbackOfThread } from "./feedback.ts";
import { relabel } from "./labels.ts";
import { findListedThread, type ListedThread, listThreads, setTitle, type ThreadListing } from "./listing.ts";
import { countThreads, searchThreads, type ThreadFilter, type ThreadSearch } from "./search.ts";
import { insertCopy, insertThread } from "./status.ts";
import { type ThreadStorage, threadStorage } from "./storage.ts";
import { type CompleteValues, indexThreads, removeThreadWords } from "./thread-words.ts";
import { type RunningTtl, readTtl, setTtl, type ThreadTtl, ttlColumns } from "./ttl.ts";

/** A thread as the server remembers it. Its values live in its checkpoints. */
export type Thread = {
  thread_id: string;
  created_at: Instant;
  /** Of the last change of anything about the thread. */
  updated_at: Instant;
  /** Of the last change of its checkpointed values; null while it has none. */
  state_updated_at: Instant | null;
  status: ThreadStatus;
  metadata: JsonObject;
  config: JsonObject;
  /** Open interrupts by task id. */
  interrupts: Record<string, unknown>;
  /** What the last run failed with; null when it did not. */
  error: unknown;
  /** Null for a thread that stays. */
  ttl: RunningTtl | null;
};

export type NewThread = { thread_id?: string; metadata?: JsonObject; ttl?: ThreadTtl | null };

const selectRow = prepared<{ thread_id: string }, ThreadRow>((db, { thread_id }) =>
  db.selectFrom("threads").selectAll().where("thread_id", "=", thread_id),
);

const updateMetadata = prepared<{ thread_id: string; metadata: string; now: Instant }>((db, params) =>
  db
    .updateTable("threads")
    .set({ metadata: params.metadata, updated_at: params.now })
    .where("thread_id", "=", params.thread_id),
);

/** The threads of the Agent Server. */
export class Threads {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an idle thread.
   * @param ifExists `do_nothing` answers with the thread that already has the id
   * @throws Conflict when it exists and `ifExists` is `raise`
   */
  async create(thread: NewThread, ifExists: "raise" | "do_nothing" = "raise"): Promise<Thread> {
    const now = this.clock.now();
    // A fixed id before the write: its work may run twice.
    const fresh = { ...thread, thread_id: thread.thread_id ?? Bun.randomUUIDv7() };
    const { created, thread: result } = await this.db.write((tx) => createThread(tx, fresh, now));
    if (!created && ifExists === "raise") throw new Conflict("Thread already exists");
    return result;
  }

  /** @throws NotFound */
  async get(threadId: string): Promise<Thread> {
    return existing(threadId, await this.find(threadId));
  }

  /** Undefined when there is no such thread. */
  find(threadId: string): Promise<Thread | undefined> {
    return findThread(this.db, threadId);
  }

  /**
   * Merges `metadata` into the thread's, one level deep, and starts a time to live; null ends it.
   * @throws NotFound | BadRequest
   */
  async patch(threadId: string, metadata: JsonObject, ttl?: ThreadTtl | null): Promise<Thread> {
    const now = this.clock.now();
    const changed = await this.db.write(async (tx) => {
      if (ttl !== undefined) await setTtl(tx, threadId, ttl, now);
      const was = (await findThread(tx, threadId))?.metadata ?? {};
      checkMerged("metadata", was, { ...was, ...metadata });
      return stamp(tx, threadId, metadata, now);
    });
    return existing(threadId, changed);
  }

  /** How much the checkpoints of a thread take. @throws NotFound */
  async storage(threadId: string): Promise<ThreadStorage> {
    await this.get(threadId);
    return threadStorage(this.db, threadId);
  }

  /** One page of the matching threads, and how many match in all. */
  async search(search: ThreadSearch): Promise<Page<Thread>> {
    const { rows, total } = await searchThreads(this.db, search);
    return { rows: rows.map(read), total };
  }

  /** One page of the threads that something was said on, last changed first. */
  list(listing: ThreadListing): Promise<ListedThread[]> {
    return listThreads(this.db, listing);
  }

  /**
   * Makes threads that rest be found by what was said on them.
   * @param limit how many at most; answers how many it were
   */
  index(limit: number, complete?: CompleteValues): Promise<number> {
    return indexThreads(this.db, limit, complete);
  }

  /**
   * Gives a thread a title of somebody's choice.
   * @throws NotFound
   */
  async rename(threadId: string, title: string): Promise<ListedThread> {
    await this.db.write((tx) => setTitle(tx, threadId, title));
    const thread = await findListedThread(this.db, threadId);
    if (!thread) throw new NotFound(`Thread with ID ${threadId} not found`);
    return thread;
  }

  count(filter: ThreadFilter): Promise<number> {
    return countThreads(this.db, filter);
  }
}

/** Inserts an idle thread, or finds the one that has its id. */
export async function createThread(
  tx: Tx,
  { thread_id, metadata = {}, ttl }: NewThread & { thread_id: string },
  now: Instant,
): Promise<{ created: boolean; thread: Thread }> {
  const taken = await findThread(tx, thread_id);
  if (taken) return { created: false, thread: taken };
  return { created: true, thread: read(await insertThread(tx, { thread_id, metadata, ttl, now })) };
}

/** The thread, from what is committed (`Database`) or from inside a transaction; undefined when there is none. */
export async function findThread(from: Database | Tx, threadId: string): Promise<Thread | undefined> {
  const [row] = await selectRow("sql" in from ? from.read : from, { thread_id: threadId });
  return row && read(row);
}

/** Merges keys into a thread's metadata, one level deep; undefined when there is no such thread. */
export async function stamp(
  tx: Tx,
  threadId: string,
  metadata: JsonObject,
  now: Instant,
): Promise<Thread | undefined> {
  const thread = await findThread(tx, threadId);
  if (!thread) return undefined;
  const merged = { ...thread.metadata, ...metadata };
  await relabel(tx, threadId, thread.metadata, merged);
  await updateMetadata(tx, { thread_id: threadId, metadata: JSON.stringify(merged), now });
  return { ...thread, metadata: merged, updated_at: now };
}

/**
 * Removes a thread with everything that hangs on it: runs, events, checkpoints, feedback, crons.
 * @returns false when there is no such thread
 */
export async function deleteThread(tx: Tx, threadId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("threads")
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
  await tx.deleteFrom("thread_labels").where("thread_id", "=", threadId).execute();
  await tx.deleteFrom("runs").where("thread_id", "=", threadId).execute();
  await deleteEventsOfThread(tx, threadId);
  await deleteCheckpointsOfThread(tx, threadId);
  await deleteFeedbackOfThread(tx, threadId);
  await removeThreadWords(tx, threadId);
  await deleteCronsOfThread(tx, threadId);
  return numDeletedRows > 0;
}

/**
 * Writes a copy of a thread with all its checkpoints, under another id.
 * @throws Conflict there is no such thread
 */
export async function copyThread(tx: Tx, from: string, to: string, now: Instant): Promise<Thread> {
  const [row] = await selectRow(tx, { thread_id: from });
  if (!row) throw new Conflict(`Thread with ID ${from} not found`);
  const ttl = readTtl(row);
  // A thread whose first run is under way has a state before it says so.
  const state_updated_at = row.state_updated_at ?? (await newestStateAt(tx, from)) ?? null;
  const copy = { ...copiedRow(row, to, now), ...ttlColumns(ttl, now), state_updated_at };
  await insertCopy(tx, copy);
  await copyCheckpoints(tx, from, to);
  return read(copy);
}

/** The threads whose metadata says that they were used by this assistant. */
export async function threadsOfAssistant(tx: Tx, assistantId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("thread_labels")
    .select("thread_id")
    .where("name", "=", "assistant_id")
    .where("value", "=", JSON.stringify(assistantId))
    .execute();
  return rows.map((row) => row.thread_id);
}

function existing(threadId: string, thread: Thread | undefined): Thread {
  if (!thread) throw new NotFound(`Thread with ID ${threadId} not found`);
  return thread;
}

function read(row: ThreadRow): Thread {
  return {
    thread_id: row.thread_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    state_updated_at: row.state_updated_at,
    status: row.status,
    metadata: parseObject(row.metadata),
    config: parseObject(row.config),
    interrupts: parseObject(row.interrupts),
    error: row.error === null ? null : JSON.parse(row.error),
    ttl: readTtl(row),
  };
}

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
async function copyCheckpoints(tx: Tx, from: string, to: string): Promise<void> {
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
function copiedRow(row: ThreadRow, threadId: string, now: number): ThreadRow & { status: RestStatus } {
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
