import { type Kysely, sql } from "kysely";

/** Runs that go on with a task say so, and an assistant's runs are found by their last change. */
const statements = [
  `alter table runs add column task_id text`,
  `create index runs_task on runs (task_id, created_at, run_id) where task_id is not null`,
  `create index runs_changed on runs (assistant_id, updated_at, run_id)`,
  // The new one begins with the same column.
  `drop index runs_assistant`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
