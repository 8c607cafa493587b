import type { Span } from "@berth/store";
import type { Evidence, Observation } from "./evidence.ts";
import { hasFailed } from "./exceptions.ts";
import { factsOf } from "./facts.ts";
import { type Message, messagesIn } from "./messages.ts";

/**
 * Tools that answered with an error instead of throwing it: messages with the status `error`. One that repeats what a
 * tool threw is left out, and so is one that an earlier run of the thread got.
 */
export function toolMessages(evidence: Evidence): Observation[] {
  const thrown = evidence.spans.filter((span) => span.run_type === "tool" && hasFailed(span));
  const threw = new Set(thrown.map(({ metadata }) => metadata.tool_call_id));
  const seen = new Set<string | null>();
  return evidence.spans.filter(mayHold).flatMap((span) =>
    messagesIn(evidence.outputs(span))
      .filter((message) => isError(message) && isNew(evidence, span, message))
      .filter(({ toolCallId, text }) => {
        if (toolCallId !== null && (seen.has(toolCallId) || threw.has(toolCallId))) return false;
        seen.add(toolCallId);
        return !thrown.some(
          ({ error }) => error !== null && error.message !== "" && text.includes(error.message),
        );
      })
      .map((message) => observation(evidence, span, message)),
  );
}

/** Only what tools and nodes give themselves: the state as a whole repeats it all. */
function mayHold({ run_type, parent_id, outputs }: Span): boolean {
  if (outputs === null || !outputs.includes('"error"')) return false;
  return run_type === "tool" || (run_type === "chain" && parent_id !== null);
}

const isError = ({ type, status }: Message) => type === "tool" && status === "error";

/** A node may give back the whole conversation: what was there when the run began is not of this run. */
function isNew({ root }: Evidence, span: Span, { toolCallId }: Message): boolean {
  if (toolCallId === null || span.run_type === "tool") return true;
  return !(root?.inputs?.includes(toolCallId) ?? false);
}

function observation(evidence: Evidence, span: Span, { name, text }: Message): Observation {
  const tool = evidence.tool(span) ?? name;
  return {
    detector: "tool_error",
    error_type: null,
    node: evidence.node(span),
    tool,
    message: text,
    reason: `${tool === null ? "A tool" : `The tool ${tool}`} answered with an error, and the run went on with that.`,
    run_id: span.id,
    facts: factsOf(evidence, span),
  };
}
