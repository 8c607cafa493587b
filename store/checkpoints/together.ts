import { sql } from "kysely";
import { prepared, type Tx } from "../database/index.ts";
import { bySize, numbers, type WritesPlace } from "./queries.ts";
import { type CheckpointWrite, rowsOf } from "./writing.ts";

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

const insertCheckpoints = insertInto(
  "checkpoints",
  ["thread_id", "ns", "checkpoint_id", "parent_id", "run_id", "checkpoint", "metadata"],
  `on conflict (thread_id, ns, checkpoint_id) do update set parent_id = excluded.parent_id,
    run_id = excluded.run_id, checkpoint = excluded.checkpoint, metadata = excluded.metadata`,
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
  `on conflict (thread_id, ns, checkpoint_id, task_id, idx) do update set channel = excluded.channel,
    type = excluded.type, value = excluded.value, task_path = excluded.task_path, run_id = excluded.run_id
    where checkpoint_writes.idx < 0`,
);

/** Stores what a saver wrote, in its order. One statement must not name a row twice: what counts is sorted out here. */
export async function storeTogether(tx: Tx, writes: readonly CheckpointWrite[]): Promise<void> {
  const checkpoints = new Map<string, Row>();
  const values: Row[] = [];
  const tasks = new Map<string, Row>();
  for (const write of writes) {
    if (write.kind === "writes") {
      for (const row of taskRows(write.at, write.rows)) addTaskWrite(tasks, row);
      continue;
    }
    const { row, values: own } = await rowsOf(tx, write.encoded);
    checkpoints.set(`${row.ns} ${row.checkpoint_id}`, row);
    values.push(...own.map((value) => ({ ...value, thread_id: row.thread_id, ns: row.ns })));
  }
  await insertCheckpoints(tx, [...checkpoints.values()]);
  await insertChannelValues(tx, values);
  await insertTaskWrites(tx, [...tasks.values()]);
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
