import type { ReservedSQL, SQL } from "bun";
import { connectAlone, lockForCopy } from "../database/index.ts";
import { COPY_TABLE } from "../migrations/index.ts";
import {
  BATCH_ROWS,
  BATCH_SIZE,
  type CopiedBatch,
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  columnList,
  kindOf,
  quoted,
} from "./copied-table.ts";
import {
  type CopyEnd,
  type CopyProgress,
  CopyRefused,
  PROGRESS_COLUMNS,
  type ProgressRow,
  progressOf,
  sourceRow,
  WORDS_AGAIN,
} from "./copy-end.ts";
import { NotCopyable, plainValue } from "./digest.ts";

type ColumnInfo = { table: string; name: string; type: string; key_at: number | null };

/** Columns of all tables in the schema that a connection writes to, with their place in the primary key. */
const COLUMNS = `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
    array_position(i.indkey::int2[], a.attnum) as key_at
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname not like 'berth\\_%'
  order by c.relname, a.attnum`;

/** What a server makes of other tables, by an extension that a file has not; a Berth fills it again. */
const DERIVED = new Set(["item_embeddings"]);

const REFERRED = `select distinct confrelid::regclass::text as name from pg_constraint where contype = 'f'`;

/** A database on a server, which no Berth uses meanwhile. */
export class PostgresEnd implements CopyEnd {
  private constructor(
    readonly name: string,
    private readonly pool: SQL,
    private readonly sql: ReservedSQL,
  ) {}

  /**
   * @param side a source is read as it is at one moment
   * @throws CopyRefused a Berth uses it, or somebody else copies it
   */
  static async open(url: string, name: string, side: "source" | "target"): Promise<PostgresEnd> {
    const pool = connectAlone(url, "berth-copy");
    try {
      const sql = await pool.reserve();
      const why = await lockForCopy(sql);
      if (why !== undefined) throw new CopyRefused(`${why} ${name}: stop it first`);
      if (side === "source") await sql.unsafe("begin isolation level repeatable read read only");
      else await sql.unsafe("set synchronous_commit = off");
      return new PostgresEnd(name, pool, sql);
    } catch (error) {
      await pool.close({ timeout: 0 });
      throw error;
    }
  }

  async tables(): Promise<CopiedTable[]> {
    const columns: ColumnInfo[] = await this.sql.unsafe(COLUMNS);
    const referred: { name: string }[] = await this.sql.unsafe(REFERRED);
    const isReferredTo = new Set(referred.map(({ name }) => name));
    const copied = columns.filter(({ table }) => !DERIVED.has(table));
    const byTable = Map.groupBy(copied, ({ table }) => table);
    const ordered = [...byTable].sort(
      ([one], [other]) => Number(isReferredTo.has(other)) - Number(isReferredTo.has(one)),
    );
    return ordered.map(([name, found]) => ({
      name,
      columns: found.map((column) => ({ name: column.name, kind: kindOf(column.type) })),
      key: found
        .filter(({ key_at }) => key_at !== null)
        .sort((one, other) => Number(one.key_at) - Number(other.key_at))
        .map((column) => column.name),
    }));
  }

  /** By the primary key; the next rows come while somebody works on these. */
  async *read(table: CopiedTable, behind: string | null): AsyncGenerator<CopiedBatch> {
    if (table.key.length === 0) {
      if (behind === null) yield { rows: await this.#onlyRow(table), place: "[]" };
      return;
    }
    let next = this.#page(table, behind);
    for (;;) {
      const batch = await next;
      if (batch === undefined) return;
      next = this.#page(table, batch.place);
      // Whoever stops in between does not hear of it.
      next.catch(() => undefined);
      yield batch;
    }
  }

  async #page(table: CopiedTable, behind: string | null): Promise<CopiedBatch | undefined> {
    const after: CopiedValue[] = behind === null ? [] : JSON.parse(behind);
    const found = await this.sql.unsafe(pageText(table, after.length > 0), after).values();
    const rows = found.map((row: unknown[]) => row.map((value, at) => plainValue(value, table, at)));
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    const at = table.key.map((name) => table.columns.findIndex((column) => column.name === name));
    return { rows, place: JSON.stringify(at.map((index) => last[index])) };
  }

