-- The same: the database of the engine's own, beside it.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "berth_migrations" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO berth_migrations VALUES('0001-agent-server','2026-11-25T22:49:39.958Z');
INSERT INTO berth_migrations VALUES('0002-threads','2026-11-25T22:49:39.959Z');
INSERT INTO berth_migrations VALUES('0003-crons','2026-11-25T22:49:39.960Z');
INSERT INTO berth_migrations VALUES('0004-memory','2026-11-25T22:49:39.963Z');
INSERT INTO berth_migrations VALUES('0005-tasks','2026-11-25T22:49:39.964Z');
INSERT INTO berth_migrations VALUES('0006-control','2026-11-25T22:49:39.968Z');
INSERT INTO berth_migrations VALUES('0007-kept-errors','2026-11-25T22:49:39.971Z');
INSERT INTO berth_migrations VALUES('0008-issues','2026-11-25T22:49:39.978Z');
INSERT INTO berth_migrations VALUES('0009-cron-runs','2026-11-25T22:49:39.980Z');
INSERT INTO berth_migrations VALUES('0010-activity','2026-11-25T22:49:39.981Z');
INSERT INTO berth_migrations VALUES('0011-span-packs','2026-11-25T22:49:39.982Z');
INSERT INTO berth_migrations VALUES('0012-revision-times','2026-11-25T22:49:39.983Z');
INSERT INTO berth_migrations VALUES('0013-thread-rest','2026-11-25T22:49:39.985Z');
INSERT INTO berth_migrations VALUES('0014-cron-permissions','2026-11-25T22:49:39.986Z');
INSERT INTO berth_migrations VALUES('0015-own-auth','2026-11-25T22:49:39.987Z');
INSERT INTO berth_migrations VALUES('0016-forgotten-threads','2026-11-25T22:49:39.988Z');
INSERT INTO berth_migrations VALUES('0017-authors','2026-11-25T22:49:39.991Z');
INSERT INTO berth_migrations VALUES('0018-fingerprints','2026-11-25T22:49:39.994Z');
INSERT INTO berth_migrations VALUES('0019-issue-life','2026-11-25T22:49:40.002Z');
INSERT INTO berth_migrations VALUES('0020-change-states','2026-11-25T22:49:40.003Z');
CREATE TABLE IF NOT EXISTS "berth_migrations_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO berth_migrations_lock VALUES('migration_lock',0);
CREATE TABLE workspaces (id text primary key, name text not null, created_at bigint not null);
INSERT INTO workspaces VALUES('00000000-0000-4000-8000-000000000001','default',1795646980006);
CREATE TABLE api_keys (
    id text primary key,
    workspace_id text not null references workspaces (id),
    name text not null,
    hash text not null,
    hint text not null,
    created_at bigint not null,
    last_used_at bigint
  , scope text not null default 'workspace', created_by text);
CREATE TABLE assistants (
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
  );
INSERT INTO assistants VALUES('37a4ca09-3d09-5e13-8842-c6054a5739f8','engine','engine','engine',NULL,1,'{}','{}','{"created_by":"system"}',1795646980014,1795646980014);
CREATE TABLE assistant_versions (
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
  );
INSERT INTO assistant_versions VALUES('37a4ca09-3d09-5e13-8842-c6054a5739f8',1,'engine','engine',NULL,'{}','{}','{"created_by":"system"}',1795646980014);
CREATE TABLE threads (
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
  , title text, ttl_strategy text, ttl_minutes double precision, ttl_expires_at bigint, rest_status text not null default 'idle');
INSERT INTO threads VALUES('01a214e6-8178-7540-a42d-35730697475c',1795646980477,1795646980477,NULL,'busy','{"graph_id":"engine","assistant_id":"37a4ca09-3d09-5e13-8842-c6054a5739f8"}','{"configurable":{}}','{}',NULL,1,NULL,'delete',10080.0,1796251780477,'idle');
CREATE TABLE runs (
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
  , log_chars bigint not null default 0, task_id text, error text);
