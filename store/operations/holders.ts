import { Database as BunDatabase } from "bun:sqlite";
import { hasTable } from "../database/index.ts";

/** By table: what a process that is elsewhere, or long gone, holds in it. */
const STATEMENTS: [table: string, statement: string][] = [
  ["runs", "update runs set lease_until = 0 where status = 'running'"],
  ["control_lease", "delete from control_lease"],
  ["members", "delete from members"],
  // Somebody else's process may have such a number here.
  [
    "instances",
    `update instances set pid = null, pid_started = null, container = null, port = null, retry_at = null,
      log_offset = 0 where state = 'serving'`,
  ],
  [
    "instances",
    `update instances set state = 'gone', pid = null, pid_started = null, container = null, port = null,
      exit = 'restored' where state not in ('serving', 'gone')`,
  ],
  [
    "revisions",
    "update revisions set step = json_set(step, '$.child', null) where json_extract(step, '$.child') is not null",
  ],
  ["engine_runs", "update engine_runs set lease_until = 0 where status = 'running'"],
  ["deliveries", "update deliveries set lease_until = 0 where state = 'leased'"],
];

/**
 * Takes from a database that was copied whatever says which process is at what: the copy belongs to nobody yet, and
 * the next start takes up runs, scans, deliveries and deployments at once.
 */
export function forgetHolders(file: string): void {
  const db = new BunDatabase(file, { readwrite: true });
  try {
    db.transaction(() => {
      for (const [table, statement] of STATEMENTS) if (hasTable(db, table)) db.run(statement);
    })();
  } finally {
    db.close();
  }
}

/** Notes in a database that was copied that these revisions have no build any more: there is no way back to them. */
export function forgetBuilds(file: string, revisionIds: readonly string[]): void {
  const db = new BunDatabase(file, { readwrite: true });
  try {
    const forget = db.query("update revisions set build = null, build_kept = 0 where id = ?");
    db.transaction(() => {
      for (const id of revisionIds) forget.run(id);
    })();
  } finally {
    db.close();
  }
}
