import type { NewTraceFeedback } from "@berth/store";
import { uuid } from "./run-form.ts";

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