INSERT INTO runs VALUES('01a214e6-817c-7524-bb17-5c743edfe5ef','01a214e6-8178-7540-a42d-35730697475c','37a4ca09-3d09-5e13-8842-c6054a5739f8',1795646980477,1795646980477,'running','{"created_by":"system","graph_id":"engine","assistant_id":"37a4ca09-3d09-5e13-8842-c6054a5739f8"}','{"graph_id":"engine","input":{"session_id":"01a214e6-7f5a-73a8-bb55-faad0ac41e2b","engine_run_id":"01a214e6-8178-7541-912b-c01f3a608a8e","began_at":1795646980472},"config":{"recursion_limit":1000000,"configurable":{"run_id":"01a214e6-817c-7524-bb17-5c743edfe5ef","thread_id":"01a214e6-8178-7540-a42d-35730697475c","graph_id":"engine","assistant_id":"37a4ca09-3d09-5e13-8842-c6054a5739f8"}},"stream_mode":["values"],"subgraphs":false,"resumable":false,"durability":"exit","final_values_only":true}','enqueue',1795646980476,1,'01a214e6-7fb2-720b-b1ab-f64f3bc98c65',1795646991116,NULL,NULL,NULL,NULL,0,NULL,NULL);
CREATE TABLE events (
    thread_id text not null,
    run_id text not null,
    first_seq bigint not null,
    last_seq bigint not null,
    at bigint not null,
    body text not null,
    primary key (thread_id, last_seq)
  );
INSERT INTO events VALUES('01a214e6-8178-7540-a42d-35730697475c','01a214e6-817c-7524-bb17-5c743edfe5ef',1,1,1795646980543,replace('metadata	{"run_id":"01a214e6-817c-7524-bb17-5c743edfe5ef","attempt":1}\n','\n',char(10)));
CREATE TABLE items (
    namespace text not null,
    key text not null,
    value text not null,
    created_at bigint not null,
    updated_at bigint not null,
    ttl_minutes double precision,
    expires_at bigint, index_wish text, indexed_as text not null default '',
    primary key (namespace, key)
  );
CREATE TABLE checkpoints (
    thread_id text not null,
    ns text not null,
    checkpoint_id text not null,
    parent_id text,
    run_id text,
    checkpoint text not null,
    metadata text not null,
    primary key (thread_id, ns, checkpoint_id)
  );
CREATE TABLE channel_values (
    thread_id text not null,
    ns text not null,
    channel text not null,
    version text not null,
    type text not null,
    value text not null,
    length bigint,
    primary key (thread_id, ns, channel, version)
  );
CREATE TABLE list_chunks (
    thread_id text not null,
    list_id text not null,
    start bigint not null,
    count bigint not null,
    tag text not null,
    value text not null,
    primary key (thread_id, list_id, start)
  );
CREATE TABLE checkpoint_writes (
    thread_id text not null,
    ns text not null,
    checkpoint_id text not null,
    task_id text not null,
    idx bigint not null,
    channel text not null,
    type text not null,
    value text not null,
    task_path text not null, run_id text,
    primary key (thread_id, ns, checkpoint_id, task_id, idx)
  );
CREATE TABLE feedback (
    feedback_id text primary key,
    run_id text not null,
    thread_id text,
    message_id text,
    key text not null,
    score double precision,
    value text,
    comment text,
    created_at bigint not null,
    modified_at bigint not null
  );
CREATE TABLE sign_ins (
    token_hash text primary key,
    key_id text,
    workspace_id text not null references workspaces (id),
    created_at bigint not null,
    expires_at bigint not null
  );
CREATE TABLE crons (
    cron_id text primary key,
    assistant_id text not null,
    thread_id text,
    on_run_completed text,
    schedule text not null,
    timezone text,
    end_time bigint,
    enabled integer not null,
    payload text not null,
    metadata text not null,
    user_id text,
    next_run_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  , last_run_id text, last_run_at bigint, user_permissions text);
CREATE TABLE thread_labels (
    name text not null,
    value text not null,
    thread_id text not null,
    primary key (name, value, thread_id)
  );
INSERT INTO thread_labels VALUES('graph_id','"engine"','01a214e6-8178-7540-a42d-35730697475c');
INSERT INTO thread_labels VALUES('assistant_id','"37a4ca09-3d09-5e13-8842-c6054a5739f8"','01a214e6-8178-7540-a42d-35730697475c');
CREATE TABLE item_vectors (
    namespace text not null,
    key text not null,
    part bigint not null,
    seq bigint not null,
    model text not null,
    vector bytea not null,
    primary key (namespace, key, part)
  );
CREATE TABLE vector_counter (last_seq bigint not null);
INSERT INTO vector_counter VALUES(0);
CREATE TABLE deployments (
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
  );
