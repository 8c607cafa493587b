import type { Span } from "@berth/store";
import type { Evidence, Observation } from "./evidence.ts";
import { factsOf } from "./facts.ts";

/** Thrown, but no failure: questions to people, commands for the graph above, somebody who pressed stop. */
const CONTROL_FLOW =
  /^(?:\w+\.)*(?:GraphInterrupt|NodeInterrupt|GraphBubbleUp|ParentCommand|GraphDrained|AbortError|CancelledError|KeyboardInterrupt)\b/;
const RECURSION = /GraphRecursionError|^Recursion limit of \d+ reached/;

/** An error and nothing else; recursion limits are not among them, they have a detector of their own. */
export function hasFailed({ status, error }: Span): boolean {
  if (status !== "error") return false;
  return !CONTROL_FLOW.test(error?.type ?? "") && !CONTROL_FLOW.test(error?.message ?? "");
}

export function isRecursion({ error }: Span): boolean {
  return error !== null && (RECURSION.test(error.type) || RECURSION.test(error.message));
}

/**
 * Errors that were thrown, each where it began: what only passed it on is left out, though it may have put words of
 * its own around it.
 */
export function exceptions(evidence: Evidence): Observation[] {
  return evidence.spans
    .filter((span) => hasFailed(span) && !isRecursion(span) && !isConsequence(evidence, span))
    .map((span) => observation(evidence, span));
}

function observation(evidence: Evidence, span: Span): Observation {
  const { type, message } = span.error ?? { type: "", message: "" };
  const tool = evidence.tool(span);
  const went = evidence.root?.status === "error" ? "and the run failed" : "and the run went on";
  return {
    detector: tool === null ? "exception" : "tool_error",
    error_type: type || null,
    node: evidence.node(span),
    tool,
    message,
    reason: `${evidence.place(span)} threw ${type || "an error"}, ${went}.`,
    run_id: span.id,
    facts: factsOf(evidence, span),
  };
}

/** Whether the error of a span only tells on what went wrong in it. */
function isConsequence(evidence: Evidence, span: Span): boolean {
  const children = evidence.children(span);
  const failed = children.filter(hasFailed);
  if (failed.length === 0) return false;
  const message = span.error?.message ?? "";
  if (failed.some(({ error }) => error !== null && error.message !== "" && message.includes(error.message)))
    return true;
  // The last thing that it did failed, and then it did: it threw on what it got.
  const done = children.filter(({ status }) => status !== "cancelled");
  const last = done.reduce((one, other) => (endOf(other) > endOf(one) ? other : one), done[0] ?? span);
  return hasFailed(last);
}

const endOf = ({ end_time, start_time }: Span) => end_time ?? start_time;
