import { Database, type SQLQueryBindings } from "bun:sqlite";
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import { madeRow, tablesOf } from "../store/made-row.ts";

type Up = (db: Kysely<unknown>) => Promise<void>;

/** A database of a migration's time, as SQL; and why there is no row of a new table, where none could be made. */
type LandedDatabase = { text: string; faults: string[] };

/**
 * The database of a migration's time: the one before it, what the migration does to that, the row that says so, and a
 * row of each new table.
 * @param before the database of the time of the migration before, as SQL
 */
export async function landedDatabase(
  name: string,
  up: Up,
  before: string,
  now: Date,
): Promise<LandedDatabase> {
  const raw = new Database(":memory:");
  try {
    raw.run(before);
    const known = new Set(tablesOf(raw));
    const recorded = new RecordedConnection(raw);
    await up(new Kysely<unknown>({ dialect: new SqliteDialect({ database: recorded }) }));
    recorded.prepare("insert into berth_migrations values (?, ?)").run([name, now.toISOString()]);
    const faults = tablesOf(raw)
      .filter((table) => !known.has(table))
      .flatMap((table) => faultOf(recorded, table));
    const head = `-- What Berth wrote with migration ${name}. Later versions must open it; never change it.`;
    const text = `${before.replace(/^--.*/, head).trimEnd()}\n${recorded.done.join("\n")}\n`;
    checkSame(raw, text);
    return { text, faults };
  } finally {
    raw.close();
  }
}

/** Puts a row into a new table. */
function faultOf(recorded: RecordedConnection, table: string): string[] {
  try {
    const { sql, values } = madeRow(recorded.raw, table);
    recorded.prepare(sql).run(values);
    return [];
  } catch (error) {
    return [`no row of ${table} could be made: ${error instanceof Error ? error.message : error}`];
  }
}

/** Changes nothing, or is no part of what a file holds. */
const NO_CHANGE = /^\s*(select|pragma|begin|commit|rollback|savepoint|release)\b/i;

/** Keeps what was done to a database as statements, with their values in them. */
class RecordedConnection implements SqliteDatabase {
  readonly done: string[] = [];

  constructor(readonly raw: Database) {}

  prepare(sql: string): SqliteStatement {
    const statement = this.raw.prepare(sql);
    const bound = (values: readonly unknown[]) => values as SQLQueryBindings[];
    const noted = <T>(result: T): T => {
      if (!NO_CHANGE.test(sql)) this.done.push(`${statement.toString().trim().replace(/;$/, "")};`);
      return result;
    };
    return {
      reader: statement.columnNames.length > 0,
      all: (values) => noted(statement.all(...bound(values))),
      run: (values) => noted(statement.run(...bound(values))),
      iterate: (values) => statement.iterate(...bound(values)),
    };
  }

  close(): void {
    this.raw.close();
  }
}

/** @throws when the text does not lead to the same database */
function checkSame(migrated: Database, text: string): void {
  const read = new Database(":memory:");
  try {
    read.run(text);
    if (contentOf(read) !== contentOf(migrated))
      throw new Error("the statements of the migration do not lead to what it did");
  } finally {
    read.close();
  }
}

function contentOf(db: Database): string {
  const schema = db.query("select name, sql from sqlite_master order by name").all();
  const counts = tablesOf(db).map((table) => db.query(`select count(*), '${table}' from ${table}`).values());
  return JSON.stringify([schema, counts]);
}
