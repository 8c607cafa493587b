import { type Kysely, sql } from "kysely";

/** Threads that were deleted: what traces of before say of them goes, also what comes later. */
const statements = [
  `create table forgotten_threads (
    thread_id text not null,
    workspace_id text not null,
    session_id text not null,
    at bigint not null,
    pending integer not null,
    unshipped integer not null,
    primary key (thread_id, workspace_id, session_id)
  )`,
  `create index forgotten_threads_pending on forgotten_threads (at) where pending = 1`,
  `create index forgotten_threads_unshipped on forgotten_threads (at) where unshipped = 1`,
  `create index forgotten_threads_at on forgotten_threads (at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
