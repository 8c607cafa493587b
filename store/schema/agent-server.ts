import type { Instant, Json } from "./columns.ts";

export type RunStatus = "pending" | "running" | "success" | "error" | "timeout" | "interrupted";
/** How a thread stands while nothing runs on it. */
export type RestStatus = "idle" | "interrupted" | "error";
export type ThreadStatus = RestStatus | "busy";
export type MultitaskStrategy = "reject" | "rollback" | "interrupt" | "enqueue";
export type CancelAction = "interrupt" | "rollback";
/** `keep_latest` leaves the thread with its newest state and no history. */
export type TtlStrategy = "delete" | "keep_latest";

/** `organization`: a key for every workspace; `metrics`: one that reads `/metrics` and nothing else. */
export type KeyScope = "workspace" | "organization" | "metrics";

export type WorkspaceRow = { id: string; name: string; created_at: Instant };

export type KeyRow = {
  id: string;
  workspace_id: string;
  name: string;
  /** SHA-256 of the secret, hex. The secret itself is shown once and kept nowhere. */
  hash: string;
  hint: string;
  created_at: Instant;
  last_used_at: Instant | null;
  scope: KeyScope;
  /** Author; null where nobody in particular made it. */
  created_by: Json | null;
};

export type DeletionKind =
  | "deployment"
  | "key"
  | "organization_key"
  | "integration"
  | "tracing_project"
  | "trace"
  | "webhook";

/** That something was deleted. */
export type DeletionRow = {
  id: string;
  workspace_id: string;
  kind: DeletionKind;
  target_id: string;
  /** What it was called. */
  name: string;
  at: Instant;
  /** Author; null where nobody in particular did it. */
  deleted_by: Json | null;
};

export type AssistantRow = {
  assistant_id: string;
  graph_id: string;
  name: string;
  /** The name in lower case: SQLite folds ASCII only. */
  name_folded: string;
  description: string | null;
  version: number;
  config: Json;
  context: Json;
  metadata: Json;
  created_at: Instant;
  updated_at: Instant;
};

export type AssistantVersionRow = Omit<AssistantRow, "name_folded" | "updated_at">;

export type ThreadRow = {
  thread_id: string;
  created_at: Instant;
  updated_at: Instant;
  state_updated_at: Instant | null;
  status: ThreadStatus;
  /** Its status as soon as nothing runs or waits on it; the same as `status` while it is not busy. */
  rest_status: RestStatus;
  metadata: Json;
  config: Json;
  /** Open interrupts by task id. */
  interrupts: Json;
  error: Json | null;
  /** The last sequence number given to an event of this thread; never goes back. */
  last_seq: number;
  /** What the chat calls it: its first words, or what somebody wrote; null until one of the two. */
  title: string | null;
  /** What becomes of it at `ttl_expires_at`; all three are null for a thread that stays. */
  ttl_strategy: TtlStrategy | null;
  ttl_minutes: number | null;
  ttl_expires_at: Instant | null;
};

/** Up to which change of a thread its words are found. */
type ThreadDocRow = { thread_id: string; indexed_at: Instant };

/** Finds threads by a member of their metadata; see `labels.ts`. */
export type ThreadLabelRow = {
  name: string;
  /** JSON text. */
  value: Json;
  thread_id: string;
};

export type RunRow = {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  created_at: Instant;
  updated_at: Instant;
  status: RunStatus;
  metadata: Json;
  kwargs: Json;
  multitask_strategy: MultitaskStrategy;
  /** The run may not start earlier (`after_seconds`). */
  not_before: Instant;
  attempt: number;
  lease_owner: string | null;
  lease_until: Instant | null;
  cancel: CancelAction | null;
  /** Set for a stateless run: what happens to its thread when it ends. */
  on_completion: "delete" | "keep" | null;
  ended_at: Instant | null;
  /** When the events of the ended run may be forgotten. */
  events_until: Instant | null;
  /** How much of the event log it fills, in characters: what a thread keeps of its runs is bounded by it. */
  log_chars: number;
  /** The task that it goes on with; null for a run that is one of its own. */
  task_id: string | null;
  /** How it failed, as its readers were told: the log forgets it, this stays. */
  error: Json | null;
  /** 1 where somebody reads it, or did: whoever joins without saying where begins at what comes next. */
  has_reader: number;
};

export type EventRow = {
  thread_id: string;
  run_id: string;
  first_seq: number;
  last_seq: number;
  at: Instant;
  /** One event a line: name, tab, JSON; first of all the times of several segments (`events/event-body.ts`). */
  body: string | Uint8Array;
};

/** A long string of a thread's events; an event refers to it by its hash (`events/event-texts.ts`). */
type EventTextRow = {
  thread_id: string;
  /** SHA-256 of the text, in base64url. */
  hash: string;
  /** What stands between the quotes of a JSON string, with its escapes; packed in a file. */
  value: string | Uint8Array;
};

/** A run whose events refer to a text. */
type EventTextUseRow = { run_id: string; hash: string; thread_id: string };

