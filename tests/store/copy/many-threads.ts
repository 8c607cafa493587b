import { Database as Sqlite } from "bun:sqlite";
import { openDatabase } from "@berth/store";

/** Some text of about so many characters that is another one for each `n`. */
const text = (chars: number) => `substr(replace(hex(zeroblob(${chars})), '00', hex(n * 7919)), 1, ${chars})`;
const ID = "printf('0199%04x-0000-7000-8000-%012x', n % 65536, n)";
const SESSION = "'01999999-0000-7000-8000-00000000000a'";
const WORKSPACE = "'00000000-0000-4000-8000-000000000001'";
const AT = "1790000000000 + n";

/** By table: the columns of a row of thread `n`, and which threads have one. */
const ROWS: [table: string, columns: Record<string, string>, every?: number][] = [
  [
    "threads",
    {
      ...{ thread_id: ID, created_at: AT, updated_at: AT, status: "'idle'", last_seq: "3" },
      ...{
        metadata: `json_object('user', n % 100, 'note', ${text(80)})`,
        config: "'{}'",
        interrupts: "'{}'",
      },
    },
  ],
  ["thread_labels", { name: "'user'", value: "n % 100", thread_id: ID }],
  [
    "runs",
    {
      ...{
        run_id: ID,
        thread_id: ID,
        assistant_id: SESSION,
        created_at: AT,
        updated_at: AT,
        status: "'success'",
      },
      ...{ metadata: "'{}'", kwargs: `json_object('input', ${text(200)})`, multitask_strategy: "'enqueue'" },
      ...{ not_before: "0", attempt: "1", ended_at: AT, log_chars: "2000" },
    },
  ],
  ["events", { thread_id: ID, run_id: ID, first_seq: "1", last_seq: "3", at: AT, body: text(2_500) }],
  [
    "checkpoints",
    {
      ...{ thread_id: ID, ns: "''", checkpoint_id: "'a'", run_id: ID, metadata: "'{}'" },
      checkpoint: `json_object('v', 4, 'ts', ${text(400)})`,
    },
  ],
  [
    "checkpoints",
    {
      ...{ thread_id: ID, ns: "''", checkpoint_id: "'b'", parent_id: "'a'", run_id: ID, metadata: "'{}'" },
      checkpoint: `json_object('v', 4, 'ts', ${text(500)})`,
    },
  ],
  [
    "channel_values",
    { thread_id: ID, ns: "''", channel: "'messages'", version: "'1'", type: "'json'", value: text(900) },
  ],
  ["list_chunks", { thread_id: ID, list_id: "'l'", start: "0", count: "2", tag: ID, value: text(1_200) }],
  [
    "checkpoint_writes",
    {
      ...{ thread_id: ID, ns: "''", checkpoint_id: "'b'", task_id: "'t'", idx: "0", channel: "'messages'" },
      ...{ type: "'json'", value: text(300), task_path: "''" },
    },
  ],
  [
    "traces",
    {
      ...{
        id: ID,
        workspace_id: WORKSPACE,
        session_id: SESSION,
        thread_id: ID,
        name: "'agent'",
        name_folded: "'agent'",
      },
      ...{
        status: "'success'",
        start_time: AT,
        end_time: AT,
        latency_ms: "12",
        error_text: "''",
        input_tokens: "n % 900",
      },
      ...{ output_tokens: "5", total_tokens: "5", span_count: "3", dropped_spans: "0", dropped_bodies: "0" },
      ...{
        body_bytes: "1500",
        metadata: "'{}'",
        tags: "'[]'",
        revision: "n",
        unscanned: "0",
        created_at: AT,
        updated_at: AT,
      },
    },
  ],
  [
    "spans",
    {
      ...{
        trace_id: ID,
        id: ID,
        workspace_id: WORKSPACE,
        session_id: SESSION,
        name: "'agent'",
        run_type: "'chain'",
      },
      ...{
        status: "'success'",
        start_time: AT,
        inputs: text(700),
        outputs: text(800),
        metadata: "'{}'",
        tags: "'[]'",
      },
      ...{ dotted_order: "''", revision: "n", unshipped: "0" },
    },
  ],
  [
    "issues",
    {
      ...{
        id: ID,
        workspace_id: WORKSPACE,
        session_id: SESSION,
        name: text(40),
        description: text(120),
        severity: "1",
      },
      ...{
        severity_kept: "0",
        text_kept: "0",
        status: "'open'",
        trace_count: "1",
        first_seen_at: AT,
        last_seen_at: AT,
      },
      ...{ created_at: AT, updated_at: AT },
    },
    100,
  ],
  [
    "issue_traces",
    {
      issue_id: ID,
      trace_id: ID,
      run_id: ID,
      fingerprint: "'f'",
      start_time: AT,
      comment: text(90),
      linked_at: AT,
    },
    10,
  ],
  [
    "item_vectors",
    { namespace: "'notes.'", key: ID, part: "0", seq: "n", model: "'m'", vector: "randomblob(512)" },
    10,
  ],
];

/** Makes a database file with so many threads, and what belongs to them. */
export async function manyThreads(path: string, count: number): Promise<void> {
  await (await openDatabase(`sqlite:${path}`)).close();
  const db = new Sqlite(path);
  db.run("pragma synchronous = off");
  for (const [table, columns, every = 1] of ROWS)
    db.run(
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${Math.ceil(count / every)})
        insert into ${table} (${Object.keys(columns).join(", ")}) select ${Object.values(columns).join(", ")} from numbers`,
    );
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
}
