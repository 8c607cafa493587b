import { type Kysely, sql } from "kysely";

/** An instance that nobody asks may sleep: since when, and when it has something to do. */
const statements = [
  `alter table instances add column asleep_since bigint`,
  `alter table instances add column wake_at bigint`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
