import { type Kysely, sql } from "kysely";

/** The processes that share a database on a server; each renews its row. */
const statements = [
  `create table members (
    id text primary key,
    place text not null,
    host text not null,
    pid bigint not null,
    version text not null,
    roles text not null,
    running bigint not null,
    started_at bigint not null,
    seen_at bigint not null
  )`,
  `create index members_seen on members (seen_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
