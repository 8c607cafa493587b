import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { type Dialect, Kysely } from "kysely";
import { type Clock, systemClock } from "../clock.ts";
import { migrate } from "../migrations/index.ts";
import type { Schema } from "../schema/index.ts";
import { ensureDefaultWorkspace } from "./default-workspace.ts";
import { postgres, type SqlDialect, sqlite } from "./dialect.ts";
import { emptiedFault } from "./emptied-file.ts";
import { beginWrite } from "./file-lock.ts";
import { FileWatch } from "./file-watch.ts";
import { type Changed, openServer, UnusableServer } from "./postgres/index.ts";
import { answersDirectly } from "./prepared.ts";
import { claimDatabaseFile, makePrivateFolder } from "./private-files.ts";
import { type DirectConnection, openSqliteFile } from "./sqlite.ts";
import {
  type DatabaseAway,
  GroupWriter,
  type Transact,
  type Tx,
  type Work,
  type WriteOrder,
} from "./writer.ts";

export type { Tx, Work, WriteOrder } from "./writer.ts";

/** Reads see what is committed; writes go through one group-committing writer. */
export interface Database {
  readonly sql: SqlDialect;
  readonly read: Kysely<Schema>;
  /** What all processes of the database go by. */
  readonly clock: Clock;
  /**
   * Runs `work` in a write transaction shared with its neighbours; resolves after the commit.
   * @throws Unavailable when the database went away and does not come back in time
   */
  write<T>(work: Work<T>, how?: WriteOrder): Promise<T>;
  /** A number that changes when somebody outside this process may have committed something. */
  foreignVersion(): number;
  /** Whether `onForeign` calls back as soon as another process commits; otherwise `foreignVersion` has to be polled. */
  notifiesForeign(): boolean;
  /** Calls `heard` as soon as somebody outside commits, where the database tells; the answer ends it. */
  onForeign(heard: (changed: Changed) => void): () => void;
  /** Calls `heard` of other processes with these names, although nothing was committed; nobody hears where none tells. */
  tell(names: readonly string[]): void;
  /** Counts the commits of this process, and those that others told of; undefined where the database does not tell. */
  changes(): number | undefined;
  /** Whether another program holds the write lock of a database file, so that writes wait. */
  isLocked?(): boolean;
  /** Has a database file end where its pages end; says whether it does. A server sees to that itself. */
  checkpoint?(): boolean;
  /** Gives the memory back that holds pages of a database file. */
  forgetPages?(): void;
  close(): Promise<void>;
}

/** The data folder or the database file cannot be used; the message says which and why. */
export class UnusableDatabase extends Error {
  override name = "UnusableDatabase";
}

/**
 * Opens (creates, migrates) the database a URL names.
 * @param url `sqlite:path/to/file.db` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @throws UnusableDatabase | NewerSchema
 */
export async function openDatabase(url: string, clock: Clock = systemClock): Promise<Database> {
  if (isPostgresUrl(url)) return openOnServer(url);
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (!path) throw new UnusableDatabase(`DATABASE_URL must be sqlite:PATH, not ${url.split(":")[0]}:…`);
  const emptied = await emptiedFault(path);
  if (emptied !== undefined) throw new UnusableDatabase(emptied);
  const connections = openFile(path);
  const writer = new Kysely<Schema>({ dialect: connections.writer });
  try {
    await migrate(writer);
    await ensureDefaultWorkspace(writer, clock.now());
  } catch (error) {
    await writer.destroy();
    throw error;
  }
  const reader = new Kysely<Schema>({ dialect: connections.reader });
  answersDirectly(reader, connections.readerConnection);
  const { transact, release, commits } = await holdWriter(writer, connections.writerConnection, (refusal) =>
    group.refuseImpatient(refusal),
  );
  const group = new GroupWriter(transact);
  const { foreignVersion, checkpoint, forgetPages, isLocked } = connections;
  const fileWatch = new FileWatch(path, foreignVersion);
  const parts = {
    ...{ sql: sqlite, read: reader, clock, foreignVersion, checkpoint, forgetPages, isLocked },
    notifiesForeign: () => fileWatch.isOpen,
    onForeign: (heard: (changed: Changed) => void) => fileWatch.subscribe(heard),
    changes: () => changesOf(commits, foreignVersion),
  };
  return assemble(parts, group, async () => {
    fileWatch.close();
    release();
    await reader.destroy();
    connections.closeReader();
    await writer.destroy();
  });
}