export type ItemRow = {
  /** Labels joined by dots, with one dot behind the last: `users.ada.`. */
  namespace: string;
  key: string;
  value: Json;
  created_at: Instant;
  updated_at: Instant;
  ttl_minutes: number | null;
  expires_at: Instant | null;
  /** What its put wants indexed: `false`, or paths; null for what the settings say. */
  index_wish: Json | null;
  /** Names the embedding by which it was indexed last, also where that gave no vector; else empty. */
  indexed_as: string;
};

export type ItemVectorRow = {
  namespace: string;
  key: string;
  /** An item has one vector for each of its indexed texts. */
  part: number;
  /** Grows with every vector written, and is given to none twice: who follows the table asks for later ones. */
  seq: number;
  /** Which embedding made it: vectors of two of them cannot be compared. */
  model: string;
  /** Of length one; little-endian 32-bit floats. */
  vector: Uint8Array;
};

/** One row: the last `seq` given to a vector. */
type VectorCounterRow = { last_seq: number };

export type CheckpointRow = {
  thread_id: string;
  ns: string;
  checkpoint_id: string;
  parent_id: string | null;
  run_id: string | null;
  /** The checkpoint without its channel values. */
  checkpoint: Json;
  metadata: Json;
};

export type ChannelValueRow = {
  thread_id: string;
  ns: string;
  channel: string;
  version: string;
  /** `json` and `bytes` (base64) hold the value; `list` says where its `length` elements are (`checkpoints/lists.ts`). */
  type: "json" | "bytes" | "list";
  /** Packed in a file, where it is long. */
  value: string | Uint8Array;
  length: number | null;
};

type ListChunkRow = {
  thread_id: string;
  list_id: string;
  /** Index of the first element in this chunk, and how many it holds. */
  start: number;
  count: number;
  /** Random: two savers that went on from the same element wrote different tags. */
  tag: string;
  /** JSON array of elements, packed in a file where it is long; empty text where a rollback took them back. */
  value: string | Uint8Array;
};

export type CheckpointWriteRow = {
  thread_id: string;
  ns: string;
  checkpoint_id: string;
  task_id: string;
  idx: number;
  channel: string;
  type: "json" | "bytes";
  /** Packed in a file, where it is long. */
  value: string | Uint8Array;
  task_path: string;
  /** The run that wrote on a checkpoint that is not its own; null for all others. */
  run_id: string | null;
};

export type FeedbackRow = {
  feedback_id: string;
  run_id: string;
  /** Null for a run that has no thread of its own. */
  thread_id: string | null;
  /** The answer that it is about; null for the run as a whole. */
  message_id: string | null;
  key: string;
  score: number | null;
  /** A judgement that is no number. */
  value: Json | null;
  comment: string | null;
  created_at: Instant;
  modified_at: Instant;
};

export type CronRow = {
  cron_id: string;
  assistant_id: string;
  /** Null when each firing gets a thread of its own. */
  thread_id: string | null;
  /** What becomes of that thread; null for a cron on a thread. */
  on_run_completed: "delete" | "keep" | null;
  /** Five fields. */
  schedule: string;
  /** IANA name; null is UTC. */
  timezone: string | null;
  /** It does not fire after this moment. */
  end_time: Instant | null;
  /** 0 or 1. */
  enabled: number;
  /** What each run is asked to do. */
  payload: Json;
  /** Of the cron and of each of its runs. */
  metadata: Json;
  user_id: string | null;
  /** List of texts: what that user was allowed to do; null where nobody in particular made it. */
  user_permissions: Json | null;
  /** Null while it will not fire: disabled, or past its end. */
  next_run_at: Instant | null;
  /** The newest run that it started, which may be gone by now; null before the first. */
  last_run_id: string | null;
  last_run_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
};

export type SignInRow = {
  /** Of the token in the browser's cookie; the token itself is kept nowhere. */
  token_hash: string;
  /** The key that it was made with; null for `SERVICE_API_KEY`, whose text is then part of the hash. */
  key_id: string | null;
  workspace_id: string;
  created_at: Instant;
  expires_at: Instant;
};

export type AgentServerTables = {
  workspaces: WorkspaceRow;
  api_keys: KeyRow;
  assistants: AssistantRow;
  assistant_versions: AssistantVersionRow;
  threads: ThreadRow;
  berth_thread_docs: ThreadDocRow;
  thread_labels: ThreadLabelRow;
  runs: RunRow;
  events: EventRow;
  event_texts: EventTextRow;
  event_text_uses: EventTextUseRow;
  items: ItemRow;
  item_vectors: ItemVectorRow;
  vector_counter: VectorCounterRow;
  checkpoints: CheckpointRow;
  channel_values: ChannelValueRow;
  list_chunks: ListChunkRow;
  checkpoint_writes: CheckpointWriteRow;
  feedback: FeedbackRow;
  crons: CronRow;
  sign_ins: SignInRow;
  deletions: DeletionRow;
};
