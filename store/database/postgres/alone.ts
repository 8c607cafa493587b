import type { ReservedSQL, SQL } from "bun";
import { connect, query } from "./connection.ts";
import { lockNumber } from "./lanes.ts";

/** By what name a server's list of connections has those of a Berth. */
export const APPLICATION = "berth";
const COPY_LOCK = lockNumber("copy");
const LEAVE_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** One connection of its own, for what is done by hand; the name tells it from those of a Berth that runs. */
export const connectAlone = (
  url: string,
  application: string,
  parameters: Record<string, string> = {},
): SQL => connect(url, { application, max: 1, parameters });

/**
 * Takes a database for a copy, as long as the connection lasts. A Berth connects first and asks for the lock then
 * ({@link isBeingCopied}); here the lock comes first and the look at the connections then: one of the two sees the other.
 * @returns why that cannot be: the beginning of a line that the database's name ends
 */
export async function lockForCopy(sql: ReservedSQL): Promise<string | undefined> {
  const [lock] = await sql.unsafe("select pg_try_advisory_lock($1) as taken", [COPY_LOCK]);
  if (lock?.taken !== true) return "another copy is under way at";
  const isAlone = async () => Number((await sql.unsafe(BERTHS))[0]?.count) === 0;
  return (await soon(isAlone)) ? undefined : "a Berth runs on";
}

/** Whether it holds, now or in a moment: a server keeps what a connection had until it has noticed its end. */
async function soon(holds: () => Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + LEAVE_MS; ; await Bun.sleep(LOOK_EVERY_MS)) {
    if (await holds()) return true;
    if (performance.now() > until) return false;
  }
}

const BERTHS = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name = '${APPLICATION}'`;

/** Whether somebody copies the database right now; asked by a Berth that is connected. */
export async function isBeingCopied(sql: SQL): Promise<boolean> {
  const text = `select case when pg_try_advisory_lock_shared($1) then pg_advisory_unlock_shared($1) else false end as free`;
  const isFree = async () => (await sql.unsafe(text, [COPY_LOCK]))[0]?.free === true;
  return !(await soon(isFree));
}

/** The rows of a statement, with numbers as numbers. */
export async function rowsFrom(
  sql: SQL | ReservedSQL,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  return (await query(sql, text, parameters)).rows;
}
