import type { QueryCreator } from "kysely";
import { isOnServer, named, type Of, partOf, prepared, type Tx } from "../database/index.ts";
import { Conflict, NotFound } from "../errors.ts";
import type { Instant, MultitaskStrategy, RunRow, Schema, ThreadRow } from "../schema/index.ts";
import { type Busy, becomesBusy, insertThread, markBusy, type ThreadTtl } from "../threads/index.ts";
import { cancelInflight } from "./cancel.ts";
import type { Run } from "./run.ts";

type Values = Record<string, unknown>;

/** A process's hold on the runs that it executes. */
export type Lease = { owner: string; until: Instant };

export type NewRun = {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  graph_id: string;
  created_at: Instant;
  /** What the caller configured, without what the server adds. */
  configurable: Values;
  /** Assistant's and run's own; the thread's goes between them at admission. */
  metadata: { assistant: Values; run: Values };
  kwargs: Values;
  multitask_strategy: MultitaskStrategy;
  not_before: Instant;
  /** Null for a run on a thread. */
  on_completion: "delete" | "keep" | null;
  /** What to call the thread if it has no title yet. */
  title?: string | undefined;
  if_not_exists: "create" | "reject";
  /** Of the thread, if it is new. */
  thread_metadata?: Values | undefined;
  thread_ttl?: ThreadTtl | undefined;
  /** The task that the run goes on with. */
  task_id?: string | undefined;
  /** Whoever creates it waits for it, or reads its events. */
  has_reader?: boolean;
};

export type Admission = {
  run: Run;
  /** The lease is held: the caller executes the run now. */
  started: boolean;
  /** Runs of the same thread that the strategy cancelled; those that were running stop on their own time. */
  cancelled: {
    run_id: string;
    wasRunning: boolean;
    /** The run itself, where it ended `interrupted` by this before it began. */
    interrupted?: Run | undefined;
  }[];
};

const selectThread = prepared<{ thread_id: string }, ThreadRow>((db, { thread_id }) =>
  db.selectFrom("threads").selectAll().where("thread_id", "=", thread_id),
);

type Inflight = Pick<RunRow, "run_id" | "thread_id" | "status" | "not_before">;

const selectInflight = prepared<{ thread_id: string }, Inflight>((db, { thread_id }) =>
  inflightOf(db, thread_id),
);

const inflightOf = (db: QueryCreator<Schema>, thread_id: string) =>
  db
    .selectFrom("runs")
    .select(["run_id", "thread_id", "status", "not_before"])
    .where("thread_id", "=", thread_id)
    .where("status", "in", ["pending", "running"]);

type ThreadAndRuns = ThreadRow & { [Name in keyof Inflight as `ahead_${Name}`]: Inflight[Name] | null };

/** Both in one statement: on a server, statements are what a run costs. The thread comes with each of its runs. */
const selectBoth = prepared<{ thread_id: string }, ThreadAndRuns>((db, { thread_id }) =>
  db
    // Elsewhere a claim may be taking one of them up right now: the queue is no part of a thread's scope.
    .with("ahead", (db) => inflightOf(db, thread_id).forUpdate())
    .selectFrom("threads")
    .leftJoin("ahead", "ahead.thread_id", "threads.thread_id")
    .selectAll("threads")
    .select([
      "ahead.run_id as ahead_run_id",
      "ahead.thread_id as ahead_thread_id",
      "ahead.status as ahead_status",
      "ahead.not_before as ahead_not_before",
    ])
    .where("threads.thread_id", "=", thread_id),
);

async function standing(tx: Tx, at: { thread_id: string }): Promise<[ThreadRow | undefined, Inflight[]]> {
  if (!isOnServer(tx)) {
    const [[thread], inflight] = await Promise.all([selectThread(tx, at), selectInflight(tx, at)]);
    return [thread, inflight];
  }
  const rows = await selectBoth(tx, at);
  const inflight = rows.flatMap(
    ({ ahead_run_id: run_id, ahead_status: status, ahead_not_before: not_before }) =>
      run_id === null || status === null || not_before === null ? [] : { ...at, run_id, status, not_before },
  );
  return [threadOf(rows[0]), inflight];
}

function threadOf(row: ThreadAndRuns | undefined): ThreadRow | undefined {
  if (!row) return undefined;
  const { ahead_run_id, ahead_thread_id, ahead_status, ahead_not_before, ...thread } = row;
  return thread;
}

const insertsRun = (db: QueryCreator<Schema>, row: RunRow) =>
  db.insertInto("runs").values({
    run_id: row.run_id,
    thread_id: row.thread_id,
    assistant_id: row.assistant_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    status: row.status,
    metadata: row.metadata,
    kwargs: row.kwargs,
    multitask_strategy: row.multitask_strategy,
    not_before: row.not_before,
    attempt: row.attempt,
    lease_owner: row.lease_owner,
    lease_until: row.lease_until,
    cancel: row.cancel,
    on_completion: row.on_completion,
    ended_at: row.ended_at,
    events_until: row.events_until,
    log_chars: row.log_chars,
    task_id: row.task_id,
    error: row.error,
    has_reader: row.has_reader,
  });

const insertRun = prepared<RunRow>(insertsRun);

const insertRunAndMark = prepared<Of<"run", RunRow> & Of<"busy", Busy>>((db, p) =>
  becomesBusy(
    db.with("run", (db) => insertsRun(db, partOf<RunRow>("run", p))),
    partOf<Busy>("busy", p),
  ),
);

