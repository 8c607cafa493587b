-- What Berth 0.1.0 leaves when it is killed in the middle of a scan: its database. Later versions go on with it; never change it.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "berth_migrations" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO berth_migrations VALUES('0001-agent-server','2026-11-25T22:49:39.823Z');
INSERT INTO berth_migrations VALUES('0002-threads','2026-11-25T22:49:39.826Z');
INSERT INTO berth_migrations VALUES('0003-crons','2026-11-25T22:49:39.828Z');
INSERT INTO berth_migrations VALUES('0004-memory','2026-11-25T22:49:39.831Z');
INSERT INTO berth_migrations VALUES('0005-tasks','2026-11-25T22:49:39.833Z');
INSERT INTO berth_migrations VALUES('0006-control','2026-11-25T22:49:39.840Z');
INSERT INTO berth_migrations VALUES('0007-kept-errors','2026-11-25T22:49:39.843Z');
INSERT INTO berth_migrations VALUES('0008-issues','2026-11-25T22:49:39.851Z');
INSERT INTO berth_migrations VALUES('0009-cron-runs','2026-11-25T22:49:39.854Z');
INSERT INTO berth_migrations VALUES('0010-activity','2026-11-25T22:49:39.855Z');
INSERT INTO berth_migrations VALUES('0011-span-packs','2026-11-25T22:49:39.856Z');
INSERT INTO berth_migrations VALUES('0012-revision-times','2026-11-25T22:49:39.857Z');
INSERT INTO berth_migrations VALUES('0013-thread-rest','2026-11-25T22:49:39.860Z');
INSERT INTO berth_migrations VALUES('0014-cron-permissions','2026-11-25T22:49:39.861Z');
INSERT INTO berth_migrations VALUES('0015-own-auth','2026-11-25T22:49:39.862Z');
INSERT INTO berth_migrations VALUES('0016-forgotten-threads','2026-11-25T22:49:39.863Z');
INSERT INTO berth_migrations VALUES('0017-authors','2026-11-25T22:49:39.867Z');
INSERT INTO berth_migrations VALUES('0018-fingerprints','2026-11-25T22:49:39.870Z');
INSERT INTO berth_migrations VALUES('0019-issue-life','2026-11-25T22:49:39.878Z');
INSERT INTO berth_migrations VALUES('0020-change-states','2026-11-25T22:49:39.880Z');
CREATE TABLE IF NOT EXISTS "berth_migrations_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO berth_migrations_lock VALUES('migration_lock',0);
CREATE TABLE workspaces (id text primary key, name text not null, created_at bigint not null);
INSERT INTO workspaces VALUES('00000000-0000-4000-8000-000000000001','default',1795646979884);
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
INSERT INTO assistants VALUES('d0519622-ebf6-5f53-8f40-87311efbb70e','shop','shop','shop',NULL,1,'{}','{}','{"created_by":"system"}',1795646979922,1795646979922);
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
INSERT INTO assistant_versions VALUES('d0519622-ebf6-5f53-8f40-87311efbb70e',1,'shop','shop',NULL,'{}','{}','{"created_by":"system"}',1795646979922);
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
INSERT INTO runs VALUES('01a214e6-809c-7167-bed5-034f35f5e5f4','01a214e6-809c-7168-b1cf-8cd4473bc069','d0519622-ebf6-5f53-8f40-87311efbb70e',1795646980253,1795646980322,'error','{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e"}','{"graph_id":"shop","input":{"order":1,"fault":"refused"},"config":{"configurable":{"user-agent":"Bun/1.4.5","run_id":"01a214e6-809c-7167-bed5-034f35f5e5f4","thread_id":"01a214e6-809c-7168-b1cf-8cd4473bc069","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e"}},"stream_mode":["values"],"subgraphs":false,"resumable":false,"durability":"async","final_values_only":true}','enqueue',1795646980252,1,'01a214e6-7f57-71fb-85e8-48af995ff8fb',NULL,NULL,'delete',1795646980322,1795647100315,61,NULL,'{"error":"Error","message":"connect ECONNREFUSED 10.0.3.1:5432"}');
CREATE TABLE events (
    thread_id text not null,
    run_id text not null,
    first_seq bigint not null,
    last_seq bigint not null,
    at bigint not null,
    body text not null,
    primary key (thread_id, last_seq)
  );
