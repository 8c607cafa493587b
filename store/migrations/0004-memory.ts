import { type Kysely, sql } from "kysely";

/** Threads that end, and items that are found by what they mean. */
const statements = [
  `alter table threads add column ttl_strategy text`,
  `alter table threads add column ttl_minutes double precision`,
  `alter table threads add column ttl_expires_at bigint`,
  `create index threads_expire on threads (ttl_expires_at) where ttl_expires_at is not null`,

  `create table thread_labels (
    name text not null,
    value text not null,
    thread_id text not null,
    primary key (name, value, thread_id)
  )`,
  `create index thread_labels_thread on thread_labels (thread_id)`,

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
  await labelThreads(db);
}

const BATCH = 200;

/** The labels of threads that are there already: the scalars of their metadata, as `thread-labels.ts` writes them. */
async function labelThreads(db: Kysely<unknown>): Promise<void> {
  for (let after = ""; ; ) {
    const { rows } = await sql<{
      thread_id: string;
      metadata: string;
    }>`select thread_id, metadata from threads
      where thread_id > ${after} order by thread_id limit ${BATCH}`.execute(db);
    for (const { thread_id, metadata } of rows) {
      for (const [name, member] of Object.entries(JSON.parse(metadata))) {
        const value = JSON.stringify(member);
        if ((member !== null && typeof member === "object") || name.length + value.length > 256) continue;
        await sql`insert into thread_labels (name, value, thread_id) values (${name}, ${value}, ${thread_id})`.execute(
          db,
        );
      }
    }
    after = rows.at(-1)?.thread_id ?? "";
    if (rows.length < BATCH) return;
  }
}
