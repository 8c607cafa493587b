import { type Kysely, sql } from "kysely";

/** What changed last in a workspace is found at once: whoever watches is told of it. */
const statements = [
  `create index issues_changed on issues (workspace_id, updated_at)`,
  `create index deliveries_changed on deliveries (workspace_id, updated_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
