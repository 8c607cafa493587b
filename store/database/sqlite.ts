import { Database as BunDatabase, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { statSync } from "node:fs";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
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
const READ_CONNECTIONS = 2;

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

/** Readers need no mutex: each statement is synchronous, and none of them holds a transaction open. */
class ReaderAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ReaderDriver implements Driver {
  readonly #drivers: SqliteDriver[];
  #turn = 0;

  constructor(readonly connections: readonly CachedConnection[]) {
    this.#drivers = connections.map((database) => new SqliteDriver({ database }));
  }

  async init(): Promise<void> {
    for (const driver of this.#drivers) await driver.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#turn = (this.#turn + 1) % this.#drivers.length;
    const driver = this.#drivers[this.#turn];
    if (!driver) throw new Error("no read connection");
    return driver.acquireConnection();
  }

  async beginTransaction(): Promise<void> {
    throw new Error("read connections take no transactions: use Database.write");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    for (const driver of this.#drivers) await driver.destroy();
  }
}

export type SqliteConnections = {
  writer: Dialect;
  writerConnection: DirectConnection;
  reader: Dialect;
  readerConnection: DirectConnection;
  /** Closes the readers: Kysely does so only where it has asked them something. */
  closeReaders: () => void;
  /** Changes when another connection, so another process too, has committed; the writer's own commits do not count. */
  foreignVersion: () => number;
  /** Moves what the log holds into the file, which then ends where its pages end; says whether all of it went. */
  checkpoint: () => boolean;
};

/**
 * Opens one writer and a few read-only connections on a database file.
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
  return {
    ...openSqliteReader(path),
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
    checkpoint: () => checkpointed(writerConnection),
  };
}

/** Waits for nobody: whoever reads what is older holds it up. */
function checkpointed(connection: DirectConnection): boolean {
  if (connection.inTransaction()) return false;
  const [row] = connection.query("pragma wal_checkpoint(passive)", []) as Record<string, number>[];
  return row !== undefined && row.busy === 0 && row.log === row.checkpointed;
}

/** Opens the read-only connections on a database file that is there. */
export function openSqliteReader(
  path: string,
): Pick<SqliteConnections, "reader" | "readerConnection" | "closeReaders"> {
  const readers = openReaders(path);
  return {
    closeReaders: () => {
      for (const reader of readers) reader.close();
    },
    readerConnection: turns(readers),
    reader: {
      createAdapter: () => new ReaderAdapter(),
      createDriver: () => new ReaderDriver(readers),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  };
}

function openReaders(path: string): CachedConnection[] {
  return Array.from({ length: READ_CONNECTIONS }, () => {
    const reader = new BunDatabase(path, { readonly: true });
    reader.run("pragma busy_timeout = 10000");
    reader.run("pragma cache_size = -8000");
    return new CachedConnection(reader);
  });
}

/** Takes the connections in turn, as {@link ReaderDriver} does. */
function turns(connections: CachedConnection[]): DirectConnection {
  let turn = 0;
  const next = () => {
    turn = (turn + 1) % connections.length;
    const connection = connections[turn];
    if (!connection) throw new Error("no read connection");
    return connection;
  };
  return {
    query: (sql, parameters) => next().query(sql, parameters),
    run: (sql) => next().run(sql),
    inTransaction: () => false,
  };
}

/** Whether a database has a table: an older one may not. */
export function hasTable(db: BunDatabase, name: string): boolean {
  return db.query("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== null;
}
