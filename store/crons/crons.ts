import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Clock } from "../clock.ts";
import {
  allOf,
  bytesOf,
  type Database,
  type GroupedPage,
  inGroups,
  prepared,
  type Sized,
  type Tx,
} from "../database/index.ts";
import { NotFound } from "../errors.ts";
import {
  checkContainment,
  type JsonObject,
  type MetadataFilter,
  type Page,
  parseObject,
  permitsColumn,
} from "../json-filter.ts";
import type { CronRow, Instant, Schema } from "../schema/index.ts";

export type NewCron = Omit<Cron, "cron_id" | "last_run_id" | "last_run_at" | "created_at" | "updated_at">;

export type CronFilter = {
  assistant_id?: string;
  thread_id?: string;
  enabled?: boolean;
  /** Each key has exactly this value. */
  metadata?: JsonObject;
  /** Only what these let the caller see. */
  permitted?: MetadataFilter | undefined;
};

export type CronSort =
  | "cron_id"
  | "assistant_id"
  | "thread_id"
  | "next_run_at"
  | "end_time"
  | "created_at"
  | "updated_at";

export type CronSearch = CronFilter & {
  limit: number;
  offset: number;
  /** Default `created_at`. */
  sort_by?: CronSort;
  /** Default `desc`; what has no value comes last either way. */
  sort_order?: "asc" | "desc";
};

type DuePage = { now: Instant; limit: number; after_at: Instant; after_id: string };

const selectDue = prepared<DuePage, CronRow>((db, { now, limit, after_at, after_id }) =>
  db
    .selectFrom("crons")
    .selectAll()
    .where("next_run_at", "<=", now)
    .where("next_run_at", ">=", after_at)
    .where((eb) => eb.or([eb("next_run_at", ">", after_at), eb("cron_id", ">", after_id)]))
    .orderBy("next_run_at")
    .orderBy("cron_id")
    .limit(limit),
);

/** The crons of the Agent Server. When one fires is not decided here: `next_run_at` is told. */
export class Crons {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFound its assistant or its thread is gone */
  async create(wanted: NewCron): Promise<Cron> {
    const now = this.clock.now();
    // A fixed id before the write: its work may run twice.
    const none = { last_run_id: null, last_run_at: null };
    const cron = { cron_id: Bun.randomUUIDv7(), ...wanted, ...none, created_at: now, updated_at: now };
    const missing = await this.db.write(async (tx) => {
      const lack = await missingFor(tx, cron);
      if (lack === undefined) await tx.insertInto("crons").values(cronRow(cron)).execute();
      return lack;
    });
    if (missing !== undefined) throw new NotFound(missing);
    return cron;
  }

  /** @throws NotFound */
  async get(cronId: string): Promise<Cron> {
    return existing(await findCron(this.db.read, cronId));
  }

  /**
   * Writes what `change` makes of the cron.
   * @param change may be asked twice
   * @throws NotFound
   */
  async change(cronId: string, change: (cron: Cron, now: Instant) => Cron): Promise<Cron> {
    const now = this.clock.now();
    const changed = await this.db.write(async (tx) => {
      const cron = await findCron(tx, cronId);
      if (!cron) return undefined;
      // Never the same twice: it tells one version of a cron from the next.
      const next = { ...change(cron, now), updated_at: Math.max(now, cron.updated_at + 1) };
      const { cron_id, ...columns } = cronRow(next);
      await tx.updateTable("crons").set(columns).where("cron_id", "=", cron_id).execute();
      return next;
    });
    return existing(changed);
  }

  /** @throws NotFound */
  async delete(cronId: string): Promise<void> {
    const { numDeletedRows } = await this.db.write((tx) =>
      tx.deleteFrom("crons").where("cron_id", "=", cronId).executeTakeFirst(),
    );
    if (numDeletedRows === 0n) throw new NotFound("Cron not found");
  }

