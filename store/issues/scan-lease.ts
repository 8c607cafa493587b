import { sql } from "kysely";
import type { Tx } from "../database/index.ts";
import { type Lease, LeaseLost } from "../runs/index.ts";
import type { EngineRunRow, Instant } from "../schema/index.ts";

/** A process's claim on one attempt of a scan. */
export type ScanHold = { id: string; owner: string; attempt: number };

const LONGEST_ERROR = 4_000;

type Counted = "scanned" | "findings" | "opened" | "linked" | "reopened" | "unreadable" | "faults" | "fault";

/** What a part of a scan came to. */
type ScanCounts = { [Key in Counted]?: EngineRunRow[Key] | undefined };

/** Takes up a scan whose lease is over, as its next attempt. */
export async function takeUpScan(
  tx: Tx,
  { id, run_id }: Pick<EngineRunRow, "id" | "run_id">,
  lease: Lease,
): Promise<EngineRunRow> {
  return tx
    .updateTable("engine_runs")
    .set({
      attempt: sql`attempt + 1`,
      lease_owner: lease.owner,
      lease_until: lease.until,
      run_id: run_id ?? Bun.randomUUIDv7(),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Pushes back the end of a lease. @returns whether it was still held */
export async function renewScan(tx: Tx, hold: ScanHold, until: Instant): Promise<boolean> {
  const renewed = await held(tx, hold).set({ lease_until: until }).returning("id").executeTakeFirst();
  return renewed !== undefined;
}

/** Hands a scan back unharmed: that attempt does not count, and whoever comes first goes on with it. */
export async function releaseScan(tx: Tx, hold: ScanHold): Promise<void> {
  await held(tx, hold)
    .set({ lease_owner: null, lease_until: 0, attempt: hold.attempt - 1 })
    .execute();
}

/** Ends a scan. @returns undefined when it was not held any more */
export function endScan(
  tx: Tx,
  hold: ScanHold,
  how: Pick<EngineRunRow, "status" | "error_message" | "ended_at">,
): Promise<EngineRunRow | undefined> {
  return held(tx, hold).set(how).returningAll().executeTakeFirst();
}

/**
 * Counts what an attempt did, which fences the transaction that it is a part of.
 * @throws LeaseLost the scan is over, or somebody else's
 */
export async function countScan(tx: Tx, hold: ScanHold, did: ScanCounts): Promise<void> {
  const { scanned = 0, findings = 0, opened = 0, linked = 0, reopened = 0, unreadable = 0 } = did;
  const { faults = 0, fault = null } = did;
  const row = await held(tx, hold)
    .set({
      scanned: sql`scanned + ${scanned}`,
      findings: sql`findings + ${findings}`,
      opened: sql`opened + ${opened}`,
      linked: sql`linked + ${linked}`,
      reopened: sql`reopened + ${reopened}`,
      unreadable: sql`unreadable + ${unreadable}`,
      faults: sql`faults + ${faults}`,
      ...(fault !== null && { fault: sql<string>`coalesce(fault, ${errorText(fault)})` }),
    })
    .returning("id")
    .executeTakeFirst();
  if (!row) throw new LeaseLost(`scan ${hold.id} is no longer held by attempt ${hold.attempt}`);
}

/** As much of an error as is kept, in what every database takes. */
export const errorText = (text: string): string =>
  text.slice(0, LONGEST_ERROR).toWellFormed().replaceAll("\0", "\uFFFD");

const held = (tx: Tx, { id, owner, attempt }: ScanHold) =>
  tx
    .updateTable("engine_runs")
    .where("id", "=", id)
    .where("status", "=", sql.lit("running"))
    .where("lease_owner", "=", owner)
    .where("attempt", "=", attempt);
