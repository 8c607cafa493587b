import type { SQL } from "bun";
import { sql } from "kysely";
import { connectAlone, type Database, rowsFrom, UnusableDatabase } from "../database/index.ts";
import { type DatabaseLook, ofServer } from "./database-look.ts";

/** How much (bytes) a database on a server takes there. */
export async function databaseBytes(db: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
    db.read,
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** What a Postgres server says of itself, for whoever judges it. */
export type ServerFacts = {
  /** `15.18`, with what its makers add. */
  version: string;
  major: number;
  /** A copy of another server, which nobody writes to. */
  isStandby: boolean;
  /** Something in between gives each transaction another connection. */
  isPooledByTransaction: boolean;
  /** How far (ms) this machine's clock is ahead of the server's. */
  aheadMs: number;
  connections: { most: number; inUse: number };
  /** The transaction of this database that has been open for longest; null where nobody has one. */
  oldest: { who: string; ageMs: number } | null;
  /** Rows that nobody sees any more and that are still there, by table. */
  dead: { table: string; live: number; dead: number }[];
  /** What keeps old logs on the server's disk. */
  slots: { name: string; active: boolean; bytes: number }[];
  /** Settings without which a crash takes back what was acknowledged. */
  unsafe: string[];
};

/** Tables whose rows come and go all the time. */
const BUSY_TABLES = ["runs", "events", "deliveries", "threads"];
const CLOCK_LOOKS = 3;

/**
 * Asks a server how it does.
 * @param now what this machine takes for the time
 * @throws UnusableDatabase it does not answer
 */
export async function serverFacts(url: string, now: () => number): Promise<ServerFacts> {
  const [first, second] = [connectAlone(url, "berth-look"), connectAlone(url, "berth-look")];
  try {
    const isPooledByTransaction = await isPooled(first, second);
    const look = ofServer((text, given) => rowsFrom(first, text, given));
    const aheadMs = await clockAhead(look, now);
    return { isPooledByTransaction, aheadMs, ...(await factsFrom(look)) };
  } catch (error) {
    throw new UnusableDatabase(
      `the database does not answer: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    );
  } finally {
    await Promise.all([first.close({ timeout: 0 }), second.close({ timeout: 0 })]);
  }
}

async function factsFrom(look: DatabaseLook) {
  const [about] = await look.rows<About>(ABOUT);
  const [oldest] = await look.rows<{ who: string; age: number }>(OLDEST);
  const settings = await look.rows<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')",
  );
  const marks = BUSY_TABLES.map(() => "?").join(", ");
  return {
    version: about?.version ?? "",
    major: Math.floor((about?.number ?? 0) / 10_000),
    isStandby: about?.standby ?? false,
    connections: { most: about?.most ?? 0, inUse: about?.used ?? 0 },
    oldest: oldest ? { who: oldest.who, ageMs: oldest.age } : null,
    dead: await look.rows<ServerFacts["dead"][number]>(
      `select relname::text as table, n_live_tup as live, n_dead_tup as dead from pg_stat_user_tables
        where schemaname = current_schema() and relname in (${marks})`,
      BUSY_TABLES,
    ),
    slots: about?.standby ? [] : await look.rows<ServerFacts["slots"][number]>(SLOTS),
    unsafe: settings.filter(({ setting }) => setting === "off").map(({ name }) => name),
  };
}

type About = { version: string; number: number; standby: boolean; most: number; used: number };

/** Superusers have connections of their own, which are of no use to anybody else. */
const ABOUT = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int as number, pg_is_in_recovery() as standby,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`;

/** Those that were prepared outlive their connection. */
const OLDEST = `select who, (extract(epoch from clock_timestamp() - since) * 1000)::float8 as age from (
    select coalesce(nullif(application_name, ''), 'process ' || pid) || ', ' || coalesce(state, 'unknown') as who,
      xact_start as since from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
    union all
    select 'prepared transaction ' || gid, prepared from pg_prepared_xacts where database = current_database()
  ) as open order by since limit 1`;

const SLOTS = `select slot_name::text as name, active,
  coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as bytes from pg_replication_slots`;

/** The answer of the quickest of a few questions tells the most. */
async function clockAhead(look: DatabaseLook, now: () => number): Promise<number> {
  let best = { took: Number.POSITIVE_INFINITY, ahead: 0 };
  for (let at = 0; at < CLOCK_LOOKS; at += 1) {
    const [asked, begun] = [now(), performance.now()];
    const [told] = await look.rows<{ now: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now",
    );
    const took = performance.now() - begun;
    if (told && took < best.took) best = { took, ahead: asked + took / 2 - told.now };
  }
  return Math.round(best.ahead);
}

/**
 * A connection that is one has its own process at the server, whatever another one does meanwhile. Behind a pooler that
 * gives them out by transaction, the second gets that of the first, which is free between two of its statements.
 */
async function isPooled(first: SQL, second: SQL): Promise<boolean> {
  const process = async (sql: Pick<SQL, "unsafe">) =>
    (await sql.unsafe("select pg_backend_pid() as pid"))[0]?.pid;
  const [one, other] = [await first.reserve(), await second.reserve()];
  const before = await process(one);
  await other.unsafe("begin");
  const between = await process(other);
  // It would wait for a pool of one.
  const after = between === before ? undefined : await process(one);
  await other.unsafe("rollback");
  one.release();
  other.release();
  return after !== before;
}