  async #onlyRow(table: CopiedTable): Promise<CopiedRow[]> {
    const columns = columnList(table.columns.map(({ name }) => name));
    const found = await this.sql.unsafe(`select ${columns} from ${quoted(table.name)} limit 2`).values();
    if (found.length > 1) throw new NotCopyable(`${table.name} has no key and more than one row`);
    return found.map((row: unknown[]) => row.map((value, at) => plainValue(value, table, at)));
  }

  async write(table: CopiedTable, { rows, place }: CopiedBatch): Promise<void> {
    const columns = table.columns.map(({ name }) => name);
    const objects = rows.map((row) =>
      Object.fromEntries(row.map((value, at) => [columns[at], asJson(value)])),
    );
    const insert = `insert into ${quoted(table.name)} (${columnList(columns)})
      select ${columnList(columns)} from json_populate_recordset(null::${quoted(table.name)}, $1::text::json)
      on conflict do nothing`;
    await this.#together(async () => {
      await this.sql.unsafe(insert, [JSON.stringify(objects)]);
      await this.#note({ name: table.name, place, is_done: 0 });
    });
  }

  async hasMore(table: string, rows: number): Promise<boolean> {
    const found = await this.sql.unsafe(`select 1 from ${quoted(table)} limit ${rows + 1}`);
    return found.length > rows;
  }

  async progress(): Promise<CopyProgress | undefined> {
    const [found] = await this.sql.unsafe(`select to_regclass('${COPY_TABLE}')::text as name`);
    if (found?.name === null) return undefined;
    return progressOf(Array.from<ProgressRow>(await this.sql.unsafe(`select * from ${COPY_TABLE}`)));
  }

  async begin(tables: readonly CopiedTable[], from: string): Promise<void> {
    await this.#together(async () => {
      await this.sql.unsafe(`create table if not exists ${COPY_TABLE} (${PROGRESS_COLUMNS})`);
      await this.sql.unsafe(
        `truncate ${[COPY_TABLE, ...tables.map(({ name }) => quoted(name))].join(", ")} cascade`,
      );
      await this.#note(sourceRow(from));
    });
  }

  async finish({ name }: CopiedTable): Promise<void> {
    await this.#note({ name, place: null, is_done: 1 });
  }

  async end(): Promise<void> {
    await this.sql.unsafe(WORDS_AGAIN);
    await this.sql.unsafe("analyze");
    // With this one, all the others are on the disk.
    await this.sql.unsafe("set synchronous_commit = on");
    await this.sql.unsafe(`drop table ${COPY_TABLE}`);
  }

  async close(): Promise<void> {
    await this.pool.close({ timeout: 0 });
  }

  async #note({ name, place, is_done }: ProgressRow): Promise<void> {
    const text = `insert into ${COPY_TABLE} (name, place, is_done) values ($1, $2, $3)
      on conflict (name) do update set place = excluded.place, is_done = excluded.is_done`;
    await this.sql.unsafe(text, [name, place, is_done]);
  }

  async #together(work: () => Promise<void>): Promise<void> {
    await this.sql.unsafe("begin");
    try {
      await work();
      await this.sql.unsafe("commit");
    } catch (error) {
      await this.sql.unsafe("rollback").catch(() => undefined);
      throw error;
    }
  }
}

/** The next rows by their key, as many as are no more than a batch together: sizes are known without reading texts. */
function pageText({ name, columns, key }: CopiedTable, isBehind: boolean): string {
  const all = columnList(columns.map((column) => column.name));
  const by = columnList(key);
  const sized = columns.filter(({ kind }) => kind === "text" || kind === "bytes");
  const size = sized.map((column) => `coalesce(octet_length(${quoted(column.name)}), 0)`).join(" + ") || "8";
  const where = isBehind ? `where (${by}) > (${key.map((_, at) => `$${at + 1}`).join(", ")})` : "";
  return `select ${all} from (
      select *, sum(" size") over (order by ${by} rows between unbounded preceding and 1 preceding) as " before" from (
        select ${all}, ${size} as " size" from ${quoted(name)} ${where} order by ${by} limit ${BATCH_ROWS}
      ) as few
    ) as fitting where coalesce(" before", 0) < ${BATCH_SIZE} order by ${by}`;
}

/** As Postgres reads it out of JSON. */
function asJson(value: CopiedValue): string | number | null {
  if (value instanceof Uint8Array) return `\\x${value.toHex()}`;
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}
