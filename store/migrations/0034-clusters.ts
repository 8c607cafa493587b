import { type Kysely, sql } from "kysely";

/** Clusters that Berth deploys into itself: how it gets in, how it reaches what runs there, and how they are. */
const statements = [
  "alter table listeners add column credentials text",
  "alter table listeners add column reach text",
  "alter table listeners add column health text",
  "alter table listeners add column checked_at bigint",
  "alter table revisions add column in_cluster integer not null default 0",
  "alter table instances add column address text",
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