/** Both only grow. Undefined while another program keeps the file from being read. */
function changesOf(commits: () => number, foreignVersion: () => number): number | undefined {
  try {
    return commits() + foreignVersion();
  } catch {
    return undefined;
  }
}

/** Whether a URL names a database on a Postgres server. */
export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:/.test(url);

async function openOnServer(url: string): Promise<Database> {
  const server = await openServer(url).catch((error) => {
    throw error instanceof UnusableServer ? new UnusableDatabase(error.message) : error;
  });
  return {
    ...server,
    sql: postgres,
    // Whoever listens is told.
    foreignVersion: () => 0,
    onForeign: (heard) => server.pokes.listen(heard),
    tell: (names) => server.pokes.tell({ scope: names }),
    notifiesForeign: () => true,
    changes: () => server.pokes.changes,
  };
}

/**
 * Keeps the one write connection for good: nobody else writes in this process, so each transaction is just
 * `begin` and `commit` on it, without a new Kysely transaction around them.
 */
async function holdWriter(
  writer: Kysely<Schema>,
  connection: DirectConnection,
  onTimeout: (refusal: DatabaseAway) => void,
) {
  const released = Promise.withResolvers<void>();
  const tx = await new Promise<Tx>((resolve, reject) => {
    writer
      .connection()
      .execute((held) => {
        resolve(held);
        return released.promise;
      })
      .catch(reject);
  });
  answersDirectly(tx, connection);
  const rowsWritten = () => Number(Object.values(connection.query("select total_changes()", [])[0] ?? {})[0]);
  let written = rowsWritten();
  let commits = 0;
  // From here on `beginWrite` waits for locks: SQLite's busy handler would block the event loop.
  connection.query("pragma busy_timeout = 0", []);
  // Immediate: a deferred transaction that reads first fails with SQLITE_BUSY under a second process.
  const begin = () => connection.run("begin immediate");
  const transact: Transact = async (body, { patienceMs }) => {
    await beginWrite({ begin, patienceMs, onTimeout });
    try {
      const result = await body(tx);
      connection.run("commit");
      const now = rowsWritten();
      if (now !== written) commits += 1;
      written = now;
      return result;
    } catch (error) {
      // SQLite ends a transaction itself when the disk is full or the commit fails.
      if (connection.inTransaction()) connection.run("rollback");
      throw error;
    }
  };
  return { transact, release: released.resolve, commits: () => commits };
}

const tellsNobody = {
  notifiesForeign: () => false,
  onForeign: () => () => undefined,
  tell: () => undefined,
  changes: () => undefined,
};

/** A database behind any Postgres dialect of Kysely's; both sides share its connections. */
export async function openPostgres(dialect: Dialect, clock: Clock = systemClock): Promise<Database> {
  const db = new Kysely<Schema>({ dialect });
  await migrate(db);
  await ensureDefaultWorkspace(db, clock.now());
  let polls = 0;
  const transact: Transact = (body) => db.transaction().execute(body);
  const parts = { sql: postgres, read: db, clock, foreignVersion: () => ++polls };
  return assemble(parts, new GroupWriter(transact), () => db.destroy());
}

function openFile(path: string) {
  try {
    makePrivateFolder(dirname(path));
    accessSync(dirname(path), constants.R_OK | constants.W_OK);
    claimDatabaseFile(path);
    return openSqliteFile(path);
  } catch (error) {
    throw new UnusableDatabase(`cannot use the database ${path}: ${reason(error, dirname(path))}`);
  }
}

function reason(error: unknown, folder: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EEXIST" || code === "ENOTDIR") return `${folder} is a file, not a folder`;
  if (code === "EACCES" || code === "EROFS") return `this user may not write in ${folder}`;
  return error instanceof Error ? error.message : String(error);
}

function assemble(
  parts: Omit<Database, "write" | "tell" | "notifiesForeign" | "onForeign" | "changes" | "close"> &
    Partial<Pick<Database, "notifiesForeign" | "onForeign" | "changes">>,
  group: GroupWriter,
  destroy: () => Promise<void>,
): Database {
  return {
    ...tellsNobody,
    ...parts,
    // SQLite has a single writer, so that scopes would only split groups.
    write: (work, { patienceMs } = {}) => group.write(work, patienceMs === undefined ? {} : { patienceMs }),
    close: async () => {
      await group.close();
      await destroy();
    },
  };
}
