import { Database as BunDatabase, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { statSync } from "node:fs";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";

/** A connection that answers in the same breath; SQLite has one, a database behind a socket has not. */
export type DirectConnection = {
  query(sql: string, parameters: readonly unknown[]): unknown[];
  run(sql: string): void;
  inTransaction(): boolean;
};

const CACHED_STATEMENTS = 256;

/**
 * Gives a `bun:sqlite` connection the shape Kysely's own SQLite driver wants, with prepared statements
 * kept in an LRU: `Database.query` keeps only 20 texts and never frees evicted ones (bun#42747).
 */
class CachedConnection implements SqliteDatabase {
  readonly #statements = new Map<string, SqliteStatement & { finalize(): void }>();

  constructor(readonly raw: BunDatabase) {}

  prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known) {
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const statement = adapt(this.raw.prepare(sql));
    this.#statements.set(sql, statement);
    if (this.#statements.size > CACHED_STATEMENTS) this.#evictOldest();
    return statement;
  }

  /** Runs a statement now; the rows it gives, none for a write. */
  query(sql: string, parameters: readonly unknown[]): unknown[] {
    const statement = this.prepare(sql);
    if (statement.reader) return statement.all(parameters);
    statement.run(parameters);
    return [];
  }

  run(sql: string): void {
    this.prepare(sql).run([]);
  }

  inTransaction(): boolean {
    return this.raw.inTransaction;
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.raw.close();
  }

  #evictOldest(): void {
    for (const [sql, statement] of this.#statements) {
      this.#statements.delete(sql);
      statement.finalize();
      return;
    }
  }
}

function adapt(statement: Statement): SqliteStatement & { finalize(): void } {
  const bind = (parameters: readonly unknown[]) => parameters as SQLQueryBindings[];
  return {
    reader: statement.columnNames.length > 0,
    all: (parameters) => statement.all(...bind(parameters)),
    run: (parameters) => statement.run(...bind(parameters)),
    iterate: (parameters) => statement.iterate(...bind(parameters)),
    finalize: () => statement.finalize(),
  };
}

/** Kysely thinks otherwise, but SQLite rolls back schema changes too: a migration is done whole, once, or not at all. */
class WriterAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Takes the lock when a transaction begins: of two processes that migrate at once, the second sees what the first did. */
class WriterDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

class ReaderDriver extends SqliteDriver {
  override async beginTransaction(): Promise<void> {
    throw new Error("the read connection takes no transactions: use Database.write");
  }
}

export type SqliteConnections = {
  writer: Dialect;
  writerConnection: DirectConnection;
  reader: Dialect;
  readerConnection: DirectConnection;
  /** Gives the memory back that holds pages of the file: they are read again when somebody asks for them. */
  forgetPages: () => void;
  /** Closes the reader: Kysely does so only where it has asked it something. */
  closeReader: () => void;
  /** Changes when another connection, so another process too, has committed; the writer's own commits do not count. */
  foreignVersion: () => number;
  /** Whether another program holds the write lock, so that a write would wait. */
  isLocked: () => boolean;
  /** Moves what the log holds into the file, which then ends where its pages end; says whether all of it went. */
  checkpoint: () => boolean;
};

/**
 * Opens a writer and a read-only connection on a database file: statements are synchronous, so more would do nothing more.
 * @param path the file; its folder must exist
 */
export function openSqliteFile(path: string): SqliteConnections {
  const isNew = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  const writer = new BunDatabase(path, { create: true, readwrite: true });
  // busy_timeout first: another process may be switching the file to WAL at this moment.
  for (const pragma of [
    "busy_timeout = 10000",
    // Before its first page: a file that has some gets it by `berth compact`.
    ...(isNew ? ["auto_vacuum = INCREMENTAL"] : []),
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    // Four times the default: a checkpoint syncs the disk, and a busy queue would otherwise do so many times a second.
    "wal_autocheckpoint = 4000",
    "journal_size_limit = 67108864",
    "cache_size = -16000",
    "temp_store = MEMORY",
  ]) {
    writer.run(`pragma ${pragma}`);
  }
  const writerConnection = new CachedConnection(writer);
  const reader = openSqliteReader(path);
  return {
    ...reader,
    writer: {
      createAdapter: () => new WriterAdapter(),
      createDriver: () => new WriterDriver({ database: writerConnection }),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    writerConnection,
    // A statement of the connection's own: one that is left when it closes keeps the file locked.
    foreignVersion: () =>
      Number(Object.values(writerConnection.query("pragma data_version", [])[0] ?? {})[0]),
    isLocked: () => isLocked(writerConnection),
    checkpoint: () => checkpointed(writerConnection),
    forgetPages: () => {
      reader.forgetPages();
      writer.run("pragma shrink_memory");
    },
  };
}

/** Whether SQLite refused a statement because of another connection's lock: `SQLITE_BUSY` and its extended codes. */
export function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" && code.startsWith("SQLITE_BUSY");
}

function isLocked(connection: DirectConnection): boolean {
  if (connection.inTransaction()) return false;
  try {
    connection.run("begin immediate");
    connection.run("rollback");
    return false;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return true;
  }
}

/** Waits for nobody: whoever reads what is older holds it up. */
function checkpointed(connection: DirectConnection): boolean {
  if (connection.inTransaction()) return false;
  const [row] = connection.query("pragma wal_checkpoint(passive)", []) as Record<string, number>[];
  return row !== undefined && row.busy === 0 && row.log === row.checkpointed;
}

/** Opens the read-only connection on a database file that is there. */
function openSqliteReader(
  path: string,
): Pick<SqliteConnections, "reader" | "readerConnection" | "closeReader" | "forgetPages"> {
  const raw = new BunDatabase(path, { readonly: true });
  raw.run("pragma busy_timeout = 10000");
  raw.run("pragma cache_size = -8000");
  const readerConnection = new CachedConnection(raw);
  return {
    closeReader: () => readerConnection.close(),
    forgetPages: () => void raw.run("pragma shrink_memory"),
    readerConnection,
    reader: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new ReaderDriver({ database: readerConnection }),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  };
}

/** Whether a database has a table: an older one may not. */
export function hasTable(db: BunDatabase, name: string): boolean {
  return db.query("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== null;
}
