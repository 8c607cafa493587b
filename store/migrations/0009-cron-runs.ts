import { type Kysely, sql } from "kysely";

/** The newest run of each cron. */
const statements = [
  `alter table crons add column last_run_id text`,
  `alter table crons add column last_run_at bigint`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