  /** One page of the matching crons, and how many match in all. */
  async search(search: CronSearch): Promise<Page<Cron>> {
    const page = await this.searchInGroups(search);
    return { rows: await allOf(page), total: page.total };
  }

  /** One page of the matching crons, some at a time, and how many match in all. */
  async searchInGroups(search: CronSearch): Promise<GroupedPage<Cron>> {
    const direction = search.sort_order ?? "desc";
    const keys = await this.#matching(search)
      .select(["cron_id", bytesOf("payload", "metadata")])
      .orderBy(search.sort_by ?? "created_at", (by) => by[direction]().nullsLast())
      .orderBy("cron_id", direction)
      .limit(search.limit)
      .offset(search.offset)
      .execute();
    const complete = keys.length < search.limit && (keys.length > 0 || search.offset === 0);
    const total = complete ? search.offset + keys.length : await this.count(search);
    return { groups: this.#read(keys), total };
  }

  async *#read(keys: (Sized & { cron_id: string })[]): AsyncGenerator<Cron[]> {
    const read = (group: typeof keys) =>
      this.db.read
        .selectFrom("crons")
        .selectAll()
        .where(
          "cron_id",
          "in",
          group.map(({ cron_id }) => cron_id),
        )
        .execute();
    for await (const rows of inGroups(keys, read, ({ cron_id }) => cron_id)) yield rows.map(readCron);
  }

  /** How many crons match. */
  async count(filter: CronFilter): Promise<number> {
    const { total } = await this.#matching(filter)
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    return Number(total);
  }

  /**
   * Those whose time has come, the longest due first.
   * @param after the last one of the page before
   */
  async due(now: Instant, limit: number, after?: Cron): Promise<Cron[]> {
    const rows = await selectDue(this.db.read, {
      now,
      limit,
      after_at: after?.next_run_at ?? 0,
      after_id: after?.cron_id ?? "",
    });
    return rows.map(readCron);
  }

  #matching(filter: CronFilter) {
    checkContainment(filter.metadata);
    return this.db.read.selectFrom("crons").where((eb) => eb.and(this.#conditions(eb, filter)));
  }

  #conditions(eb: ExpressionBuilder<Schema, "crons">, filter: CronFilter): Expression<SqlBool>[] {
    const { assistant_id, thread_id, enabled, metadata = {}, permitted } = filter;
    const all: Expression<SqlBool>[] = [];
    if (assistant_id !== undefined) all.push(eb("assistant_id", "=", assistant_id));
    if (thread_id !== undefined) all.push(eb("thread_id", "=", thread_id));
    if (enabled !== undefined) all.push(eb("enabled", "=", enabled ? 1 : 0));
    for (const [key, value] of Object.entries(metadata))
      all.push(this.db.sql.jsonEquals(eb.ref("metadata"), key, value));
    if (permitted) all.push(permitsColumn(this.db.sql, eb.ref("metadata"), permitted));
    return all;
  }
}

const selectAssistantId = prepared<{ assistant_id: string }, { assistant_id: string }>(
  (db, { assistant_id }) =>
    db.selectFrom("assistants").select("assistant_id").where("assistant_id", "=", assistant_id),
);
const selectThreadId = prepared<{ thread_id: string }, { thread_id: string }>((db, { thread_id }) =>
  db.selectFrom("threads").select("thread_id").where("thread_id", "=", thread_id),
);

/** What a cron needs and does not have: told with the words of whoever looks for it. */
async function missingFor(
  tx: Tx,
  { assistant_id, thread_id }: Pick<Cron, "assistant_id" | "thread_id">,
): Promise<string | undefined> {
  if ((await selectAssistantId(tx, { assistant_id })).length === 0) return "Assistant not found";
  const hasThread = thread_id === null || (await selectThreadId(tx, { thread_id })).length > 0;
  return hasThread ? undefined : `Thread with ID ${thread_id} not found`;
}

function existing(cron: Cron | undefined): Cron {
  if (!cron) throw new NotFound("Cron not found");
  return cron;
}

