import { type Kysely, sql } from "kysely";

/** What a deployment or a revision was right after a change; of earlier changes nobody knows any more. */
const statements = [`alter table changes add column state text`];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
