import { type Kysely, sql } from "kysely";

/**
 * The tables of the Agent Server. Plain SQL that SQLite and Postgres read alike: ids, JSON and enums are
 * text, times are milliseconds in a bigint. `schema.ts` says what each column means.
 */
const statements = [
  `create table workspaces (id text primary key, name text not null, created_at bigint not null)`,

  `create table api_keys (
    id text primary key,
    workspace_id text not null references workspaces (id),
    name text not null,
    hash text not null,
    hint text not null,
    created_at bigint not null,
    last_used_at bigint
  )`,
  `create unique index api_keys_hash on api_keys (hash)`,

  `create table assistants (
    assistant_id text primary key,
    graph_id text not null,
    name text not null,
    name_folded text not null,
    description text,
    version bigint not null,
    config text not null,
    context text not null,
    metadata text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create index assistants_created on assistants (created_at, assistant_id)`,
  `create index assistants_graph on assistants (graph_id)`,

  `create table assistant_versions (
    assistant_id text not null,
    version bigint not null,
    graph_id text not null,
    name text not null,
    description text,
    config text not null,
    context text not null,
    metadata text not null,
    created_at bigint not null,
    primary key (assistant_id, version)
  )`,

  `create table threads (
    thread_id text primary key,
    created_at bigint not null,
    updated_at bigint not null,
    state_updated_at bigint,
    status text not null,
    metadata text not null,
    config text not null,
    interrupts text not null,
    error text,
    last_seq bigint not null default 0
  )`,
  `create index threads_created on threads (created_at, thread_id)`,
  `create index threads_updated on threads (updated_at, thread_id)`,
  `create index threads_state_updated on threads (state_updated_at, thread_id)`,
  `create index threads_status on threads (status, updated_at, thread_id)`,

  `create table runs (
    run_id text primary key,
    thread_id text not null,
    assistant_id text not null,
    created_at bigint not null,
    updated_at bigint not null,
    status text not null,
    metadata text not null,
    kwargs text not null,
    multitask_strategy text not null,
    not_before bigint not null,
    attempt bigint not null,
    lease_owner text,
    lease_until bigint,
    cancel text,
    on_completion text,
    ended_at bigint,
    events_until bigint
  )`,
  `create index runs_thread on runs (thread_id, created_at, run_id)`,
  `create index runs_assistant on runs (assistant_id)`,
  `create index runs_inflight on runs (thread_id, status, not_before) where status in ('pending', 'running')`,
  `create index runs_leased on runs (lease_until) where status = 'running'`,
  `create index runs_pending on runs (not_before, run_id) where status = 'pending'`,
  `create index runs_events_until on runs (events_until) where events_until is not null`,

  `create table events (
    thread_id text not null,
    run_id text not null,
    first_seq bigint not null,
    last_seq bigint not null,
    at bigint not null,
    body text not null,
    primary key (thread_id, last_seq)
  )`,
  `create index events_run on events (run_id, last_seq)`,

  `create table items (
    namespace text not null,
    key text not null,
    value text not null,
    created_at bigint not null,
    updated_at bigint not null,
    ttl_minutes double precision,
    expires_at bigint,
    primary key (namespace, key)
  )`,
  `create index items_updated on items (updated_at desc, namespace, key)`,
  `create index items_recent on items (namespace, updated_at desc, key)`,
  `create index items_expires on items (expires_at) where expires_at is not null`,

  `create table checkpoints (
    thread_id text not null,
    ns text not null,
    checkpoint_id text not null,
    parent_id text,
    run_id text,
    checkpoint text not null,
    metadata text not null,
    primary key (thread_id, ns, checkpoint_id)
  )`,
  `create index checkpoints_run on checkpoints (run_id) where run_id is not null`,

  `create table channel_values (
    thread_id text not null,
    ns text not null,
    channel text not null,
    version text not null,
    type text not null,
    value text not null,
    length bigint,
    primary key (thread_id, ns, channel, version)
  )`,

  `create table list_chunks (
    thread_id text not null,
    list_id text not null,
    start bigint not null,
    count bigint not null,
    tag text not null,
    value text not null,
    primary key (thread_id, list_id, start)
  )`,

  `create table checkpoint_writes (
    thread_id text not null,
    ns text not null,
    checkpoint_id text not null,
    task_id text not null,
    idx bigint not null,
    channel text not null,
    type text not null,
    value text not null,
    task_path text not null,
    primary key (thread_id, ns, checkpoint_id, task_id, idx)
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
