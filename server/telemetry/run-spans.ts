import type { EndedSpan, RunWatch } from "@berth/agent";
import { asked, type ExportedSpan, isSampled, type SpanContext } from "./span.ts";

/** Runs whose requests are remembered; of more, those that wait longest begin traces of their own. */
const MOST_RUNS = 10_000;
const FAILED = new Set(["error", "timeout"]);

type RunSpansOptions = { sampled: number; captureContent: boolean };

/** Makes spans of what runs do: below the request that asked for the run, where it came to this process. */
export class RunSpans implements RunWatch {
  readonly #requests = new Map<string, SpanContext>();

  constructor(
    private readonly take: (span: ExportedSpan) => void,
    private readonly options: RunSpansOptions,
  ) {}

  created(runId: string): void {
    const request = asked.getStore();
    if (!request || this.#requests.has(runId)) return;
    const [oldest] = this.#requests.keys();
    if (oldest !== undefined && this.#requests.size >= MOST_RUNS) this.#requests.delete(oldest);
    this.#requests.set(runId, request);
  }

  ended(span: EndedSpan): void {
    const request = this.#requests.get(span.runId);
    // Nothing comes after the run itself.
    if (span.parentId === undefined) this.#requests.delete(span.runId);
    const context = this.#contextOf(span.id, span.runId, request);
    if (!context.isSampled) return;
    const { name, kind, attributes } = runAttributes(span, this.options);
    const hasFailed = FAILED.has(span.status);
    this.take({
      ...{ name, kind, attributes, context },
      parent: span.parentId === undefined ? request : { ...context, spanId: spanIdOf(span.parentId) },
      startedAt: span.startedAt,
      endedAt: span.endedAt,
      failure: hasFailed ? (span.error?.message ?? span.status) : undefined,
    });
  }

  /** Made of the ids that they have in Berth, so that one is found by the other. */
  #contextOf(id: string, runId: string, request: SpanContext | undefined): SpanContext {
    const spanId = spanIdOf(id);
    if (request) return { ...request, spanId };
    const traceId = runId.replaceAll("-", "");
    return { traceId, spanId, isSampled: isSampled(traceId, this.options.sampled) };
  }
}

/** The random half of a UUID. */
const spanIdOf = (id: string): string => id.replaceAll("-", "").slice(-16);

type Told = Pick<ExportedSpan, "name" | "kind" | "attributes">;

/** As much of inputs and outputs as is exported. */
const MOST_CHARS = 8_192;

/** A span of a run in the words of OpenTelemetry's conventions for generative AI. */
function runAttributes(span: EndedSpan, { captureContent }: { captureContent: boolean }): Told {
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
