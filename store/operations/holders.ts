import { changing, type DatabaseLook } from "./database-look.ts";

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
  ["engine_runs", "update engine_runs set lease_until = 0 where status = 'running'"],
  ["deliveries", "update deliveries set lease_until = 0 where state = 'leased'"],
];

/**
 * Takes from a database that was copied whatever says which process is at what: the copy belongs to nobody yet, and
 * the next start takes up runs, scans, deliveries and deployments at once.
 * @param url as for `openDatabase`
 */
export const forgetHolders = (url: string): Promise<void> =>
  changing(url, async (database) => {
    for (const [table, statement] of STATEMENTS)
      if (await database.hasTable(table)) await database.rows(statement);
    if (await database.hasTable("revisions")) await forgetChildren(database);
  });

type Step = { id: string; step: string };

/** The processes that steps of revisions had started. */
async function forgetChildren(database: DatabaseLook): Promise<void> {
  for (const { id, step } of await database.rows<Step>(
    "select id, step from revisions where step is not null",
  )) {
    const said: Record<string, unknown> = JSON.parse(step);
    if ((said.child ?? null) === null) continue;
    const told = JSON.stringify({ ...said, child: null });
    await database.rows("update revisions set step = ? where id = ?", [told, id]);
  }
}

/** Notes in a database that was copied that these revisions have no build any more: there is no way back to them. */
export const forgetBuilds = (url: string, revisionIds: readonly string[]): Promise<void> =>
  changing(url, async (database) => {
    for (const id of revisionIds)
      await database.rows("update revisions set build = null, build_kept = 0 where id = ?", [id]);
  });
