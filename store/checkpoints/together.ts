import { sql } from "kysely";
import { prepared, type Tx } from "../database/index.ts";
import { bySize, numbers, type WritesPlace } from "./queries.ts";
import { type CheckpointWrite, type EncodedCheckpoint, rowsOf } from "./writing.ts";

// What a run wrote since its last commit, in as few statements as there are tables: on a server, statements are what
// a run costs.

type Row = Record<string, string | number | null>;

/** Rows of one statement; more rows take more statements. */
const ROWS = 32;

/** One prepared statement for each number of rows. */
function insertInto(table: string, columns: readonly string[], onConflict: string) {
  const statement = bySize((size) =>
    prepared<Row>((db, p) => {
      const row = (n: number) => sql`(${sql.join(columns.map((column) => sql`${p[column + n]}`))})`;
      const names = sql.join(columns.map((column) => sql.ref(column)));
      return {
        compile: () =>
          sql`insert into ${sql.table(table)} (${names}) values ${sql.join(numbers(size).map(row))} ${sql.raw(onConflict)}`.compile(
            db,
          ),
      };
    }),
  );
  return async (tx: Tx, rows: readonly Row[]): Promise<void> => {
    for (let start = 0; start < rows.length; start += ROWS) {
      const some = rows.slice(start, start + ROWS);
      const values: Row = {};
      for (const [n, row] of some.entries()) for (const name of columns) values[name + n] = row[name] ?? null;
      await statement(some.length)(tx, values);
    }
  };
}

const ON_CHECKPOINT = `on conflict (thread_id, ns, checkpoint_id) do update set parent_id = excluded.parent_id,
    run_id = excluded.run_id, checkpoint = excluded.checkpoint, metadata = excluded.metadata`;

const ON_TASK_WRITE = `on conflict (thread_id, ns, checkpoint_id, task_id, idx) do update set channel = excluded.channel,
    type = excluded.type, value = excluded.value, task_path = excluded.task_path, run_id = excluded.run_id
    where checkpoint_writes.idx < 0`;

const insertCheckpoints = insertInto(
  "checkpoints",
  ["thread_id", "ns", "checkpoint_id", "parent_id", "run_id", "checkpoint", "metadata"],
  ON_CHECKPOINT,
);

const insertChannelValues = insertInto(
  "channel_values",
  ["thread_id", "ns", "channel", "version", "type", "value", "length"],
  "on conflict do nothing",
);

const WRITE_KEY = ["thread_id", "ns", "checkpoint_id", "task_id", "idx"] as const;

const insertTaskWrites = insertInto(
  "checkpoint_writes",
  [...WRITE_KEY, "channel", "type", "value", "task_path", "run_id"],
  ON_TASK_WRITE,
);

type Rows = { checkpoints: Row[]; values: Row[]; tasks: Row[] };

/** Larger ones are cheaper as parameters of their own. */
const SMALL_CHARS = 64_000;

/** Whether rows may go as JSON, in which no text may hold half a character or U+0000: what is JSON itself never does. */
function isSmall({ checkpoints, values, tasks }: Rows): boolean {
  let chars = 0;
  for (const rows of [checkpoints, values, tasks])
    for (const row of rows)
      for (const name in row) {
        const text = row[name];
        if (typeof text !== "string") continue;
        chars += text.length;
        if (chars > SMALL_CHARS || !text.isWellFormed() || text.includes("\0")) return false;
      }
  return true;
}

const asJson = ({ checkpoints, values, tasks }: Rows) => ({
  checkpoints: JSON.stringify(checkpoints),
  values: JSON.stringify(values),
  tasks: JSON.stringify(tasks),
});

const PLACE = "thread_id text, ns text";

/** One statement however many rows there are, and one round for Postgres to prepare. */
const insertAll = prepared<{ checkpoints: string; values: string; tasks: string }>((db, p) => {
  const rowsIn = (json: string, columns: string) =>
    sql`from json_to_recordset(cast(cast(${json} as text) as json)) as given(${sql.raw(columns)})`;
  return {
    compile: () =>
      sql`with stored_checkpoints as (
          insert into checkpoints (thread_id, ns, checkpoint_id, parent_id, run_id, checkpoint, metadata)
          select * ${rowsIn(p.checkpoints, `${PLACE}, checkpoint_id text, parent_id text, run_id text, checkpoint text, metadata text`)}
          ${sql.raw(ON_CHECKPOINT)}
        ), stored_values as (
          insert into channel_values (thread_id, ns, channel, version, type, value, length)
          select * ${rowsIn(p.values, `${PLACE}, channel text, version text, type text, value text, length bigint`)}
          on conflict do nothing
        )
        insert into checkpoint_writes (thread_id, ns, checkpoint_id, task_id, idx, channel, type, value, task_path, run_id)
        select * ${rowsIn(p.tasks, `${PLACE}, checkpoint_id text, task_id text, idx bigint, channel text, type text, value text, task_path text, run_id text`)}
        ${sql.raw(ON_TASK_WRITE)}`.compile(db),
  };
});

/** Stores what a saver wrote, in its order. One statement must not name a row twice: what counts is sorted out here. */
export async function storeTogether(tx: Tx, writes: readonly CheckpointWrite[]): Promise<void> {
  const checkpoints = new Map<string, Row>();
  const values: Row[] = [];
  const tasks = new Map<string, Row>();
  const encoded = await withLists(tx, writes);
  for (const [at, write] of writes.entries()) {
    if (write.kind === "writes") {
      for (const row of taskRows(write.at, write.rows)) addTaskWrite(tasks, row);
      continue;
    }
    const { row, values: own } = encoded[at] ?? (await rowsOf(tx, write.encoded));
    checkpoints.set(`${row.ns} ${row.checkpoint_id}`, row);
    values.push(...own.map((value) => ({ ...value, thread_id: row.thread_id, ns: row.ns })));
  }
  const rows = { checkpoints: [...checkpoints.values()], values, tasks: [...tasks.values()] };
  if (isSmall(rows)) return void (await insertAll(tx, asJson(rows)));
  await insertCheckpoints(tx, rows.checkpoints);
  await insertChannelValues(tx, rows.values);
  await insertTaskWrites(tx, rows.tasks);
}

/**
 * Where each list only grows, which is the rule, all of it is sent before the first answer is waited for: they go over
 * one connection, so each chunk still finds the one before it.
 */
async function withLists(tx: Tx, writes: readonly CheckpointWrite[]) {
  const grows = ({ plan }: EncodedCheckpoint["lists"][number]) =>
    plan.chunk !== undefined && plan.after !== undefined;
  const all = writes.map((write) => (write.kind === "checkpoint" ? write.encoded : undefined));
  if (!all.every((one) => !one || one.lists.every(grows))) return [];
  return Promise.all(all.map((one) => one && rowsOf(tx, one)));
}

function taskRows(at: WritesPlace, rows: readonly Row[]): Row[] {
  const place = {
    ...{ thread_id: at.thread, ns: at.ns, checkpoint_id: at.checkpoint },
    ...{ task_id: at.task, task_path: at.path, run_id: at.run },
  };
  return rows.map((row) => ({ ...row, ...place }));
}

/** A special write replaces its predecessor, any other stays. */
function addTaskWrite(tasks: Map<string, Row>, row: Row): void {
  const key = WRITE_KEY.map((name) => row[name]).join(" ");
  if (!tasks.has(key) || Number(row.idx) < 0) tasks.set(key, row);
}
