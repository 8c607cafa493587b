import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { Database, Tx } from "../database.ts";
import type { Page } from "../json-filter.ts";
import { type MetadataFilter, permitsColumn } from "../metadata-filter.ts";
import type { Instant, RunRow, Schema } from "../schema.ts";
import { type Run, toRun } from "./run.ts";

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

/** In the metadata of a run that goes on with a task: the task's id. */
export const TASK_KEY = "a2a_task";
/** In the metadata of a run whose question was withdrawn: true. */
const WITHDRAWN_KEY = "a2a_withdrawn";

type TaskRow = RunRow & { task_id: string; state: TaskState };
type Runs = ExpressionBuilder<Schema, "runs">;

/** The task of an assistant by its id; undefined for a run that goes on with another task, or is temporary. */
export async function findTask(db: Database, assistantId: string, taskId: string): Promise<Task | undefined> {
  const { thread_id } =
    (await db.read.selectFrom("runs").select("thread_id").where("run_id", "=", taskId).executeTakeFirst()) ??
    {};
  if (thread_id === undefined) return undefined;
  const row = await db.read
    .selectFrom(tasks(db, assistantId, thread_id).as("task"))
    .selectAll()
    .where("task_id", "=", taskId)
    .executeTakeFirst();
  return row && read(row);
}

/** One page of an assistant's tasks, last changed first. */
export async function searchTasks(db: Database, search: TaskSearch): Promise<Page<Task>> {
  const { assistant_id, thread_id, states, since, permitted, limit, offset } = search;
  let matching = db.read.selectFrom(tasks(db, assistant_id, thread_id).as("task"));
  if (states !== undefined) matching = matching.where("state", "in", states);
  if (since !== undefined) matching = matching.where("updated_at", ">=", since);
  if (permitted !== undefined)
    matching = matching.where((eb) =>
      eb.exists(
        eb
          .selectFrom("threads")
          .select("threads.thread_id")
          .whereRef("threads.thread_id", "=", "task.thread_id")
          .where((thread) => permitsColumn(db.sql, thread.ref("threads.metadata"), permitted)),
      ),
    );
  const rows = await matching
    .selectAll()
    .orderBy("updated_at", "desc")
    .orderBy("run_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await matching
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { rows: rows.map(read), total: Number(total) };
}

/** Nobody will answer what a task asked: it is canceled. */
export async function withdrawTask(tx: Tx, run: Run, now: Instant): Promise<void> {
  const metadata = JSON.stringify({ ...run.metadata, [WITHDRAWN_KEY]: true });
  await tx.updateTable("runs").set({ metadata, updated_at: now }).where("run_id", "=", run.run_id).execute();
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

function read({ task_id, state, ...row }: TaskRow): Task {
  return { task_id, state, run: toRun(row) };
}

/** The newest run of each task. */
function tasks(db: Database, assistantId: string, threadId: string | undefined) {
  const taskId = (metadata: RawBuilder<string>, runId: RawBuilder<string>) =>
    sql<string>`coalesce(${db.sql.jsonText(metadata, TASK_KEY)}, ${runId})`;
  const own = taskId(sql.ref("runs.metadata"), sql.ref("runs.run_id"));
  const later = sql.ref("later.metadata") as RawBuilder<string>;
  let query = db.read
    .selectFrom("runs")
    .selectAll("runs")
    .select((eb) => [own.as("task_id"), stateOf(db, eb).as("state")])
    .where("runs.assistant_id", "=", assistantId)
    .where("runs.on_completion", "is", null)
    .where(
      sql<boolean>`not exists (select 1 from runs as later where later.thread_id = runs.thread_id
        and ${db.sql.jsonText(later, TASK_KEY)} = ${own} and ${isLater})`,
    );
  if (threadId !== undefined) query = query.where("runs.thread_id", "=", threadId);
  return query;
}

const isLater = sql`(later.created_at, later.run_id) > (runs.created_at, runs.run_id)`;

/** A question counts while nothing went on behind it; a thread does not say whose it is. */
function stateOf(db: Database, eb: Runs) {
  const withdrawn = sql<unknown>`${db.sql.jsonText(eb.ref("runs.metadata"), WITHDRAWN_KEY)}`;
  return sql<TaskState>`case
    when runs.status = 'pending' then 'submitted'
    when runs.status = 'running' then 'working'
    when runs.status = 'interrupted' or ${withdrawn} is not null then 'canceled'
    when runs.status <> 'success' then 'failed'
    when exists (select 1 from threads where threads.thread_id = runs.thread_id and threads.status = 'interrupted')
      and not exists (select 1 from runs as later where later.thread_id = runs.thread_id and ${isLater})
      then 'input-required'
    else 'completed' end`;
}
