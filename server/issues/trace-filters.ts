import type { TraceSearch } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, momentOf, oneOf, Uuid } from "../http/index.ts";
import { Part } from "./filters.ts";
import { SPAN_STATUSES } from "./wire/index.ts";

const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const SORTS = ["start_time", "latency_ms", "total_tokens", "cost"] as const;

/** What traces are searched by. */
export const traceSearchFields = {
  q: Type.Optional(Part),
  session_id: Type.Optional(Uuid),
  thread_id: Type.Optional(Part),
  status: Type.Optional(oneOf(SPAN_STATUSES)),
  name: Type.Optional(Part),
  error: Type.Optional(Part),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  min_latency_ms: Type.Optional(Whole),
  max_latency_ms: Type.Optional(Whole),
  tag: Type.Optional(Part),
  min_tokens: Type.Optional(Whole),
  min_cost: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: "US dollars. Leaves out traces without a known cost.",
    }),
  ),
  feedback_key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  min_score: Type.Optional(Type.Number()),
  max_score: Type.Optional(Type.Number()),
  sort: Type.Optional(oneOf(SORTS)),
};

const Asked = Type.Object(traceSearchFields);

/** The search that a query asks for. */
export function traceSearchOf(query: Static<typeof Asked>): Omit<TraceSearch, "limit"> {
  const { status, name, error, tag, sort } = query;
  return {
    ...{ status, name, error, tag, sort },
    query: query.q,
    sessionId: query.session_id,
    threadId: query.thread_id,
    from: momentOf("query", "from", query.from),
    to: momentOf("query", "to", query.to),
    minLatencyMs: query.min_latency_ms,
    maxLatencyMs: query.max_latency_ms,
    minTokens: query.min_tokens,
    minCost: query.min_cost,
    feedbackKey: query.feedback_key,
    minScore: query.min_score,
    maxScore: query.max_score,
  };
}
