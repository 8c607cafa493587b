import type { SpanError } from "@berth/store";
import { encodeError } from "../wire.ts";
import { errorFacts } from "./error-facts.ts";
import type { SpanEnd } from "./live-span.ts";

/** The class of an error, also of one that never gave itself a name. */
export function spanError(error: unknown): SpanError {
  const { error: name, message } = encodeError(error);
  const made = error instanceof Error ? error.constructor.name : "";
  return { type: name === "Error" && made ? made : name, message };
}

/**
 * How whatever threw this ended. LangGraph throws also what is no failure: the question of an interrupt, and a
 * command for the graph above.
 */
export function endOf(error: unknown): SpanEnd {
  if (isBubbleUp(error)) return { status: error.name === "ParentCommand" ? "success" : "interrupted" };
  const what = spanError(error);
  if (what.type === "AbortError") return { status: "cancelled", error: what };
  return { status: "error", error: what, metadata: errorFacts(error) };
}

function isBubbleUp(error: unknown): error is Error & { is_bubble_up: true } {
  return error instanceof Error && "is_bubble_up" in error && error.is_bubble_up === true;
}
