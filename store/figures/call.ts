import { parseObject } from "../json-filter.ts";
import type { SpanRow } from "../schema/index.ts";
import { type ModelUsage, noCalls, oneDuration } from "./sums.ts";

type Call = Pick<
  SpanRow,
  | "run_type"
  | "status"
  | "start_time"
  | "first_token_time"
  | "end_time"
  | "metadata"
  | "input_tokens"
  | "output_tokens"
>;

const LONGEST_MODEL = 200;
/** Where clients and wrappers of models say which one it was, the plainest place first. */
const MODEL_FIELDS = ["ls_model_name", "model_name", "model"];

/** What a span adds to the usage of its trace: nothing, unless it is a call of a model that is over. */
export function callOf(span: Call): ModelUsage {
  if (span.run_type !== "llm" || span.status === "pending") return new Map();
  const facts = parseObject(span.metadata);
  const { cache_read, cache_creation } = detailsIn(facts);
  const { start_time, first_token_time, end_time } = span;
  const sums = {
    ...noCalls(),
    calls: 1,
    errors: span.status === "error" || span.status === "timeout" ? 1 : 0,
    inputTokens: span.input_tokens ?? 0,
    outputTokens: span.output_tokens ?? 0,
    cacheRead: count(cache_read),
    cacheWrite: count(cache_creation),
    latency: oneDuration(end_time === null ? null : Math.max(0, end_time - start_time)),
    firstToken: oneDuration(first_token_time === null ? null : Math.max(0, first_token_time - start_time)),
  };
  return new Map([[modelIn(facts), sums]]);
}

type Facts = Record<string, unknown>;

function modelIn(facts: Facts): string {
  for (const field of MODEL_FIELDS) {
    const name = facts[field];
    if (typeof name === "string" && name !== "") return name.slice(0, LONGEST_MODEL);
  }
  return "";
}

/** How many of the input tokens a cache of the provider held, or took (LangChain's `input_token_details`). */
function detailsIn({ input_token_details, usage_metadata }: Facts): Facts {
  const own = fields(input_token_details);
  return Object.keys(own).length > 0 ? own : fields(fields(usage_metadata).input_token_details);
}

const fields = (value: unknown): Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Facts) : {};

const count = (value: unknown): number =>
  typeof value === "number" && value > 0 && Number.isSafeInteger(value) ? value : 0;