CREATE TABLE revisions (
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
  , began_at bigint, created_by text, deployed_by text);
CREATE TABLE instances (
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
  , own_auth integer);
CREATE TABLE revision_logs (
    seq bigint primary key,
    deployment_id text not null,
    revision_id text not null,
    kind text not null,
    at bigint not null,
    level text not null,
    message text not null
  );
CREATE TABLE uploads (
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
  );
CREATE TABLE changes (
    seq bigint primary key,
    at bigint not null,
    workspace_id text not null,
    kind text not null,
    deployment_id text not null,
    revision_id text,
    status text not null
  , state text);
CREATE TABLE listeners (
    id text primary key,
    workspace_id text not null references workspaces (id),
    version text,
    compute_type text not null,
    compute_id text not null,
    compute_config text not null,
    created_at bigint not null,
    updated_at bigint not null
  );
CREATE TABLE integrations (
    id text primary key,
    workspace_id text not null references workspaces (id),
    installation_id bigint not null,
    name text not null,
    token text not null,
    created_at bigint not null
  );
CREATE TABLE control_lease (
    id integer primary key,
    holder text not null,
    host text not null,
    pid bigint not null,
    until bigint not null
  );
CREATE TABLE figures (
    deployment_id text not null,
    minute bigint not null,
    requests bigint not null,
    errors bigint not null,
    p50_ms double precision,
    p95_ms double precision,
    open_streams bigint not null,
    memory_bytes bigint,
    primary key (deployment_id, minute)
  );
CREATE TABLE control_counters (name text primary key, last bigint not null);
INSERT INTO control_counters VALUES('logs',0);
INSERT INTO control_counters VALUES('changes',0);
INSERT INTO control_counters VALUES('integrations',0);
INSERT INTO control_counters VALUES('uid',39999);
CREATE TABLE secret_check (id integer primary key, sealed text not null);
CREATE TABLE sessions (
    id text primary key,
    workspace_id text not null,
    name text not null,
    deployment_id text,
    ships integer not null,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint
  );
CREATE TABLE traces (
    id text primary key,
    workspace_id text not null,
    session_id text not null,
    thread_id text,
    name text not null,
    name_folded text not null,
    status text not null,
    start_time bigint not null,
    end_time bigint,
    latency_ms bigint,
    error_type text,
    error_message text,
    error_text text not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    total_tokens bigint not null,
    span_count bigint not null,
    dropped_spans bigint not null,
    dropped_bodies bigint not null,
    body_bytes bigint not null,
    metadata text not null,
    tags text not null,
    revision bigint not null,
    unscanned integer not null,
    created_at bigint not null,
    updated_at bigint not null
  );
CREATE TABLE spans (
    trace_id text not null,
    id text not null,
    workspace_id text not null,
    session_id text not null,
    parent_id text,
    thread_id text,
    name text not null,
    run_type text not null,
    status text not null,
    start_time bigint not null,
    first_token_time bigint,
    end_time bigint,
    error_type text,
    error_message text,
    inputs text,
    outputs text,
    metadata text not null,
    tags text not null,
    input_tokens bigint,
    output_tokens bigint,
    total_tokens bigint,
    node text,
    dotted_order text not null,
    revision bigint not null,
    unshipped integer not null,
    primary key (trace_id, id)
  );
CREATE TABLE trace_feedback (
    id text primary key,
    workspace_id text not null,
    session_id text not null,
    trace_id text not null,
    span_id text,
    key text not null,
    score double precision,
    value text,
    comment text,
    created_at bigint not null,
    modified_at bigint not null,
    revision bigint not null,
    unshipped integer not null
  );
CREATE TABLE issues (
    id text primary key,
    workspace_id text not null,
    session_id text not null,
    name text not null,
    description text not null,
    cause text,
    severity integer not null,
    severity_kept integer not null,
    text_kept integer not null,
    status text not null,
    resolution text,
    merged_into text,
    muted_until bigint,
    trace_count bigint not null,
    first_seen_at bigint not null,
    last_seen_at bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    closed_at bigint
  , severity_reason text not null default '', judged_at bigint, regressions bigint not null default 0, regressed_at bigint, known_revisions text);
CREATE TABLE issue_fingerprints (
    session_id text not null,
    fingerprint text not null,
    issue_id text not null,
    version bigint not null,
    detector text not null,
    error_type text not null,
    node text,
    tool text,
    message text not null,
    reason text not null,
    created_at bigint not null, thrown_at text,
    primary key (session_id, fingerprint)
  );
