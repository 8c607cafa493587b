import { type Kysely, sql } from "kysely";

/**
 * Several machines share one database: where an instance runs, how the others reach the Berth that runs it, the
 * archives that each of them may need, and the database of each deployment.
 */
const statements = [
  `alter table instances add column place text`,
  `alter table control_lease add column address text`,
  `create table upload_chunks (
    upload_id text not null,
    number bigint not null,
    bytes bytea not null,
    primary key (upload_id, number)
  )`,
  `create table deployment_databases (
    id text primary key,
    name text not null,
    secrets text not null,
    created_at bigint not null
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
