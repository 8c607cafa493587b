import { type Kysely, sql } from "kysely";

/** Several instances of a deployment serve side by side: each has a number of its own, from 0. */
const statements = [
  `alter table instances add column replica bigint not null default 0`,
  `drop index instances_serving`,
  `create unique index instances_serving on instances (deployment_id, replica) where state = 'serving'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