CREATE TABLE issue_traces (
    issue_id text not null,
    trace_id text not null,
    run_id text not null,
    fingerprint text not null,
    start_time bigint not null,
    thread_id text,
    comment text,
    linked_at bigint not null, revision_id text,
    primary key (issue_id, trace_id)
  );
CREATE TABLE findings (
    session_id text not null,
    fingerprint text not null,
    trace_id text not null,
    version bigint not null,
    detector text not null,
    error_type text not null,
    node text,
    tool text,
    message text not null,
    reason text not null,
    run_id text not null,
    thread_id text,
    start_time bigint not null,
    issue_id text,
    created_at bigint not null, thrown_at text,
    primary key (session_id, fingerprint, trace_id)
  );
CREATE TABLE engine_runs (
    id text primary key,
    workspace_id text not null,
    session_id text not null,
    thread_id text not null,
    run_id text,
    status text not null,
    lease_until bigint not null,
    scanned bigint not null,
    findings bigint not null,
    opened bigint not null,
    linked bigint not null,
    reopened bigint not null,
    error_message text,
    started_at bigint not null,
    ended_at bigint
  , unreadable bigint not null default 0);
CREATE TABLE subscriptions (
    id text primary key,
    workspace_id text not null references workspaces (id),
    session_id text,
    url text,
    channel text,
    severity_threshold integer not null,
    event_types text not null,
    header_names text not null,
    headers text,
    secret text,
    state text not null,
    failures bigint not null,
    failing_since bigint,
    notice text,
    created_at bigint not null,
    updated_at bigint not null
  );
CREATE TABLE deliveries (
    id text primary key,
    workspace_id text not null,
    subscription_id text,
    url text,
    headers text,
    lane text not null,
    type text not null,
    request_id text not null,
    session_id text,
    issue_id text,
    body text not null,
    test integer not null,
    state text not null,
    reason text,
    due_at bigint not null,
    owner text,
    lease_until bigint,
    claims bigint not null,
    attempts bigint not null,
    tries bigint not null,
    manual bigint not null,
    manual_from text,
    manual_due_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  );
CREATE TABLE delivery_attempts (
    delivery_id text not null,
    number bigint not null,
    manual integer not null,
    owner text not null,
    claim bigint not null,
    target text not null,
    started_at bigint not null,
    outcome text,
    status integer,
    duration_ms bigint,
    error text,
    request_headers text,
    response text,
    late integer not null,
    primary key (delivery_id, number)
  );
CREATE TABLE redeliveries (
    workspace_id text not null,
    key text not null,
    queued bigint not null,
    created_at bigint not null,
    primary key (workspace_id, key)
  );
CREATE TABLE span_packs (
    start_time bigint not null,
    trace_id text not null,
    spans text not null,
    primary key (start_time, trace_id)
  );
CREATE TABLE forgotten_threads (
    thread_id text not null,
    workspace_id text not null,
    session_id text not null,
    at bigint not null,
    pending integer not null,
    unshipped integer not null,
    primary key (thread_id, workspace_id, session_id)
  );
CREATE TABLE deletions (
    id text primary key,
    workspace_id text not null,
    kind text not null,
    target_id text not null,
    name text not null,
    at bigint not null,
    deleted_by text
  );
CREATE TABLE fingerprints (
    session_id text not null,
    fingerprint text not null,
    place text not null,
    version bigint not null,
    template text not null,
    exact bigint not null,
    frames text not null,
    replaces text,
    created_at bigint not null,
    primary key (session_id, fingerprint)
  );
CREATE TABLE grouping_rules (
    session_id text primary key,
    rules text not null,
    updated_at bigint not null
  );
CREATE TABLE issue_history (
    id text primary key,
    issue_id text not null,
    session_id text not null,
    at bigint not null,
    kind text not null,
    actor text not null,
    author text,
    detail text not null
  );
