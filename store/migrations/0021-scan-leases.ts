import { type Kysely, sql } from "kysely";

/** A scan belongs to a process as a run does, and goes on in another one: whose it is, and what it could not look at. */
const statements = [
  `alter table engine_runs add column lease_owner text`,
  `alter table engine_runs add column attempt bigint not null default 1`,
  `alter table engine_runs add column faults bigint not null default 0`,
  `alter table engine_runs add column fault text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