INSERT INTO events VALUES('01a214e6-809c-7168-b1cf-8cd4473bc069','01a214e6-809c-7167-bed5-034f35f5e5f4',1,1,1795646980318,replace('metadata	{"run_id":"01a214e6-809c-7167-bed5-034f35f5e5f4","attempt":1}\n','\n',char(10)));
INSERT INTO events VALUES('01a214e6-809c-7168-b1cf-8cd4473bc069','01a214e6-809c-7167-bed5-034f35f5e5f4',2,3,1795646980322,replace('error	{"error":"Error","message":"connect ECONNREFUSED 10.0.3.1:5432"}\nend	{"status":"error","stopped":false}\n','\n',char(10)));
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
INSERT INTO control_lease VALUES(1,'01a214e6-7f60-7329-b760-fe4a11d8254d','shop',15287,1795646997115);
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
INSERT INTO secret_check VALUES(1,'v1:fPVoHJUo0ijptmyB3J27SIaRO7IUwt/L3VONPb5GCweCPpEoThNg8w==');
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
INSERT INTO sessions VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','00000000-0000-4000-8000-000000000001','shop',NULL,0,1795646979930,1795646980458,NULL);
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
INSERT INTO traces VALUES('01a214e6-809c-7167-bed5-034f35f5e5f4','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-809c-7168-b1cf-8cd4473bc069','shop','shop','error',1795646980256,1795646980324,68,'Error','connect ECONNREFUSED 10.0.3.1:5432','error: connect econnrefused 10.0.3.1:5432',0,0,0,3,0,0,87,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-809c-7168-b1cf-8cd4473bc069","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:14:40)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-80e9-73db-87b0-7064674e246a','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-80e9-73dc-b6d4-bfe8ed0b17ae','shop','shop','error',1795646980329,1795646980343,14,'Error','connect ECONNREFUSED 10.0.3.1:5432','error: connect econnrefused 10.0.3.1:5432',0,0,0,3,0,0,87,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-80e9-73dc-b6d4-bfe8ed0b17ae","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:14:40)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-80fe-74a1-be10-25f988d715a6','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-80fe-74a2-9d47-14cc88f4ce46','shop','shop','error',1795646980350,1795646980358,8,'Error','connect ECONNREFUSED 10.0.3.1:5432','error: connect econnrefused 10.0.3.1:5432',0,0,0,3,0,0,87,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-80fe-74a2-9d47-14cc88f4ce46","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:14:40)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-8109-7775-a3b8-0593e5dd9e1d','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-8109-7776-8842-88e7ee49f650','shop','shop','error',1795646980361,1795646980368,7,'Error','connect ECONNREFUSED 10.0.3.1:5432','error: connect econnrefused 10.0.3.1:5432',0,0,0,3,0,0,87,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-8109-7776-8842-88e7ee49f650","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:14:40)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-8112-718f-862e-110c14ab08d7','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-8112-7190-9af2-ef5c8130d406','shop','shop','error',1795646980370,1795646980378,8,'TypeError','order 1 in /srv/data/1.json has no items','typeerror: order 1 in /srv/data/1.json has no items',0,0,0,3,0,0,84,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-8112-7190-9af2-ef5c8130d406","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:15:39)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-811c-720d-a0c8-91b9a9515d3d','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-811c-720e-9de8-77b957efb436','shop','shop','error',1795646980381,1795646980387,6,'TypeError','order 1 in /srv/data/1.json has no items','typeerror: order 1 in /srv/data/1.json has no items',0,0,0,3,0,0,84,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-811c-720e-9de8-77b957efb436","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:15:39)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-8126-7232-9342-4b15cd0e139a','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-8126-7233-b358-f36a4e843b39','shop','shop','error',1795646980390,1795646980397,7,'TypeError','order 1 in /srv/data/1.json has no items','typeerror: order 1 in /srv/data/1.json has no items',0,0,0,3,0,0,84,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-8126-7233-b358-f36a4e843b39","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:15:39)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-812f-731c-98e3-6aaf9d3928cf','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-812f-731d-80ff-9f9995ef8ffa','shop','shop','error',1795646980399,1795646980405,6,'TypeError','order 1 in /srv/data/1.json has no items','typeerror: order 1 in /srv/data/1.json has no items',0,0,0,3,0,0,84,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-812f-731d-80ff-9f9995ef8ffa","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:15:39)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-8137-703a-9e94-4bbdb081eb95','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-8137-703b-a62c-d4f459dfc101','shop','shop','error',1795646980408,1795646980417,9,'RangeError','odd','rangeerror: odd',0,0,0,3,0,0,75,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-8137-703b-a62c-d4f459dfc101","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:16:26)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-8144-7567-b038-329d2de4aca4','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-8144-7568-8b71-fedda01629a9','shop','shop','error',1795646980420,1795646980427,7,'RangeError','odd','rangeerror: odd',0,0,0,3,0,0,75,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-8144-7568-8b71-fedda01629a9","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:16:26)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-814f-7215-a99e-aef3a8bbd3af','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-814f-7216-929a-9676fe7d0a5f','shop','shop','error',1795646980431,1795646980440,9,'RangeError','odd','rangeerror: odd',0,0,0,3,0,0,75,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-814f-7216-929a-9676fe7d0a5f","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:16:26)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
INSERT INTO traces VALUES('01a214e6-815b-753b-9a5d-b4331fb09007','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-815b-753c-a517-95e37b44c622','shop','shop','error',1795646980443,1795646980451,8,'RangeError','odd','rangeerror: odd',0,0,0,3,0,0,75,'{"created_by":"system","graph_id":"shop","assistant_id":"d0519622-ebf6-5f53-8f40-87311efbb70e","thread_id":"01a214e6-815b-753c-a517-95e37b44c622","attempt":1,"error_stack":"    at <anonymous> (/srv/shop/shop.ts:16:26)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\n    at run (node:async_hooks:144:29)\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\n    at new Promise (native:1:11)\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)"}','[]',1,1,1795646980458,1795646980458);
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
INSERT INTO issues VALUES('01a214e6-828d-7142-ab42-fa6cdcf43145','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','Issue 1','It fails.','Somebody broke it.',1,0,0,'open',NULL,NULL,NULL,4,1795646980305,1795646980366,1795646980746,1795646980746,NULL,'4 runs show it, of fewer than 20, which count as 20: 20 %',1795646980746,0,NULL,NULL);
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
INSERT INTO issue_fingerprints VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-04aaf327217319dace83ae1ee883007c','01a214e6-828d-7142-ab42-fa6cdcf43145',2,'tool_error','Error','search','search_orders','connect ECONNREFUSED <host>:5432','The tool search_orders, in the node search, threw Error, and the run failed.',1795646980746,'shop/shop.ts');
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
INSERT INTO issue_traces VALUES('01a214e6-828d-7142-ab42-fa6cdcf43145','01a214e6-809c-7167-bed5-034f35f5e5f4','01a214e6-80d1-77a4-b152-2a61fd7d174f','v2-04aaf327217319dace83ae1ee883007c',1795646980305,'01a214e6-809c-7168-b1cf-8cd4473bc069','The tool search_orders, in the node search, threw Error, and the run failed.',1795646980746,NULL);
INSERT INTO issue_traces VALUES('01a214e6-828d-7142-ab42-fa6cdcf43145','01a214e6-80e9-73db-87b0-7064674e246a','01a214e6-80f0-73cf-9e82-674773d87eaf','v2-04aaf327217319dace83ae1ee883007c',1795646980337,'01a214e6-80e9-73dc-b6d4-bfe8ed0b17ae','The tool search_orders, in the node search, threw Error, and the run failed.',1795646980746,NULL);
INSERT INTO issue_traces VALUES('01a214e6-828d-7142-ab42-fa6cdcf43145','01a214e6-80fe-74a1-be10-25f988d715a6','01a214e6-8105-753d-84db-94d956546968','v2-04aaf327217319dace83ae1ee883007c',1795646980357,'01a214e6-80fe-74a2-9d47-14cc88f4ce46','The tool search_orders, in the node search, threw Error, and the run failed.',1795646980746,NULL);
INSERT INTO issue_traces VALUES('01a214e6-828d-7142-ab42-fa6cdcf43145','01a214e6-8109-7775-a3b8-0593e5dd9e1d','01a214e6-810e-75f8-b722-4a59cde4cc4e','v2-04aaf327217319dace83ae1ee883007c',1795646980366,'01a214e6-8109-7776-8842-88e7ee49f650','The tool search_orders, in the node search, threw Error, and the run failed.',1795646980746,NULL);
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
INSERT INTO findings VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-04aaf327217319dace83ae1ee883007c','01a214e6-809c-7167-bed5-034f35f5e5f4',2,'tool_error','Error','search','search_orders','connect ECONNREFUSED <host>:5432','The tool search_orders, in the node search, threw Error, and the run failed.','01a214e6-80d1-77a4-b152-2a61fd7d174f','01a214e6-809c-7168-b1cf-8cd4473bc069',1795646980305,'01a214e6-828d-7142-ab42-fa6cdcf43145',1795646980539,'shop/shop.ts');
INSERT INTO findings VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-04aaf327217319dace83ae1ee883007c','01a214e6-80e9-73db-87b0-7064674e246a',2,'tool_error','Error','search','search_orders','connect ECONNREFUSED <host>:5432','The tool search_orders, in the node search, threw Error, and the run failed.','01a214e6-80f0-73cf-9e82-674773d87eaf','01a214e6-80e9-73dc-b6d4-bfe8ed0b17ae',1795646980337,'01a214e6-828d-7142-ab42-fa6cdcf43145',1795646980539,'shop/shop.ts');
INSERT INTO findings VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-04aaf327217319dace83ae1ee883007c','01a214e6-80fe-74a1-be10-25f988d715a6',2,'tool_error','Error','search','search_orders','connect ECONNREFUSED <host>:5432','The tool search_orders, in the node search, threw Error, and the run failed.','01a214e6-8105-753d-84db-94d956546968','01a214e6-80fe-74a2-9d47-14cc88f4ce46',1795646980357,'01a214e6-828d-7142-ab42-fa6cdcf43145',1795646980539,'shop/shop.ts');
INSERT INTO findings VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-04aaf327217319dace83ae1ee883007c','01a214e6-8109-7775-a3b8-0593e5dd9e1d',2,'tool_error','Error','search','search_orders','connect ECONNREFUSED <host>:5432','The tool search_orders, in the node search, threw Error, and the run failed.','01a214e6-810e-75f8-b722-4a59cde4cc4e','01a214e6-8109-7776-8842-88e7ee49f650',1795646980366,'01a214e6-828d-7142-ab42-fa6cdcf43145',1795646980539,'shop/shop.ts');
INSERT INTO findings VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-c4353a1b4dcb99a42d0b7ee6a814d93c','01a214e6-8112-718f-862e-110c14ab08d7',2,'tool_error','TypeError','search','search_orders','order <n> in <path> has no items','The tool search_orders, in the node search, threw TypeError, and the run failed.','01a214e6-8118-7557-8dd2-261e5ae840ae','01a214e6-8112-7190-9af2-ef5c8130d406',1795646980376,NULL,1795646980539,'shop/shop.ts');
INSERT INTO findings VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-c4353a1b4dcb99a42d0b7ee6a814d93c','01a214e6-811c-720d-a0c8-91b9a9515d3d',2,'tool_error','TypeError','search','search_orders','order <n> in <path> has no items','The tool search_orders, in the node search, threw TypeError, and the run failed.','01a214e6-8122-77fb-ad17-5790d23f5ba5','01a214e6-811c-720e-9de8-77b957efb436',1795646980386,NULL,1795646980539,'shop/shop.ts');
INSERT INTO findings VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-c4353a1b4dcb99a42d0b7ee6a814d93c','01a214e6-8126-7232-9342-4b15cd0e139a',2,'tool_error','TypeError','search','search_orders','order <n> in <path> has no items','The tool search_orders, in the node search, threw TypeError, and the run failed.','01a214e6-812b-714e-90fd-16f4ecb94920','01a214e6-8126-7233-b358-f36a4e843b39',1795646980395,NULL,1795646980539,'shop/shop.ts');
INSERT INTO findings VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-c4353a1b4dcb99a42d0b7ee6a814d93c','01a214e6-812f-731c-98e3-6aaf9d3928cf',2,'tool_error','TypeError','search','search_orders','order <n> in <path> has no items','The tool search_orders, in the node search, threw TypeError, and the run failed.','01a214e6-8134-730f-804c-6bfe849cf500','01a214e6-812f-731d-80ff-9f9995ef8ffa',1795646980404,NULL,1795646980539,'shop/shop.ts');
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
INSERT INTO engine_runs VALUES('01a214e6-8178-7541-912b-c01f3a608a8e','00000000-0000-4000-8000-000000000001','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-8178-7540-a42d-35730697475c','01a214e6-817c-7524-bb17-5c743edfe5ef','running',1795647040809,0,0,1,4,0,NULL,1795646980472,NULL,0);
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
INSERT INTO subscriptions VALUES('01a214e6-8081-746c-a144-42d5fc9c6808','00000000-0000-4000-8000-000000000001',NULL,'http://127.0.0.9:5909/hook',NULL,3,'["issue.created","issue.trace.added","issue.agent_run.failed"]','[]',NULL,'v1:LjyL+2WFH9xVBQaWXu8nHtMqsvtZSGjzCf8ct7tNRXnrMKF9g+fKvgFxdCrWWZU1QT8ZvUhQ7dWkuMQvnATi3Jwr6xUPndZbFkV1AlUN','failing',5,1795646980849,NULL,1795646980225,1795646980225);
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
INSERT INTO deliveries VALUES('01a214e6-82a1-73a0-8361-91bf3268a176','00000000-0000-4000-8000-000000000001','01a214e6-8081-746c-a144-42d5fc9c6808',NULL,NULL,'01a214e6-8081-746c-a144-42d5fc9c6808','issue.created','01a214e6-829e-70ac-af71-081cd1bb0e73','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-828d-7142-ab42-fa6cdcf43145','{"id":"01a214e6-82a1-73a0-8361-91bf3268a176","type":"issue.created","created":1795646980,"request_id":"01a214e6-829e-70ac-af71-081cd1bb0e73","data":{"object":{"id":"01a214e6-828d-7142-ab42-fa6cdcf43145","name":"Issue 1","description":"It fails.","severity":1,"tenant_id":"00000000-0000-4000-8000-000000000001","tenant_name":"default","session_id":"01a214e6-7f5a-73a8-bb55-faad0ac41e2b","session_name":"shop","url":"http://127.0.0.1:43957/console/issues/01a214e6-828d-7142-ab42-fa6cdcf43145"}}}',0,'queued',NULL,1795646990908,NULL,NULL,1,1,1,0,NULL,NULL,1795646980767,1795646980849);
INSERT INTO deliveries VALUES('01a214e6-82a2-75c8-822e-52b191b8e9f9','00000000-0000-4000-8000-000000000001','01a214e6-8081-746c-a144-42d5fc9c6808',NULL,NULL,'01a214e6-8081-746c-a144-42d5fc9c6808','issue.trace.added','01a214e6-829e-70ac-af71-081cd1bb0e73','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-828d-7142-ab42-fa6cdcf43145','{"id":"01a214e6-82a2-75c8-822e-52b191b8e9f9","type":"issue.trace.added","created":1795646980,"request_id":"01a214e6-829e-70ac-af71-081cd1bb0e73","data":{"object":{"id":"01a214e6-828d-7142-ab42-fa6cdcf43145","name":"Issue 1","description":"It fails.","severity":1,"tenant_id":"00000000-0000-4000-8000-000000000001","tenant_name":"default","session_id":"01a214e6-7f5a-73a8-bb55-faad0ac41e2b","session_name":"shop","url":"http://127.0.0.1:43957/console/issues/01a214e6-828d-7142-ab42-fa6cdcf43145"},"trace":{"run_id":"01a214e6-80d1-77a4-b152-2a61fd7d174f","trace_id":"01a214e6-809c-7167-bed5-034f35f5e5f4","start_time":"2026-11-25T22:49:40.305Z","comment":"The tool search_orders, in the node search, threw Error, and the run failed."}}}',0,'queued',NULL,1795646991784,NULL,NULL,1,1,1,0,NULL,NULL,1795646980767,1795646980850);
INSERT INTO deliveries VALUES('01a214e6-82a2-75c9-8489-9bf0d7a9ab4f','00000000-0000-4000-8000-000000000001','01a214e6-8081-746c-a144-42d5fc9c6808',NULL,NULL,'01a214e6-8081-746c-a144-42d5fc9c6808','issue.trace.added','01a214e6-829e-70ac-af71-081cd1bb0e73','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-828d-7142-ab42-fa6cdcf43145','{"id":"01a214e6-82a2-75c9-8489-9bf0d7a9ab4f","type":"issue.trace.added","created":1795646980,"request_id":"01a214e6-829e-70ac-af71-081cd1bb0e73","data":{"object":{"id":"01a214e6-828d-7142-ab42-fa6cdcf43145","name":"Issue 1","description":"It fails.","severity":1,"tenant_id":"00000000-0000-4000-8000-000000000001","tenant_name":"default","session_id":"01a214e6-7f5a-73a8-bb55-faad0ac41e2b","session_name":"shop","url":"http://127.0.0.1:43957/console/issues/01a214e6-828d-7142-ab42-fa6cdcf43145"},"trace":{"run_id":"01a214e6-80f0-73cf-9e82-674773d87eaf","trace_id":"01a214e6-80e9-73db-87b0-7064674e246a","start_time":"2026-11-25T22:49:40.337Z","comment":"The tool search_orders, in the node search, threw Error, and the run failed."}}}',0,'queued',NULL,1795646992710,NULL,NULL,1,1,1,0,NULL,NULL,1795646980767,1795646980851);
INSERT INTO deliveries VALUES('01a214e6-82a3-70da-b742-e3e2147f2dab','00000000-0000-4000-8000-000000000001','01a214e6-8081-746c-a144-42d5fc9c6808',NULL,NULL,'01a214e6-8081-746c-a144-42d5fc9c6808','issue.trace.added','01a214e6-829e-70ac-af71-081cd1bb0e73','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-828d-7142-ab42-fa6cdcf43145','{"id":"01a214e6-82a3-70da-b742-e3e2147f2dab","type":"issue.trace.added","created":1795646980,"request_id":"01a214e6-829e-70ac-af71-081cd1bb0e73","data":{"object":{"id":"01a214e6-828d-7142-ab42-fa6cdcf43145","name":"Issue 1","description":"It fails.","severity":1,"tenant_id":"00000000-0000-4000-8000-000000000001","tenant_name":"default","session_id":"01a214e6-7f5a-73a8-bb55-faad0ac41e2b","session_name":"shop","url":"http://127.0.0.1:43957/console/issues/01a214e6-828d-7142-ab42-fa6cdcf43145"},"trace":{"run_id":"01a214e6-8105-753d-84db-94d956546968","trace_id":"01a214e6-80fe-74a1-be10-25f988d715a6","start_time":"2026-11-25T22:49:40.357Z","comment":"The tool search_orders, in the node search, threw Error, and the run failed."}}}',0,'queued',NULL,1795646992599,NULL,NULL,1,1,1,0,NULL,NULL,1795646980767,1795646980851);
INSERT INTO deliveries VALUES('01a214e6-82a4-727e-b3b2-69954cb8513f','00000000-0000-4000-8000-000000000001','01a214e6-8081-746c-a144-42d5fc9c6808',NULL,NULL,'01a214e6-8081-746c-a144-42d5fc9c6808','issue.trace.added','01a214e6-829e-70ac-af71-081cd1bb0e73','01a214e6-7f5a-73a8-bb55-faad0ac41e2b','01a214e6-828d-7142-ab42-fa6cdcf43145','{"id":"01a214e6-82a4-727e-b3b2-69954cb8513f","type":"issue.trace.added","created":1795646980,"request_id":"01a214e6-829e-70ac-af71-081cd1bb0e73","data":{"object":{"id":"01a214e6-828d-7142-ab42-fa6cdcf43145","name":"Issue 1","description":"It fails.","severity":1,"tenant_id":"00000000-0000-4000-8000-000000000001","tenant_name":"default","session_id":"01a214e6-7f5a-73a8-bb55-faad0ac41e2b","session_name":"shop","url":"http://127.0.0.1:43957/console/issues/01a214e6-828d-7142-ab42-fa6cdcf43145"},"trace":{"run_id":"01a214e6-810e-75f8-b722-4a59cde4cc4e","trace_id":"01a214e6-8109-7775-a3b8-0593e5dd9e1d","start_time":"2026-11-25T22:49:40.366Z","comment":"The tool search_orders, in the node search, threw Error, and the run failed."}}}',0,'queued',NULL,1795646992398,NULL,NULL,1,1,1,0,NULL,NULL,1795646980767,1795646980852);
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
INSERT INTO delivery_attempts VALUES('01a214e6-82a1-73a0-8361-91bf3268a176',1,0,'01a214e6-7f68-75fc-adff-4b94518c7e87',1,'127.0.0.9:5909',1795646980796,'connect',NULL,25,'connect ECONNREFUSED 127.0.0.9:5909','{"User-Agent":"Berth/0.1.0","Content-Type":"application/json","webhook-id":"01a214e6-82a1-73a0-8361-91bf3268a176","X-Service-Signature":"***","webhook-timestamp":"1795646980","webhook-signature":"***"}',NULL,0);
INSERT INTO delivery_attempts VALUES('01a214e6-82a2-75c8-822e-52b191b8e9f9',1,0,'01a214e6-7f68-75fc-adff-4b94518c7e87',1,'127.0.0.9:5909',1795646980796,'connect',NULL,27,'connect ECONNREFUSED 127.0.0.9:5909','{"User-Agent":"Berth/0.1.0","Content-Type":"application/json","webhook-id":"01a214e6-82a2-75c8-822e-52b191b8e9f9","X-Service-Signature":"***","webhook-timestamp":"1795646980","webhook-signature":"***"}',NULL,0);
INSERT INTO delivery_attempts VALUES('01a214e6-82a2-75c9-8489-9bf0d7a9ab4f',1,0,'01a214e6-7f68-75fc-adff-4b94518c7e87',1,'127.0.0.9:5909',1795646980796,'connect',NULL,28,'connect ECONNREFUSED 127.0.0.9:5909','{"User-Agent":"Berth/0.1.0","Content-Type":"application/json","webhook-id":"01a214e6-82a2-75c9-8489-9bf0d7a9ab4f","X-Service-Signature":"***","webhook-timestamp":"1795646980","webhook-signature":"***"}',NULL,0);
INSERT INTO delivery_attempts VALUES('01a214e6-82a3-70da-b742-e3e2147f2dab',1,0,'01a214e6-7f68-75fc-adff-4b94518c7e87',1,'127.0.0.9:5909',1795646980796,'connect',NULL,28,'connect ECONNREFUSED 127.0.0.9:5909','{"User-Agent":"Berth/0.1.0","Content-Type":"application/json","webhook-id":"01a214e6-82a3-70da-b742-e3e2147f2dab","X-Service-Signature":"***","webhook-timestamp":"1795646980","webhook-signature":"***"}',NULL,0);
INSERT INTO delivery_attempts VALUES('01a214e6-82a4-727e-b3b2-69954cb8513f',1,0,'01a214e6-7f68-75fc-adff-4b94518c7e87',1,'127.0.0.9:5909',1795646980796,'connect',NULL,28,'connect ECONNREFUSED 127.0.0.9:5909','{"User-Agent":"Berth/0.1.0","Content-Type":"application/json","webhook-id":"01a214e6-82a4-727e-b3b2-69954cb8513f","X-Service-Signature":"***","webhook-timestamp":"1795646980","webhook-signature":"***"}',NULL,0);
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
INSERT INTO span_packs VALUES(1795646980256,'01a214e6-809c-7167-bed5-034f35f5e5f4','[["01a214e6-80d1-77a4-b152-2a61fd7d174f",1,"search_orders","tool","error",49,3,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"],["01a214e6-80cc-7486-8ba1-f4a11bfb8b41",2,"search","chain","error",44,9,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:5286c6cc-1be9-55fc-b4ec-7d1ec9d5cc37\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"],["01a214e6-809c-7167-bed5-034f35f5e5f4",null,"shop","chain","error",0,68,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-809c-7168-b1cf-8cd4473bc069\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"]]');
INSERT INTO span_packs VALUES(1795646980329,'01a214e6-80e9-73db-87b0-7064674e246a','[["01a214e6-80f0-73cf-9e82-674773d87eaf",1,"search_orders","tool","error",8,0,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"],["01a214e6-80ef-737b-98ff-c4f31f2f89a5",2,"search","chain","error",6,3,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:50da2af2-cf8f-5001-b852-20327c316cb4\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"],["01a214e6-80e9-73db-87b0-7064674e246a",null,"shop","chain","error",0,14,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-80e9-73dc-b6d4-bfe8ed0b17ae\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"]]');
INSERT INTO span_packs VALUES(1795646980350,'01a214e6-80fe-74a1-be10-25f988d715a6','[["01a214e6-8105-753d-84db-94d956546968",1,"search_orders","tool","error",7,0,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"],["01a214e6-8104-7039-9bdf-da8287389bef",2,"search","chain","error",6,2,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:e5840e45-5894-507f-883c-9136d543280c\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"],["01a214e6-80fe-74a1-be10-25f988d715a6",null,"shop","chain","error",0,8,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-80fe-74a2-9d47-14cc88f4ce46\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"]]');
INSERT INTO span_packs VALUES(1795646980361,'01a214e6-8109-7775-a3b8-0593e5dd9e1d','[["01a214e6-810e-75f8-b722-4a59cde4cc4e",1,"search_orders","tool","error",5,1,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"],["01a214e6-810d-71c2-8385-d5c72406e182",2,"search","chain","error",4,2,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:d095086b-b48d-53d8-b09b-7cf533cbf2d0\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"],["01a214e6-8109-7775-a3b8-0593e5dd9e1d",null,"shop","chain","error",0,7,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-8109-7776-8842-88e7ee49f650\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:14:40)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"refused\"}",null,null,null,null,null,"Error","connect ECONNREFUSED 10.0.3.1:5432"]]');
INSERT INTO span_packs VALUES(1795646980370,'01a214e6-8112-718f-862e-110c14ab08d7','[["01a214e6-8118-7557-8dd2-261e5ae840ae",1,"search_orders","tool","error",6,1,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"],["01a214e6-8118-7445-bab5-cad1295ce01e",2,"search","chain","error",6,1,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:ff855bc1-7b29-5fa6-96db-9bacfa734b91\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"],["01a214e6-8112-718f-862e-110c14ab08d7",null,"shop","chain","error",0,8,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-8112-7190-9af2-ef5c8130d406\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"]]');
INSERT INTO span_packs VALUES(1795646980381,'01a214e6-811c-720d-a0c8-91b9a9515d3d','[["01a214e6-8122-77fb-ad17-5790d23f5ba5",1,"search_orders","tool","error",5,0,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"],["01a214e6-8121-7794-97bd-20066bca3561",2,"search","chain","error",4,2,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:4263ae09-8af6-5773-9afd-478ccedcf0d2\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"],["01a214e6-811c-720d-a0c8-91b9a9515d3d",null,"shop","chain","error",0,6,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-811c-720e-9de8-77b957efb436\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"]]');
INSERT INTO span_packs VALUES(1795646980390,'01a214e6-8126-7232-9342-4b15cd0e139a','[["01a214e6-812b-714e-90fd-16f4ecb94920",1,"search_orders","tool","error",5,1,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"],["01a214e6-812b-7659-b26e-2a21042413a6",2,"search","chain","error",5,1,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:813f20f0-d3d8-5279-a845-8244d12a2d45\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"],["01a214e6-8126-7232-9342-4b15cd0e139a",null,"shop","chain","error",0,7,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-8126-7233-b358-f36a4e843b39\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"]]');
INSERT INTO span_packs VALUES(1795646980399,'01a214e6-812f-731c-98e3-6aaf9d3928cf','[["01a214e6-8134-730f-804c-6bfe849cf500",1,"search_orders","tool","error",5,0,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"],["01a214e6-8133-7205-a44e-699c16cdfa47",2,"search","chain","error",4,1,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:d0c847b6-838e-56a1-ae3b-14487f940955\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"],["01a214e6-812f-731c-98e3-6aaf9d3928cf",null,"shop","chain","error",0,6,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-812f-731d-80ff-9f9995ef8ffa\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:15:39)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"broken\"}",null,null,null,null,null,"TypeError","order 1 in /srv/data/1.json has no items"]]');
INSERT INTO span_packs VALUES(1795646980408,'01a214e6-8137-703a-9e94-4bbdb081eb95','[["01a214e6-813f-712f-aa1c-9fede2e63d48",1,"search_orders","tool","error",7,1,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"],["01a214e6-813e-7761-9c3d-5b5752a83a17",2,"search","chain","error",6,2,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:b4c8692b-3783-5ac1-8117-fd355a394235\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"],["01a214e6-8137-703a-9e94-4bbdb081eb95",null,"shop","chain","error",0,9,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-8137-703b-a62c-d4f459dfc101\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"]]');
INSERT INTO span_packs VALUES(1795646980420,'01a214e6-8144-7567-b038-329d2de4aca4','[["01a214e6-814a-7339-bb0c-c13af1d5779f",1,"search_orders","tool","error",6,0,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"],["01a214e6-8149-76e7-9d59-603b014177f4",2,"search","chain","error",5,1,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:049dca34-d05f-5ef8-b552-2772cc72d4bb\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"],["01a214e6-8144-7567-b038-329d2de4aca4",null,"shop","chain","error",0,7,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-8144-7568-8b71-fedda01629a9\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"]]');
INSERT INTO span_packs VALUES(1795646980431,'01a214e6-814f-7215-a99e-aef3a8bbd3af','[["01a214e6-8156-71f9-b90b-d5f8b6745577",1,"search_orders","tool","error",7,1,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"],["01a214e6-8155-7022-b74d-c8439e6ab9cc",2,"search","chain","error",6,2,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:0ca41cf1-494f-5f1b-8d01-ec7f87a5c4a4\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"],["01a214e6-814f-7215-a99e-aef3a8bbd3af",null,"shop","chain","error",0,9,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-814f-7216-929a-9676fe7d0a5f\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"]]');
INSERT INTO span_packs VALUES(1795646980443,'01a214e6-815b-753b-9a5d-b4331fb09007','[["01a214e6-8161-7489-afb9-25e76b63a707",1,"search_orders","tool","error",6,1,"search","{\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"],["01a214e6-8161-7386-bac7-38827958ec12",2,"search","chain","error",6,2,"search","{\"langgraph_step\":1,\"langgraph_checkpoint_ns\":\"search:b80a6741-6412-5fb1-bee1-4885a69c5054\",\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"],["01a214e6-815b-753b-9a5d-b4331fb09007",null,"shop","chain","error",0,8,null,"{\"created_by\":\"system\",\"graph_id\":\"shop\",\"assistant_id\":\"d0519622-ebf6-5f53-8f40-87311efbb70e\",\"thread_id\":\"01a214e6-815b-753c-a517-95e37b44c622\",\"attempt\":1,\"error_stack\":\"    at <anonymous> (/srv/shop/shop.ts:16:26)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:314:28)\\n    at run (node:async_hooks:144:29)\\n    at <anonymous> (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:312:40)\\n    at new Promise (native:1:11)\\n    at func (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:295:15)\\n    at call (/srv/shop/node_modules/@langchain/core/dist/tools/index.js:136:27)\"}","{\"order\":1,\"fault\":\"odd\"}",null,null,null,null,null,"RangeError","odd"]]');
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
INSERT INTO fingerprints VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-04aaf327217319dace83ae1ee883007c','5b64114bd534ea76e3ef72049aa3ffc2',2,'connect ECONNREFUSED <host>:5432',0,'["shop/shop.ts"]',NULL,1795646980546);
INSERT INTO fingerprints VALUES('01a214e6-7f5a-73a8-bb55-faad0ac41e2b','v2-c4353a1b4dcb99a42d0b7ee6a814d93c','5867b17169d28af827ea826362add34c',2,'order <n> in <path> has no items',0,'["shop/shop.ts"]',NULL,1795646980779);
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
INSERT INTO issue_history VALUES('01a214e6-828e-7762-b8d6-1f41dc66d8fc','01a214e6-828d-7142-ab42-fa6cdcf43145','01a214e6-7f5a-73a8-bb55-faad0ac41e2b',1795646980746,'opened','engine',NULL,'{"traces":4}');
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