CREATE UNIQUE INDEX api_keys_hash on api_keys (hash);
CREATE INDEX assistants_created on assistants (created_at, assistant_id);
CREATE INDEX assistants_graph on assistants (graph_id);
CREATE INDEX threads_created on threads (created_at, thread_id);
CREATE INDEX threads_updated on threads (updated_at, thread_id);
CREATE INDEX threads_state_updated on threads (state_updated_at, thread_id);
CREATE INDEX threads_status on threads (status, updated_at, thread_id);
CREATE INDEX runs_thread on runs (thread_id, created_at, run_id);
CREATE INDEX runs_inflight on runs (thread_id, status, not_before) where status in ('pending', 'running');
CREATE INDEX runs_leased on runs (lease_until) where status = 'running';
CREATE INDEX runs_pending on runs (not_before, run_id) where status = 'pending';
CREATE INDEX runs_events_until on runs (events_until) where events_until is not null;
CREATE INDEX events_run on events (run_id, last_seq);
CREATE INDEX items_updated on items (updated_at desc, namespace, key);
CREATE INDEX items_recent on items (namespace, updated_at desc, key);
CREATE INDEX items_expires on items (expires_at) where expires_at is not null;
CREATE INDEX checkpoints_run on checkpoints (run_id) where run_id is not null;
CREATE INDEX runs_log on runs (thread_id, created_at) where events_until is not null;
CREATE UNIQUE INDEX feedback_target on feedback (run_id, key, coalesce(message_id, ''));
CREATE INDEX feedback_thread on feedback (thread_id, created_at, feedback_id) where thread_id is not null;
CREATE INDEX sign_ins_expires on sign_ins (expires_at);
CREATE INDEX crons_due on crons (next_run_at, cron_id) where next_run_at is not null;
CREATE INDEX crons_created on crons (created_at, cron_id);
CREATE INDEX crons_assistant on crons (assistant_id);
CREATE INDEX crons_thread on crons (thread_id) where thread_id is not null;
CREATE INDEX threads_expire on threads (ttl_expires_at) where ttl_expires_at is not null;
CREATE INDEX thread_labels_thread on thread_labels (thread_id);
CREATE UNIQUE INDEX item_vectors_seq on item_vectors (seq);
CREATE INDEX runs_task on runs (task_id, created_at, run_id) where task_id is not null;
CREATE INDEX runs_changed on runs (assistant_id, updated_at, run_id);
CREATE INDEX api_keys_workspace on api_keys (workspace_id, created_at, id);
CREATE UNIQUE INDEX deployments_name on deployments (workspace_id, name);
CREATE UNIQUE INDEX deployments_uid on deployments (uid);
CREATE INDEX deployments_created on deployments (workspace_id, created_at, id) where deleted_at is null;
CREATE INDEX deployments_deleted on deployments (deleted_at) where deleted_at is not null;
CREATE INDEX deployments_active on deployments (id)
    where active_revision_id is not null and deleted_at is null;
CREATE UNIQUE INDEX revisions_number on revisions (deployment_id, number);
CREATE UNIQUE INDEX revisions_busy on revisions (deployment_id)
    where status in ('AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING');
CREATE INDEX revisions_in_flight on revisions (created_at, id)
    where status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING');
