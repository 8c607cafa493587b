import { type Kysely, sql } from "kysely";

/** What the control plane remembers: deployments and their revisions, instances, logs, uploads, changes and figures. */
const statements = [
  `alter table api_keys add column scope text not null default 'workspace'`,
  `create index api_keys_workspace on api_keys (workspace_id, created_at, id)`,

  `create table deployments (
    id text primary key,
    workspace_id text not null references workspaces (id),
    name text not null,
    source text not null,
    source_config text not null,
    secret_names text not null,
    secrets text not null,
    secret_references text,
    tracked_packages text,
    push_secret text not null,
    uid bigint not null,
    status text not null,
    latest_revision_id text,
    active_revision_id text,
    image_version text,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint
  )`,
  `create unique index deployments_name on deployments (workspace_id, name)`,
  `create unique index deployments_uid on deployments (uid)`,
  `create index deployments_created on deployments (workspace_id, created_at, id) where deleted_at is null`,
  `create index deployments_deleted on deployments (deleted_at) where deleted_at is not null`,
  `create index deployments_active on deployments (id)
    where active_revision_id is not null and deleted_at is null`,

  `create table revisions (
    id text primary key,
    deployment_id text not null,
    workspace_id text not null,
    number bigint not null,
    source text not null,
    config text not null,
    settings text not null,
    secrets text not null,
    status text not null,
    status_message text,
    status_since bigint not null,
    step text,
    build text,
    build_kept integer not null,
    image text,
    interrupt integer not null,
    remote_reconciled integer not null,
    created_at bigint not null,
    updated_at bigint not null,
    deployed_at bigint
  )`,
  `create unique index revisions_number on revisions (deployment_id, number)`,
  // One revision of a deployment is built or deployed at a time, whoever moves it.
  `create unique index revisions_busy on revisions (deployment_id)
    where status in ('AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING')`,
  `create index revisions_in_flight on revisions (created_at, id)
    where status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING')`,
  `create index revisions_kept on revisions (deployment_id, deployed_at, number) where build_kept = 1`,

  `create table instances (
    id text primary key,
    deployment_id text not null,
    revision_id text not null,
    driver text not null,
    state text not null,
    pid bigint,
    pid_started text,
    container text,
    port bigint,
    token text not null,
    restarts bigint not null,
    retry_at bigint,
    log_offset bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    exit text
  )`,
  `create index instances_deployment on instances (deployment_id, created_at, id)`,
  `create unique index instances_serving on instances (deployment_id) where state = 'serving'`,
  `create index instances_live on instances (created_at, id) where state <> 'gone'`,
  `create index instances_gone on instances (updated_at) where state = 'gone'`,

  `create table revision_logs (
    seq bigint primary key,
    deployment_id text not null,
    revision_id text not null,
    kind text not null,
    at bigint not null,
    level text not null,
    message text not null
  )`,
  `create index revision_logs_revision on revision_logs (deployment_id, revision_id, kind, seq)`,
  `create index revision_logs_deployment on revision_logs (deployment_id, kind, seq)`,
  `create index revision_logs_at on revision_logs (at)`,

  `create table uploads (
    id text primary key,
    workspace_id text not null,
    deployment_id text not null,
    object_path text not null,
    token_hash text not null,
    created_at bigint not null,
    expires_at bigint not null,
    opened_at bigint,
    received_at bigint,
    bytes bigint,
    sha256 text,
    revision_id text,
    swept_at bigint
  )`,
  `create unique index uploads_token on uploads (token_hash)`,
  `create unique index uploads_path on uploads (object_path)`,
  `create index uploads_deployment on uploads (deployment_id)`,

  `create table changes (
    seq bigint primary key,
    at bigint not null,
    workspace_id text not null,
    kind text not null,
    deployment_id text not null,
    revision_id text,
    status text not null
  )`,
  `create index changes_workspace on changes (workspace_id, seq)`,
  `create index changes_at on changes (at)`,

  `create table listeners (
    id text primary key,
    workspace_id text not null references workspaces (id),
    version text,
    compute_type text not null,
    compute_id text not null,
    compute_config text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create unique index listeners_compute on listeners (workspace_id, compute_id)`,
  `create index listeners_created on listeners (workspace_id, created_at, id)`,

  `create table integrations (
    id text primary key,
    workspace_id text not null references workspaces (id),
    installation_id bigint not null,
    name text not null,
    token text not null,
    created_at bigint not null
  )`,
  `create index integrations_created on integrations (workspace_id, created_at, id)`,

  `create table control_lease (
    id integer primary key,
    holder text not null,
    host text not null,
    pid bigint not null,
    until bigint not null
  )`,

  `create table figures (
    deployment_id text not null,
    minute bigint not null,
    requests bigint not null,
    errors bigint not null,
    p50_ms double precision,
    p95_ms double precision,
    open_streams bigint not null,
    memory_bytes bigint,
    primary key (deployment_id, minute)
  )`,
  `create index figures_minute on figures (minute)`,

  `create table control_counters (name text primary key, last bigint not null)`,
  // Users below 40000 are the machine's own.
  `insert into control_counters (name, last) values ('logs', 0), ('changes', 0), ('integrations', 0), ('uid', 39999)`,

  `create table secret_check (id integer primary key, sealed text not null)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
