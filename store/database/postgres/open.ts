import type { SQL } from "bun";
import { Kysely } from "kysely";
import { migrate } from "../../migrations/index.ts";
import type { Schema } from "../../schema/index.ts";
import { ensureDefaultWorkspace } from "../default-workspace.ts";
import { answersDirectly } from "../prepared.ts";
import { GroupWriter } from "../writer.ts";
import { APPLICATION, isBeingCopied } from "./alone.ts";
import { connect, poolDialect, query, type Retry } from "./connection.ts";
import { DatabaseClock } from "./database-clock.ts";
import { failureOf, sqlState } from "./failure.ts";
import { Lanes } from "./lanes.ts";
import { Outage } from "./outage.ts";
import { Pokes } from "./pokes.ts";

const READERS = 8;
const WRITERS = 4;
/** A process that stands still in the middle of a write loses it, so that its locks stop nobody else for longer. */
const STANDS_STILL_MS = 3_000;
/** Of what only reads, or builds an index, a database that is closed waits no longer for the end. */
const READ_SECONDS = 2;

/** SQLSTATE of a user or a password that is not taken, of a database that is not there, and of one that may not be used. */
const NO_ENTRY = /^(28...|3D000|42501)$/;

/** The oldest version that has all that is used here. */
const OLDEST = 14;

/** What the server is, and cannot be. */
export class UnusableServer extends Error {
  override name = "UnusableServer";
}

const pool = (url: string, max: number, parameters: Record<string, string> = {}): SQL =>
  connect(url, { application: APPLICATION, max, parameters });

/**
 * Opens (migrates) a database on a Postgres server.
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @throws UnusableServer | NewerSchema
 */
export async function openServer(url: string) {
  const readers = pool(url, READERS);
  const writers = pool(url, WRITERS, { idle_in_transaction_session_timeout: String(STANDS_STILL_MS) });
  const one = () => pool(url, 1);
  const clock = new DatabaseClock(readers);
  const outage = new Outage(readers);
  const read = readThrough(readers, outage);
  const close = async () => {
    outage.close();
    clock.close();
    await Promise.all([readers.close({ timeout: READ_SECONDS }), writers.close()]);
  };
  const pokes = new Pokes(one, readers);
  try {
    await requireVersion(readers);
    if (await isBeingCopied(readers))
      throw new UnusableServer("the database is being copied (berth migrate --to): start when that is done");
    // On one connection: the lock of a migration belongs to the connection that took it.
    const alone = one();
    await migrate(readThrough(alone, outage)).finally(() => alone.close());
    await clock.measure();
    await outage.look();
    await ensureDefaultWorkspace(read, clock.now());
    await pokes.open();
  } catch (error) {
    await close().catch(() => undefined);
    if (failureOf(error) === "gone") throw new UnusableServer(`cannot reach the database: ${text(error)}`);
    throw NO_ENTRY.test(sqlState(error) ?? "")
      ? new UnusableServer(`cannot use the database: ${text(error)}`)
      : error;
  }
  const lanes = new Lanes(writers, outage, (how) => pokes.tell(how), WRITERS);
  const writer = new GroupWriter(lanes.transact, WRITERS);
  outage.watch = {
    isLate: (refusal) => writer.refuseImpatient(refusal),
    // Where that fails, the old one still tries by itself.
    isBack: () => void pokes.listenAgain().catch(() => undefined),
  };
  return {
    read,
    clock,
    pokes,
    write: writer.write.bind(writer),
    close: async () => {
      await writer.close();
      await pokes.close();
      await close();
    },
  };
}

/** Statements of readers are sent again after the database was away: they change nothing. */
function readThrough(readers: SQL, outage: Outage): Kysely<Schema> {
  const retry: Retry = (work) => outage.retried(work);
  const read = new Kysely<Schema>({ dialect: poolDialect(readers, retry) });
  answersDirectly(read, {
    query: async (text, parameters) => (await retry(() => query(readers, text, parameters))).rows,
  });
  return read;
}

async function requireVersion(readers: SQL): Promise<void> {
  const { rows } = await query(readers, "select current_setting('server_version_num')::int as number", []);
  const version = Math.floor(Number(rows[0]?.number) / 10_000);
  if (version < OLDEST)
    throw new UnusableServer(`the database is Postgres ${version}; Berth needs ${OLDEST} or later`);
}

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));
