import { type Kysely, sql } from "kysely";

/** What runs did, added up as their traces are written: by minute, hour and day; and what models cost. */
const statements = [
  // What a trace counts as, so that what changes of it later is counted anew, and once.
  `alter table traces add column revision_id text`,
  `alter table traces add column assistant_id text`,
  `alter table traces add column model_usage text`,
  `alter table traces add column first_token_ms bigint`,
  `alter table traces add column counted integer not null default 0`,
  `create index traces_uncounted on traces (id) where counted = 0`,
  `create table run_figures (
    workspace_id text not null,
    step_s bigint not null,
    start bigint not null,
    session_id text not null,
    revision_id text not null,
    assistant_id text not null,
    runs bigint not null,
    errors bigint not null,
    interrupted bigint not null,
    cancelled bigint not null,
    latency text not null,
    first_token text not null,
    model_usage text,
    primary key (workspace_id, step_s, start, session_id, revision_id, assistant_id)
  )`,
  `create table model_prices (
    id text primary key,
    workspace_id text not null,
    model text not null,
    since bigint not null,
    input double precision not null,
    output double precision not null,
    cache_read double precision,
    cache_write double precision,
    updated_at bigint not null
  )`,
  `create unique index model_prices_model on model_prices (workspace_id, model, since)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
