import type { EndedSpan } from "@berth/agent";
import type { ExportedSpan } from "./span.ts";

type Told = Pick<ExportedSpan, "name" | "kind" | "attributes">;

/** As much of inputs and outputs as is exported. */
const MOST_CHARS = 8_192;

/** A span of a run in the words of OpenTelemetry's conventions for generative AI. */
export function runAttributes(span: EndedSpan, { captureContent }: { captureContent: boolean }): Told {
  const { name, kind, attributes } = told(span);
  return {
    name,
    kind,
    attributes: {
      ...attributes,
      "error.type": span.error?.type,
      "berth.run.id": span.runId,
      "berth.thread.id": span.threadId,
      "berth.span.id": span.id,
      "berth.status": span.status,
      "langgraph.node": span.node,
      ...(captureContent && content(span)),
    },
  };
}

function told(span: EndedSpan): Told {
  if (span.parentId === undefined) return ofRun(span);
  switch (span.runType) {
    case "llm":
      return ofModel(span);
    case "tool":
      return ofTool(span);
    default:
      return {
        name: span.name,
        kind: "internal",
        attributes: { "langgraph.step": number(span, "langgraph_step") },
      };
  }
}

function ofRun(span: EndedSpan): Told {
  return {
    name: `invoke_agent ${span.name}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": span.name,
      "gen_ai.agent.id": text(span, "assistant_id"),
      "gen_ai.conversation.id": span.threadId,
      "berth.attempt": number(span, "attempt"),
    },
  };
}

function ofModel(span: EndedSpan): Told {
  const model = text(span, "ls_model_name");
  const reason = text(span, "finish_reason");
  const { usage, firstTokenAt, startedAt } = span;
  return {
    name: `chat ${model ?? span.name}`,
    kind: "client",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": text(span, "ls_provider"),
      "gen_ai.request.model": model,
      "gen_ai.request.temperature": number(span, "ls_temperature"),
      "gen_ai.request.max_tokens": number(span, "ls_max_tokens"),
      "gen_ai.response.finish_reasons": reason === undefined ? undefined : [reason],
      "gen_ai.usage.input_tokens": usage?.input ?? undefined,
      "gen_ai.usage.output_tokens": usage?.output ?? undefined,
      "berth.time_to_first_token_ms": firstTokenAt === undefined ? undefined : firstTokenAt - startedAt,
    },
  };
}

const ofTool = (span: EndedSpan): Told => ({
  name: `execute_tool ${span.name}`,
  kind: "internal",
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": span.name,
    "gen_ai.tool.call.id": text(span, "tool_call_id"),
  },
});

/** What went in and came out, as JSON. */
function content({ runType, inputs, outputs }: EndedSpan): Told["attributes"] {
  const [before, after] =
    runType === "llm"
      ? ["gen_ai.input.messages", "gen_ai.output.messages"]
      : runType === "tool"
        ? ["gen_ai.tool.call.arguments", "gen_ai.tool.call.result"]
        : ["input.value", "output.value"];
  return { [before]: cut(inputs()), [after]: cut(outputs()) };
}

const cut = (json: string | undefined) => json?.slice(0, MOST_CHARS).toWellFormed();

function text({ metadata }: EndedSpan, key: string): string | undefined {
  const value = metadata?.[key];
  return typeof value === "string" ? value : undefined;
}

function number({ metadata }: EndedSpan, key: string): number | undefined {
  const value = metadata?.[key];
  return typeof value === "number" ? value : undefined;
}
