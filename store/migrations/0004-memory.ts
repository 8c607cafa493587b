import { type Kysely, sql } from "kysely";

/** Threads that end, and items that are found by what they mean. */
const statements = [
  `alter table threads add column ttl_strategy text`,
  `alter table threads add column ttl_minutes double precision`,
  `alter table threads add column ttl_expires_at bigint`,
  `create index threads_expire on threads (ttl_expires_at) where ttl_expires_at is not null`,

  // SQLite has no such type and keeps blobs as they are under any name; to Postgres this one says blob.
  `create table item_vectors (
    namespace text not null,
    key text not null,
    part bigint not null,
    seq bigint not null,
    model text not null,
    vector bytea not null,
    primary key (namespace, key, part)
  )`,
  `create unique index item_vectors_seq on item_vectors (seq)`,
  `create table vector_counter (last_seq bigint not null)`,
  `insert into vector_counter (last_seq) values (0)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
