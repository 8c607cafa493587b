import { sql } from "kysely";
import type { Database, Tx } from "../database/index.ts";
import { type MetadataFilter, type Page, permitsColumn } from "../json-filter.ts";
import type { Instant } from "../schema/index.ts";
import { findRun, type Run, toRun } from "./run.ts";

/**
 * A piece of work as other agents see it: a run, and if it stopped to ask, the runs that went on with each answer.
 * It has the id of its first run and stands where its newest one does.
 *
 *   submitted -> working -> completed | failed | canceled
 *                   \-> input-required --answer--> submitted
 */
export type TaskState = "submitted" | "working" | "input-required" | "completed" | "failed" | "canceled";

/** `run` is the newest of the task. */
export type Task = { task_id: string; run: Run; state: TaskState };

export type TaskSearch = {
  assistant_id: string;
  thread_id?: string;
  /** In one of these. */
  states?: TaskState[];
  /** Changed then or later. */
  since?: Instant;
  /** Only on threads that these let the caller see. */
  permitted?: MetadataFilter | undefined;
  limit: number;
  offset: number;
};

/** A search for tasks looks at no more runs than these, the last changed. */
const RUNS_SEARCHED = 5_000;

const ownTask = sql<string>`coalesce(runs.task_id, runs.run_id)`;
const isLater = sql`(later.created_at, later.run_id) > (runs.created_at, runs.run_id)`;

/** A question counts while nothing went on behind it; a thread does not say whose it is. */
const state = sql<TaskState>`case
    when runs.status = 'pending' then 'submitted'
    when runs.status = 'running' then 'working'
    when runs.status = 'interrupted' then 'canceled'
    when runs.status <> 'success' then 'failed'
    when exists (select 1 from threads where threads.thread_id = runs.thread_id and threads.status = 'interrupted')
      and not exists (select 1 from runs as later where later.thread_id = runs.thread_id and ${isLater})
      then 'input-required'
    else 'completed' end`;

type Found = { run_id: string; task_id: string; state: TaskState };

/** The task of an assistant by its id; undefined for a run that goes on with another task, or is temporary. */
export async function findTask(db: Database, assistantId: string, taskId: string): Promise<Task | undefined> {
  const first = await findRun(db, taskId);
  if (!first) return undefined;
  const [found] = await newest(db, { assistant_id: assistantId, thread_id: first.thread_id })
    .where(ownTask, "=", taskId)
    .execute();
  const run = found && (await findRun(db, found.run_id));
  return run && { task_id: found.task_id, state: found.state, run };
}

/** One page of an assistant's tasks, last changed first, and how many there are among those that are looked at. */
export async function searchTasks(db: Database, search: TaskSearch): Promise<Page<Task>> {
  const { states, since, permitted, limit, offset } = search;
  let matching = newest(db, search);
  if (since !== undefined) matching = matching.where("runs.updated_at", ">=", since);
  if (permitted !== undefined)
    matching = matching.where((eb) =>
      eb.exists(
        eb
          .selectFrom("threads")
          .select("threads.thread_id")
          .whereRef("threads.thread_id", "=", "runs.thread_id")
          .where((thread) => permitsColumn(db.sql, thread.ref("threads.metadata"), permitted)),
      ),
    );
  const all = await matching.orderBy("runs.updated_at", "desc").orderBy("runs.run_id", "desc").execute();
  const found = states ? all.filter(({ state }) => states.includes(state)) : all;
  return { rows: await withRuns(db, found.slice(offset, offset + limit)), total: found.length };
}

/** Nobody will answer what a task asked: its run counts as cancelled. */
export async function withdrawTask(tx: Tx, run: Run, now: Instant): Promise<void> {
  await tx
    .updateTable("runs")
    .set({ status: "interrupted", updated_at: now })
    .where("run_id", "=", run.run_id)
    .where("status", "=", "success")
    .execute();
}

/** The newest checkpoint of the root graph that a run wrote; undefined for one that wrote none. */
export async function lastCheckpointOf(db: Database, run: Run): Promise<string | undefined> {
  const row = await db.read
    .selectFrom("checkpoints")
    .select("checkpoint_id")
    .where("run_id", "=", run.run_id)
    .where("thread_id", "=", run.thread_id)
    .where("ns", "=", "")
    .orderBy("checkpoint_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.checkpoint_id;
}

async function withRuns(db: Database, found: Found[]): Promise<Task[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ run_id }) => run_id);
  const rows = await db.read.selectFrom("runs").selectAll().where("run_id", "in", ids).execute();
  const runs = new Map(rows.map((row) => [row.run_id, toRun(row)]));
  return found.flatMap(({ run_id, task_id, state }) => {
    const run = runs.get(run_id);
    return run ? [{ task_id, state, run }] : [];
  });
}

/** The newest run of each task, among the last changed of an assistant's. */
function newest(db: Database, { assistant_id, thread_id }: Pick<TaskSearch, "assistant_id" | "thread_id">) {
  const own = db.read.selectFrom("runs").select("run_id");
  const recent =
    thread_id === undefined
      ? own.where("assistant_id", "=", assistant_id)
      : // An expression, or SQLite would look through all runs of the assistant for those of the thread.
        own.where("thread_id", "=", thread_id).where(sql`coalesce(assistant_id, '')`, "=", assistant_id);
  return db.read
    .selectFrom(
      recent.orderBy("updated_at", "desc").orderBy("run_id", "desc").limit(RUNS_SEARCHED).as("recent"),
    )
    .innerJoin("runs", "runs.run_id", "recent.run_id")
    .select(["runs.run_id", ownTask.as("task_id")])
    .select(state.as("state"))
    .where("runs.on_completion", "is", null)
    .where(
      sql<boolean>`not exists (select 1 from runs as later where later.task_id = ${ownTask} and ${isLater})`,
    );
}
