import { type Kysely, sql } from "kysely";

/** Who made revisions and keys, and who deleted what. */
const statements = [
  `alter table revisions add column created_by text`,
  `alter table revisions add column deployed_by text`,
  `alter table api_keys add column created_by text`,
  `create table deletions (
    id text primary key,
    workspace_id text not null,
    kind text not null,
    target_id text not null,
    name text not null,
    at bigint not null,
    deleted_by text
  )`,
  `create index deletions_workspace on deletions (workspace_id, at, id)`,
  `create index deletions_at on deletions (at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
