import {
  type JsonObject,
  MOST_ELEMENTS,
  type NewTraceFeedback,
  passedBound,
  type RunType,
  type SpanStatus,
  type SpanWrite,
} from "@berth/store";
import { failureOf } from "./run-error.ts";
import { fieldsOf, inputDetailsIn, usageIn } from "./run-usage.ts";

/** A run as the clients send it; what is not named here is left out. */
export type RunForm = Record<string, unknown>;

/** The span that a run becomes; which session it goes to is said beside it. */
type NewSpan = Omit<SpanWrite, "session_id">;

const RUN_TYPES = new Set<string>(["chain", "llm", "tool", "retriever", "embedding", "prompt", "parser"]);
const STATUSES = new Set<string>(["pending", "success", "error", "interrupted", "cancelled", "timeout"]);
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The last segment of a dotted order is the run itself, the first one its trace. */
const SEGMENT = /^\d{8}T\d{6}\d{6}Z(?<id>[\da-f-]{36})$/i;
/** What LangSmith's threads are told by, in its own order. */
const THREAD_KEYS = ["thread_id", "session_id", "conversation_id"];
const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2100, 0);

/** A UUID as rows hold it; undefined for anything else. */
export function uuid(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const id = value.toLowerCase();
  return UUID.test(id) ? id : undefined;
}

/** Milliseconds of a time, which Python writes without a zone and means UTC. */
export function instant(value: unknown): number | undefined {
  let at: number | undefined;
  if (typeof value === "number") at = value;
  else if (typeof value === "string") {
    const text = value.trim().replace(" ", "T");
    at = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  }
  return at !== undefined && at >= EARLIEST && at <= LATEST ? Math.round(at) : undefined;
}

/** The trace of a run, as far as the run itself tells. */
export function traceIdOf(run: RunForm, id: string): string | undefined {
  const order = typeof run.dotted_order === "string" ? run.dotted_order : "";
  const first = uuid(SEGMENT.exec(order.split(".", 1)[0] ?? "")?.groups?.id);
  return uuid(run.trace_id) ?? first ?? (run.parent_run_id === null ? id : undefined);
}

/** @param texts its larger fields as JSON text, where they came apart from it */
export function spanOf(run: RunForm, { id, traceId }: { id: string; traceId: string }): NewSpan {
  const metadata = metadataOf(run);
  const runType = typeof run.run_type === "string" ? run.run_type.toLowerCase() : undefined;
  const failure = typeof run.error === "string" && run.error !== "" ? failureOf(run.error) : undefined;
  const isModel = runType === "llm" || runType === "embedding" || runType === undefined;
  const usage = isModel ? usageIn(run, run.outputs, metadata) : undefined;
  const details = isModel ? inputDetailsIn(run.outputs) : undefined;
  const parent = uuid(run.parent_run_id) ?? parentIn(run.dotted_order);
  return {
    id,
    trace_id: traceId,
    parent_id: parent === id ? undefined : parent,
    thread_id: threadOf(metadata),
    name: text(run.name),
    run_type: runType !== undefined && RUN_TYPES.has(runType) ? (runType as RunType) : undefined,
    status: failure?.status ?? statusOf(run.status),
    start_time: instant(run.start_time),
    first_token_time: firstToken(run.events),
    end_time: instant(run.end_time),
    error: failure?.error,
    inputs: bodyOf(run.inputs),
    outputs: bodyOf(run.outputs),
    metadata: {
      ...metadata,
      ...(failure?.stack && { error_stack: failure.stack }),
      ...(details && { input_token_details: details as JsonObject }),
    },
    tags: tagsOf(run.tags),
    input_tokens: usage?.input,
    output_tokens: usage?.output,
    total_tokens: usage?.total,
    node: text(metadata.langgraph_node),
    dotted_order: text(run.dotted_order),
  };
}

function metadataOf({ extra, attachments }: RunForm): JsonObject {
  const sent = fieldsOf(fieldsOf(extra)?.metadata) ?? {};
  const given = passedBound(sent) === undefined ? sent : placesIn(sent);
  const names = Array.isArray(attachments) ? attachments : Object.keys(fieldsOf(attachments) ?? {});
  const metadata = names.length === 0 ? given : { ...given, dropped_attachments: names };
  return metadata as JsonObject;
}

/** A client is not stopped for metadata that is too large: what tells where the run belongs stays of it. */
function placesIn(sent: Record<string, unknown>): Record<string, unknown> {
  const places = [...THREAD_KEYS, "langgraph_node", "ls_model_name"].filter(
    (key) => passedBound(sent[key]) === undefined,
  );
  return { __cut__: true, ...Object.fromEntries(places.map((key) => [key, sent[key]])) };
}

function threadOf(metadata: JsonObject): string | undefined {
  for (const key of THREAD_KEYS) {
    const id = text(metadata[key]);
    if (id) return id.slice(0, 200);
  }
  return undefined;
}

function parentIn(order: unknown): string | undefined {
  const segment = typeof order === "string" ? order.split(".").at(-2) : undefined;
  return uuid(SEGMENT.exec(segment ?? "")?.groups?.id);
}

function firstToken(events: unknown): number | undefined {
  if (!Array.isArray(events)) return undefined;
  const event = events.find((each) => fieldsOf(each)?.name === "new_token");
  return instant(fieldsOf(event)?.time);
}

const statusOf = (value: unknown): SpanStatus | undefined =>
  typeof value === "string" && STATUSES.has(value) ? (value as SpanStatus) : undefined;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const bodyOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : JSON.stringify(value);

const tagsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.slice(0, MOST_ELEMENTS).filter((tag) => typeof tag === "string") : undefined;

/** Feedback as the clients send it; undefined where it names no run, or nothing to say of one. */
export function feedbackOf(form: Record<string, unknown>): NewTraceFeedback | undefined {
  const { key, score, value, comment, correction } = form;
  const runId = uuid(form.run_id);
  const traceId = uuid(form.trace_id);
  if (typeof key !== "string" || key === "" || (!runId && !traceId)) return undefined;
  return {
    id: uuid(form.id) ?? Bun.randomUUIDv7(),
    trace_id: traceId,
    span_id: runId,
    key,
    score: scoreOf(score),
    value: value ?? correction,
    comment: typeof comment === "string" ? comment : undefined,
  };
}

function scoreOf(score: unknown): number | undefined {
  if (typeof score === "boolean") return score ? 1 : 0;
  return typeof score === "number" && Number.isFinite(score) ? score : undefined;
}
