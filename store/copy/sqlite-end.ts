import type { Database as BunDatabase, SQLQueryBindings } from "bun:sqlite";
import { FileInUse, hasTable, openFileAlone } from "../database/index.ts";
import { COPY_TABLE } from "../migrations/index.ts";
import {
  BATCH_ROWS,
  BATCH_SIZE,
  type CopiedBatch,
  type CopiedRow,
  type CopiedTable,
  columnList,
  kindOf,
  quoted,
  sizeOf,
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
import { plainValue } from "./digest.ts";

type ColumnInfo = { name: string; type: string; pk: number };

/** A database file that this process alone has open. */
export class SqliteEnd implements CopyEnd {
  readonly #db: BunDatabase;

  /** @throws CopyRefused somebody else has it open */
  constructor(
    path: string,
    readonly name: string,
  ) {
    try {
      this.#db = openFileAlone(path);
    } catch (error) {
      throw error instanceof FileInUse ? new CopyRefused(error.message) : error;
    }
    for (const pragma of ["foreign_keys = on", "cache_size = -64000"]) this.#db.run(`pragma ${pragma}`);
  }

  async tables(): Promise<CopiedTable[]> {
    const names = this.#all<{ name: string }>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'berth_%' order by name",
    ).map(({ name }) => name);
    const refersTo = (name: string) =>
      this.#all<{ table: string }>(`pragma foreign_key_list(${quoted(name)})`).map(({ table }) => table);
    const isReferredTo = new Set(names.flatMap(refersTo));
    const ordered = names.sort(
      (one, other) => Number(isReferredTo.has(other)) - Number(isReferredTo.has(one)),
    );
    return ordered.map((name) => this.#tableOf(name));
  }

  #tableOf(name: string): CopiedTable {
    const columns = this.#all<ColumnInfo>(`pragma table_info(${quoted(name)})`);
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    return {
      name,
      columns: columns.map((column) => ({ name: column.name, kind: kindOf(column.type) })),
      key: key.map((column) => column.name),
    };
  }

  /** By the number that SQLite gives each row: as the rows lie in the file. */
  async *read(table: CopiedTable, behind: string | null): AsyncGenerator<CopiedBatch> {
    const columns = columnList(table.columns.map(({ name }) => name));
    const from = quoted(table.name);
    const statement = this.#db.prepare<Record<string, unknown>, [number]>(
      `select rowid as "rowid ", ${columns} from ${from} where rowid > ? order by rowid`,
    );
    try {
      let rows: CopiedRow[] = [];
      let [size, place] = [0, ""];
      for (const found of statement.iterate(behind === null ? Number.MIN_SAFE_INTEGER : Number(behind))) {
        const [rowid, ...values] = Object.values(found);
        place = String(rowid);
        const row = values.map((value, at) => plainValue(value, table, at));
        rows.push(row);
        size += sizeOf(row);
        if (size < BATCH_SIZE && rows.length < BATCH_ROWS) continue;
        yield { rows, place };
        [rows, size] = [[], 0];
      }
      if (rows.length > 0) yield { rows, place };
    } finally {
      statement.finalize();
    }
  }

  async write(table: CopiedTable, { rows, place }: CopiedBatch): Promise<void> {
    const columns = table.columns.map(({ name }) => name);
    const marks = columns.map(() => "?").join(", ");
    const insert = this.#db.query(
      `insert into ${quoted(table.name)} (${columnList(columns)}) values (${marks}) on conflict do nothing`,
    );
    this.#together(() => {
      for (const row of rows) insert.run(...(row as SQLQueryBindings[]));
      this.#note({ name: table.name, place, is_done: 0 });
    });
  }

  async hasMore(table: string, rows: number): Promise<boolean> {
    return this.#all(`select 1 from ${quoted(table)} limit ${rows + 1}`).length > rows;
  }

  async progress(): Promise<CopyProgress | undefined> {
    if (!hasTable(this.#db, COPY_TABLE)) return undefined;
    return progressOf(this.#all<ProgressRow>(`select * from ${COPY_TABLE}`));
  }

  async begin(tables: readonly CopiedTable[], from: string): Promise<void> {
    this.#together(() => {
      this.#db.run(`create table if not exists ${COPY_TABLE} (${PROGRESS_COLUMNS})`);
      this.#db.run(`delete from ${COPY_TABLE}`);
      for (const { name } of tables.toReversed()) this.#db.run(`delete from ${quoted(name)}`);
      this.#note(sourceRow(from));
    });
  }

  async finish({ name }: CopiedTable): Promise<void> {
    this.#note({ name, place: null, is_done: 1 });
  }

  async end(): Promise<void> {
    this.#db.run(WORDS_AGAIN);
    this.#db.run("analyze");
    this.#db.run(`drop table ${COPY_TABLE}`);
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #note({ name, place, is_done }: ProgressRow): void {
    this.#db
      .query(`insert or replace into ${COPY_TABLE} (name, place, is_done) values (?, ?, ?)`)
      .run(name, place, is_done);
  }

  #all<T = unknown>(text: string): T[] {
    return this.#db.query<T, []>(text).all();
  }

  #together(work: () => void): void {
    this.#db.transaction(work).immediate();
  }
}
