import type { Span } from "@berth/store";
import { isRecord } from "../../record.ts";
import type { Evidence, Observation } from "./evidence.ts";
import { type Message, messagesIn } from "./messages.ts";

/** What providers say when an answer had to end before it was complete. */
const CUT_OFF = /^(?:length|max_tokens|max_output_tokens|model_length)$/i;

/** Answers that stop in the middle, and conversations that end with nothing. */
export function answers(evidence: Evidence): Observation[] {
  const models = evidence.spans.filter(({ run_type, status }) => run_type === "llm" && status === "success");
  const cut = models.filter((span) => CUT_OFF.test(finishOf(evidence, span) ?? ""));
  const found = cut.slice(0, 1).map((span) => cutOff(evidence, span));
  const last = models.reduce<Span | undefined>(
    (one, other) => (one && (one.end_time ?? 0) > (other.end_time ?? 0) ? one : other),
    undefined,
  );
  // One that was cut off before its first word is told already.
  if (last && evidence.root?.status === "success" && !cut.includes(last) && isEmpty(evidence, last))
    found.push(empty(evidence, last));
  return found;
}

function finishOf(evidence: Evidence, span: Span): string | null {
  const stated = span.metadata.finish_reason ?? span.metadata.stop_reason;
  if (typeof stated === "string") return stated;
  if (span.outputs === null || !/finish|stop_reason/.test(span.outputs)) return null;
  return messagesIn(evidence.outputs(span))[0]?.finish ?? finishBeside(evidence.outputs(span));
}

/** Generations of LangChain and choices of OpenAI have it beside the message. */
function finishBeside(value: unknown, depth = 0): string | null {
  if (depth > 4 || typeof value !== "object" || value === null) return null;
  if (isRecord(value)) {
    for (const key of ["finish_reason", "stop_reason", "finishReason"]) {
      if (typeof value[key] === "string") return value[key];
    }
  }
  for (const inner of Object.values(value)) {
    const found = finishBeside(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** The last word of a run is empty: neither text nor a call, in the model's answer and at the end of the state. */
function isEmpty(evidence: Evidence, model: Span): boolean {
  const answer = messagesIn(evidence.outputs(model)).find(({ type }) => type === "ai");
  if (!answer || !isBlank(answer)) return false;
  const root = evidence.root && messagesIn(evidence.outputs(evidence.root)).at(-1);
  return root === undefined || root.type !== "ai" || isBlank(root);
}

const isBlank = ({ text, toolCalls }: Message) => text.trim() === "" && toolCalls.length === 0;

function cutOff(evidence: Evidence, span: Span): Observation {
  return {
    detector: "cut_off_answer",
    error_type: "CutOffAnswer",
    node: evidence.node(span),
    tool: null,
    message: "The answer of the model ends at its token limit",
    reason: `${evidence.place(span)} ended at its token limit, before the answer was complete.`,
    run_id: span.id,
  };
}

function empty(evidence: Evidence, span: Span): Observation {
  return {
    detector: "empty_answer",
    error_type: "EmptyAnswer",
    node: evidence.node(span),
    tool: null,
    message: "The run ends with an empty answer",
    reason: "The last model call of the run gave neither text nor a tool call.",
    run_id: span.id,
  };
}
