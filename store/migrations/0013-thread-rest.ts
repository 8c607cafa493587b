import { type Kysely, sql } from "kysely";

/** How a thread stands beside its runs, and what these leave on checkpoints of others: it is as before when they go. */
const statements = [
  `alter table threads add column rest_status text not null default 'idle'`,
  `update threads set rest_status = case when status <> 'busy' then status when error is not null then 'error' when interrupts <> '{}' then 'interrupted' else 'idle' end where status <> 'idle'`,
  // Runs that ended without their process said nothing of the state that they left.
  `update threads set state_updated_at = updated_at where state_updated_at is null and status <> 'busy' and exists (select 1 from checkpoints where checkpoints.thread_id = threads.thread_id and checkpoints.ns = '')`,
  `alter table checkpoint_writes add column run_id text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