CREATE INDEX revisions_kept on revisions (deployment_id, deployed_at, number) where build_kept = 1;
CREATE INDEX instances_deployment on instances (deployment_id, created_at, id);
CREATE UNIQUE INDEX instances_serving on instances (deployment_id) where state = 'serving';
CREATE INDEX instances_live on instances (created_at, id) where state <> 'gone';
CREATE INDEX instances_gone on instances (updated_at) where state = 'gone';
CREATE INDEX revision_logs_revision on revision_logs (deployment_id, revision_id, kind, seq);
CREATE INDEX revision_logs_deployment on revision_logs (deployment_id, kind, seq);
CREATE INDEX revision_logs_at on revision_logs (at);
CREATE UNIQUE INDEX uploads_token on uploads (token_hash);
CREATE UNIQUE INDEX uploads_path on uploads (object_path);
CREATE INDEX uploads_deployment on uploads (deployment_id);
CREATE INDEX changes_workspace on changes (workspace_id, seq);
CREATE INDEX changes_at on changes (at);
CREATE UNIQUE INDEX listeners_compute on listeners (workspace_id, compute_id);
CREATE INDEX listeners_created on listeners (workspace_id, created_at, id);
CREATE INDEX integrations_created on integrations (workspace_id, created_at, id);
CREATE INDEX figures_minute on figures (minute);
CREATE INDEX items_indexed on items (indexed_as, namespace, key);
CREATE UNIQUE INDEX sessions_name on sessions (workspace_id, name) where deleted_at is null;
CREATE INDEX sessions_created on sessions (workspace_id, created_at, id) where deleted_at is null;
CREATE INDEX sessions_shipping on sessions (id) where ships = 1 and deleted_at is null;
CREATE INDEX sessions_deleted on sessions (deleted_at) where deleted_at is not null;
CREATE INDEX traces_workspace on traces (workspace_id, start_time, id);
CREATE INDEX traces_session on traces (session_id, start_time, id);
CREATE INDEX traces_thread on traces (thread_id, start_time, id) where thread_id is not null;
CREATE INDEX traces_unscanned on traces (session_id, start_time, id) where unscanned = 1;
CREATE INDEX spans_id on spans (id);
CREATE INDEX spans_unshipped on spans (session_id, start_time) where unshipped = 1;
CREATE INDEX trace_feedback_trace on trace_feedback (trace_id, created_at, id);
CREATE INDEX trace_feedback_unshipped on trace_feedback (session_id, created_at) where unshipped = 1;
CREATE INDEX issues_created on issues (workspace_id, created_at, id);
CREATE INDEX issues_session on issues (session_id, created_at, id);
CREATE INDEX issue_fingerprints_issue on issue_fingerprints (issue_id, created_at, fingerprint);
CREATE INDEX issue_traces_start on issue_traces (issue_id, start_time, trace_id);
CREATE INDEX issue_traces_trace on issue_traces (trace_id);
CREATE INDEX issue_traces_old on issue_traces (start_time);
CREATE INDEX findings_seen on findings (session_id, fingerprint, start_time, trace_id);
CREATE INDEX findings_issue on findings (issue_id) where issue_id is not null;
CREATE INDEX findings_old on findings (start_time);
CREATE UNIQUE INDEX engine_runs_running on engine_runs (session_id) where status = 'running';
CREATE INDEX engine_runs_started on engine_runs (workspace_id, started_at, id);
CREATE INDEX engine_runs_session on engine_runs (session_id, started_at, id);
CREATE INDEX engine_runs_old on engine_runs (started_at);
CREATE INDEX subscriptions_created on subscriptions (workspace_id, created_at, id);
CREATE INDEX deliveries_due on deliveries (due_at) where state = 'queued';
CREATE INDEX deliveries_lane on deliveries (lane, due_at, id) where state = 'queued';
CREATE INDEX deliveries_leased on deliveries (lane, lease_until) where state = 'leased';
CREATE INDEX deliveries_created on deliveries (workspace_id, created_at, id);
CREATE INDEX deliveries_state on deliveries (workspace_id, state, created_at, id, subscription_id);
CREATE INDEX deliveries_subscription on deliveries (subscription_id, created_at, id)
    where subscription_id is not null;
CREATE INDEX deliveries_issue on deliveries (issue_id, created_at, id) where issue_id is not null;
CREATE INDEX deliveries_over on deliveries (created_at) where state in ('delivered', 'dead', 'cancelled');
CREATE INDEX redeliveries_created on redeliveries (created_at);
CREATE INDEX issues_changed on issues (workspace_id, updated_at);
CREATE INDEX deliveries_changed on deliveries (workspace_id, updated_at);
CREATE INDEX traces_workspace_status on traces (workspace_id, status, start_time, id) where status <> 'success';
CREATE INDEX traces_session_status on traces (session_id, status, start_time, id) where status <> 'success';
CREATE INDEX forgotten_threads_pending on forgotten_threads (at) where pending = 1;
CREATE INDEX forgotten_threads_unshipped on forgotten_threads (at) where unshipped = 1;
CREATE INDEX forgotten_threads_at on forgotten_threads (at);
CREATE INDEX deletions_workspace on deletions (workspace_id, at, id);
CREATE INDEX deletions_at on deletions (at);
CREATE INDEX fingerprints_place on fingerprints (session_id, place, created_at);
CREATE INDEX fingerprints_old on fingerprints (created_at);
CREATE INDEX findings_trace on findings (trace_id);
CREATE INDEX issue_traces_revision on issue_traces (issue_id, start_time) where revision_id is not null;
CREATE INDEX issue_history_issue on issue_history (issue_id, at, id);
CREATE INDEX issue_history_session on issue_history (session_id);
CREATE INDEX findings_waiting on findings (session_id, start_time, fingerprint) where issue_id is null;
COMMIT;
