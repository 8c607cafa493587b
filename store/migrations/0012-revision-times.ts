import { type Kysely, sql } from "kysely";

/** When work on a revision last began: when it was made, had its turn, or was deployed again. */
const statements = [
  `alter table revisions add column began_at bigint`,
  // Of those that were deployed several times nobody knows any more.
  `update revisions set began_at = created_at`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
