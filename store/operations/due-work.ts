import { sql } from "kysely";
import type { Database } from "../database/index.ts";
import { LONGEST_LEASE_MS } from "../runs/index.ts";
import type { Instant } from "../schema/index.ts";

/**
 * When somebody has to look next, whatever nobody told of: for runs, crons, deliveries and leases that are over. One
 * statement, for it is asked every second. Null where nothing waits for its time; a time that is over is due.
 */
export async function dueWork(db: Database): Promise<Instant | null> {
  const farthest = db.clock.now() + LONGEST_LEASE_MS;
  const { rows } = await sql<{ at: Instant | null }>`
    select min(at) as at from (
      select min(not_before) as at from runs where status = 'pending'
      union all select min(lease_until) from runs where status = 'running'
      union all select 0 from runs where status = 'running' and lease_until > ${farthest}
      union all select min(next_run_at) from crons where next_run_at is not null
      union all select min(due_at) from deliveries where state = 'queued'
      union all select min(lease_until) from deliveries where state = 'leased'
      union all select 0 from deliveries where state = 'leased' and lease_until > ${farthest}
      union all select min(lease_until) from engine_runs where status = 'running'
      union all select 0 from engine_runs where status = 'running' and lease_until > ${farthest}
      union all select min(at) from forgotten_threads where pending = 1
    ) as waiting`.execute(db.read);
  const at = rows[0]?.at ?? null;
  return at === null ? null : Number(at);
}