/** Runs on a schedule: on one thread, or each on a thread of its own. */
export type Cron = Omit<CronRow, "enabled" | "payload" | "metadata" | "user_permissions"> & {
  enabled: boolean;
  /** What each run is asked to do. */
  payload: JsonObject;
  /** Of the cron and of each of its runs. */
  metadata: JsonObject;
  /** What the user who made it was allowed to do then. */
  user_permissions: string[];
};

const selectCron = prepared<{ cron_id: string }, CronRow>((db, { cron_id }) =>
  db.selectFrom("crons").selectAll().where("cron_id", "=", cron_id),
);

const deleteOfThread = prepared<{ thread_id: string }>((db, { thread_id }) =>
  db.deleteFrom("crons").where("thread_id", "=", thread_id),
);

type Tick = { cron_id: string; updated_at: Instant; due: Instant | null; next: Instant | null };

const moveOn = prepared<Tick, { cron_id: string }>((db, { cron_id, updated_at, due, next }) =>
  db
    .updateTable("crons")
    .set({ next_run_at: next })
    .where("cron_id", "=", cron_id)
    .where("updated_at", "=", updated_at)
    .where("next_run_at", "=", due)
    .returning("cron_id"),
);

type LastRun = { cron_id: string; run_id: string; at: Instant };

const setLastRun = prepared<LastRun>((db, { cron_id, run_id, at }) =>
  db.updateTable("crons").set({ last_run_id: run_id, last_run_at: at }).where("cron_id", "=", cron_id),
);

/** The cron, undefined when there is none. */
async function findCron(from: Tx, cronId: string): Promise<Cron | undefined> {
  const [row] = await selectCron(from, { cron_id: cronId });
  return row && readCron(row);
}

/**
 * Takes the tick that is due of a cron, in the transaction that does what it asks for.
 * @param cron as it was read; a change since then is a reason to look again
 * @param next when it fires next, null for never
 * @returns false when somebody else took the tick, or the cron is no longer the same
 */
export async function takeTick(tx: Tx, cron: Cron, next: Instant | null): Promise<boolean> {
  const { cron_id, updated_at, next_run_at } = cron;
  return (await moveOn(tx, { cron_id, updated_at, due: next_run_at, next })).length > 0;
}

/** Notes the newest run of a cron, for those who look at it: when it fires next does not hang on this. */
export async function noteCronRun(tx: Tx, run: LastRun): Promise<void> {
  await setLastRun(tx, run);
}

/** Removes the crons that run on a thread. */
export async function deleteCronsOfThread(tx: Tx, threadId: string): Promise<void> {
  await deleteOfThread(tx, { thread_id: threadId });
}

/** Removes the crons that run these assistants. */
export async function deleteCronsOfAssistants(tx: Tx, assistantIds: string[]): Promise<void> {
  await tx.deleteFrom("crons").where("assistant_id", "in", assistantIds).execute();
}

function readCron(row: CronRow): Cron {
  return {
    ...row,
    enabled: row.enabled === 1,
    payload: parseObject(row.payload),
    metadata: parseObject(row.metadata),
    user_permissions: row.user_permissions === null ? [] : JSON.parse(row.user_permissions),
  };
}

function cronRow(cron: Cron): CronRow {
  return {
    cron_id: cron.cron_id,
    assistant_id: cron.assistant_id,
    thread_id: cron.thread_id,
    on_run_completed: cron.on_run_completed,
    schedule: cron.schedule,
    timezone: cron.timezone,
    end_time: cron.end_time,
    enabled: cron.enabled ? 1 : 0,
    payload: JSON.stringify(cron.payload),
    metadata: JSON.stringify(cron.metadata),
    user_id: cron.user_id,
    user_permissions: cron.user_id === null ? null : JSON.stringify(cron.user_permissions),
    next_run_at: cron.next_run_at,
    last_run_id: cron.last_run_id,
    last_run_at: cron.last_run_at,
    created_at: cron.created_at,
    updated_at: cron.updated_at,
  };
}