/** Writes the run, and that its thread is busy. */
async function insertOn(tx: Tx, row: RunRow, thread: ThreadRow, wanted: NewRun, now: Instant): Promise<void> {
  if (isOnServer(tx))
    return markBusy(tx, thread, wanted, now, (tx, busy) =>
      insertRunAndMark(tx, { ...named("run", row), ...named("busy", busy) }),
    );
  await insertRun(tx, row);
  await markBusy(tx, thread, wanted, now);
}

/**
 * Writes a new run and marks its thread busy, in the caller's transaction.
 *
 * With a `lease` the run starts at once unless something of its thread is still going on; without one, or
 * when it has to wait, it is left pending for a claim.
 * @param eventsTtlMs see {@link cancelInflight}, of runs that it cancels
 * @throws NotFound the thread is missing and `if_not_exists` is `reject`
 * @throws Conflict the thread is busy and the strategy is `reject`
 */
export async function admitRun(
  tx: Tx,
  wanted: NewRun,
  now: Instant,
  lease: Lease | undefined,
  eventsTtlMs: number,
): Promise<Admission> {
  const temporary = wanted.on_completion === "delete";
  const [found, inflight] = temporary ? [undefined, []] : await standing(tx, { thread_id: wanted.thread_id });
  const thread = temporary ? undefined : (found ?? (await newThread(tx, wanted, now)));
  if (inflight.length > 0 && wanted.multitask_strategy === "reject") {
    throw new Conflict(
      "Thread is already running a task. Wait for it to finish or choose a different multitask strategy.",
    );
  }
  const cancelled = await makeWay(tx, wanted, inflight, now, eventsTtlMs);
  const ahead = inflight.filter((run) => !cancelled.some((c) => c.run_id === run.run_id && !c.wasRunning));
  const started = lease !== undefined && ahead.length === 0 && wanted.not_before <= now;
  const turn = { ...wanted, not_before: turnBehind(ahead, wanted, now) };
  const row = rowOf(turn, thread, now, started ? lease : undefined);
  if (thread) await insertOn(tx, row, thread, wanted, now);
  else await insertRun(tx, row);
  return { run: runOf(row, wanted, thread), started, cancelled };
}

/** Two processes number their runs within one millisecond as they like; what is further off was asked to wait. */
const SAME_MOMENT_MS = 5;

/** When a run may start so that it comes behind those that were admitted to its thread before it. */
function turnBehind(ahead: Inflight[], { run_id, not_before }: NewRun, now: Instant): Instant {
  if (not_before > now) return not_before;
  const turns = ahead
    .filter((run) => run.status === "pending" && run.not_before <= now + SAME_MOMENT_MS)
    .map((run) => run.not_before + (run.run_id < run_id ? 0 : 1));
  return Math.max(not_before, ...turns);
}

function newThread(tx: Tx, wanted: NewRun, now: Instant): Promise<ThreadRow> {
  if (wanted.if_not_exists === "reject") throw new NotFound(`Thread with ID ${wanted.thread_id} not found`);
  return insertThread(tx, {
    thread_id: wanted.thread_id,
    metadata: wanted.thread_metadata ?? {},
    ttl: wanted.thread_ttl,
    now,
  });
}

async function makeWay(
  tx: Tx,
  wanted: NewRun,
  inflight: Inflight[],
  now: Instant,
  eventsTtlMs: number,
): Promise<Admission["cancelled"]> {
  const action = wanted.multitask_strategy;
  if (action !== "interrupt" && action !== "rollback") return [];
  const cancelled: Admission["cancelled"] = [];
  for (const run of inflight) {
    const interrupted = await cancelInflight(tx, run, action, now, eventsTtlMs);
    cancelled.push({ run_id: run.run_id, wasRunning: run.status === "running", interrupted });
  }
  return cancelled;
}

/** The run that the row stands for, without parsing what was just written. */
function runOf(row: RunRow, wanted: NewRun, thread: ThreadRow | undefined): Run {
  return { ...row, metadata: mergedMetadata(wanted, thread), kwargs: wanted.kwargs };
}

/** A temporary run that starts now, as admission would return it. */
export function newRun(wanted: NewRun, now: Instant): Run {
  const row = rowOf(wanted, undefined, now, { owner: "", until: now });
  return runOf(row, wanted, undefined);
}

function mergedMetadata({ metadata }: NewRun, thread: ThreadRow | undefined): Values {
  const own = thread ? (JSON.parse(thread.metadata) as Values) : {};
  return { ...metadata.assistant, ...own, ...metadata.run };
}

function rowOf(
  wanted: NewRun,
  thread: ThreadRow | undefined,
  now: Instant,
  lease: Lease | undefined,
): RunRow {
  return {
    run_id: wanted.run_id,
    thread_id: wanted.thread_id,
    assistant_id: wanted.assistant_id,
    created_at: now,
    updated_at: now,
    status: lease ? "running" : "pending",
    metadata: JSON.stringify(mergedMetadata(wanted, thread)),
    kwargs: JSON.stringify(wanted.kwargs),
    multitask_strategy: wanted.multitask_strategy,
    not_before: wanted.not_before,
    attempt: lease ? 1 : 0,
    lease_owner: lease?.owner ?? null,
    lease_until: lease?.until ?? null,
    cancel: null,
    on_completion: wanted.on_completion,
    ended_at: null,
    events_until: null,
    log_chars: 0,
    task_id: wanted.task_id ?? null,
    error: null,
    has_reader: wanted.has_reader ? 1 : 0,
  };
}
