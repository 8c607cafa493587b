import { type Kysely, PostgresAdapter, sql } from "kysely";

/** The registry of images: what was pushed, to which deployment, and where its bytes are. */
const statements = [
  `create table registry_blobs (
    digest text primary key,
    bytes bigint not null,
    place text not null,
    created_at bigint not null
  )`,
  `create table registry_uploads (
    id text primary key,
    workspace_id text not null,
    deployment_id text not null,
    image text not null,
    bytes bigint not null,
    pieces bigint not null,
    touched_at bigint not null
  )`,
  `create index registry_uploads_deployment on registry_uploads (deployment_id)`,
  `create index registry_uploads_workspace on registry_uploads (workspace_id)`,
  `create index registry_uploads_touched on registry_uploads (touched_at)`,
  `create table registry_pieces (
    place text not null,
    number bigint not null,
    name text not null,
    bytes bigint not null,
    primary key (place, number)
  )`,
  `create table registry_links (
    deployment_id text not null,
    image text not null,
    digest text not null,
    workspace_id text not null,
    used_at bigint not null,
    primary key (deployment_id, image, digest)
  )`,
  `create index registry_links_digest on registry_links (digest)`,
  `create index registry_links_workspace on registry_links (workspace_id, digest)`,
  `create index registry_links_used on registry_links (used_at)`,
  `create table registry_manifests (
    deployment_id text not null,
    image text not null,
    digest text not null,
    workspace_id text not null,
    media_type text not null,
    artifact_type text,
    subject text,
    annotations text,
    bytes bigint not null,
    body bytea not null,
    total_bytes bigint not null,
    created_at bigint not null,
    primary key (deployment_id, image, digest)
  )`,
  `create index registry_manifests_subject on registry_manifests (deployment_id, image, subject) where subject is not null`,
  `create index registry_manifests_workspace on registry_manifests (workspace_id)`,
  `create index registry_manifests_created on registry_manifests (created_at)`,
  `create table registry_references (
    deployment_id text not null,
    image text not null,
    manifest text not null,
    digest text not null,
    primary key (deployment_id, image, manifest, digest)
  )`,
  `create index registry_references_digest on registry_references (deployment_id, image, digest)`,
  `create table registry_tags (
    deployment_id text not null,
    image text not null,
    tag text not null,
    digest text not null,
    updated_at bigint not null,
    primary key (deployment_id, image, tag)
  )`,
  `create index registry_tags_digest on registry_tags (deployment_id, image, digest)`,
  `create table registry_garbage (
    name text primary key,
    due_at bigint not null,
    swept_at bigint
  )`,
  `create index registry_garbage_due on registry_garbage (due_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  // Tags are listed, and gone on with, in the order of their bytes.
  await sql`alter table registry_tags alter column tag type text collate "C"`.execute(db);
}
