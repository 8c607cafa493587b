import { endOf } from "./error-facts.ts";
import {
  type LiveSpan,
  type Scope,
  type SpanEnd,
  type SpanStart,
  scopes,
  type TokenUsage,
} from "./run-trace.ts";

type Handle = (...args: never[]) => unknown;

/** What a call is told about through LangChain's callbacks, one for each that was started. */
type CallManager = { runId: string } & Record<string, unknown>;

/** What we rely on of LangChain's `CallbackManager` (core 1.x). */
type Manager = { _parentRunId?: string } & Record<string, unknown>;

type ManagerClass = {
  new (): object;
  prototype: object;
  configure(...args: never[]): unknown;
};

const watched = new WeakSet<object>();

/** Of the metadata of a model call, what says which model it was. */
const MODEL_FACTS = ["ls_provider", "ls_model_name", "ls_model_type", "ls_temperature", "ls_max_tokens"];

/**
 * Makes the calls of models, tools and retrievers leave spans, of all that are made of one copy of LangChain.
 *
 * Those calls, and nothing else, ask `CallbackManager.configure` for whom to tell. There the one that they get
 * learns to tell us: no handler is added, as each would be called for every token, and chains keep their own short
 * way, which is as fast as before.
 *
 * A copy that is built differently is left alone.
 */
export function watchCalls(CallbackManager: ManagerClass | undefined): void {
  if (!CallbackManager || watched.has(CallbackManager) || !isAsExpected(CallbackManager)) return;
  watched.add(CallbackManager);
  const configure = CallbackManager.configure;
  CallbackManager.configure = function (this: ManagerClass, ...args: never[]) {
    const manager = configure.apply(this, args);
    const scope = scopes.getStore();
    if (!scope) return manager;
    const facts: unknown = args[4];
    const made = (manager ?? new this()) as Manager;
    watch(made, scope, typeof facts === "object" && facts !== null ? (facts as Facts) : {});
    return made;
  };
  const { prototype } = CallbackManager as unknown as { prototype: Manager & { handleChainStart: Handle } };
  const chainStart = prototype.handleChainStart;
  prototype.handleChainStart = function (this: Manager, ...args: never[]) {
    followChain(this, args);
    return chainStart.apply(this, args);
  };
}

type Facts = Record<string, unknown>;

function isAsExpected({ configure, prototype }: ManagerClass): boolean {
  const starts = ["handleChatModelStart", "handleLLMStart", "handleToolStart", "handleRetrieverStart"];
  return (
    typeof configure === "function" &&
    [...starts, "handleChainStart"].every((name) => typeof (prototype as Facts)[name] === "function")
  );
}

/** A chain below a tool leads to what is called in it: a graph that a tool calls is a chain for LangChain. */
function followChain({ _parentRunId: parent }: Manager, args: unknown[]): void {
  const scope = parent === undefined ? undefined : scopes.getStore();
  const span = scope?.trace.under(parent);
  if (!scope || !span) return;
  args[2] ??= Bun.randomUUIDv7();
  scope.trace.leads(args[2] as string, span);
}

/** Notices what is started through this one manager. */
function watch(manager: Manager, scope: Scope, facts: Facts): void {
  const parent = scope.trace.parent(manager._parentRunId, scope.span);
  const notice = (name: string, ends: Ends, start: (args: unknown[], index: number) => SpanStart) => {
    const original = manager[name] as (...args: unknown[]) => Promise<CallManager | CallManager[]>;
    manager[name] = async (...args: unknown[]) => {
      const given = args[2] !== undefined;
      const calls = await original.apply(manager, args);
      for (const [index, call] of (Array.isArray(calls) ? calls : [calls]).entries()) {
        const id = given && index === 0 ? undefined : call.runId;
        const span = scope.trace.begin(parent, start(args, index), id);
        if (span) watchEnd(call, scope, span, ends);
      }
      return calls;
    };
  };
  const model = (key: string) => (args: unknown[], index: number) => ({
    ...{ name: nameOf(args[7], args[0], "model"), runType: "llm" as const, node: nodeOf(scope.span) },
    inputs: { [key]: Array.isArray(args[1]) ? args[1][index] : args[1] },
    metadata: pick(facts, MODEL_FACTS),
  });
  notice("handleChatModelStart", MODEL, model("messages"));
  notice("handleLLMStart", MODEL, model("prompt"));
  notice("handleToolStart", TOOL, (args) => ({
    ...{ name: nameOf(args[6], args[0], "tool"), runType: "tool", node: nodeOf(scope.span) },
    inputs: args[1],
    metadata: typeof args[7] === "string" ? { tool_call_id: args[7] } : {},
  }));
  notice("handleRetrieverStart", RETRIEVER, (args) => ({
    ...{ name: nameOf(args[6], args[0], "retriever"), runType: "retriever", node: nodeOf(scope.span) },
    inputs: { query: args[1] },
  }));
}

/** Which of a call's callbacks say that it is over, and with what. */
type Ends = { end: string; error: string; tokens: string[]; read(output: unknown): Omit<SpanEnd, "status"> };

const MODEL: Ends = {
  end: "handleLLMEnd",
  error: "handleLLMError",
  tokens: ["handleLLMNewToken", "handleChatModelStreamEvent"],
  read: (output) => {
    const reason = finishReason(output);
    const details = inputDetails(output);
    return {
      outputs: { message: answerOf(output) },
      usage: usageOf(output),
      metadata: {
        ...(reason !== undefined && { finish_reason: reason }),
        ...(details && { input_token_details: details }),
      },
    };
  },
};
const TOOL: Ends = {
  ...{ end: "handleToolEnd", error: "handleToolError", tokens: [] },
  read: (outputs) => ({ outputs }),
};
const RETRIEVER: Ends = {
  ...{ end: "handleRetrieverEnd", error: "handleRetrieverError", tokens: [] },
  read: (documents) => ({ outputs: { documents } }),
};

function watchEnd(
  call: CallManager,
  { trace }: Scope,
  span: LiveSpan,
  { end, error, tokens, read }: Ends,
): void {
  // What this call calls names it as its parent.
  trace.leads(call.runId, span);
  before(call, end, ([output]) => trace.end(span, { status: "success", ...read(output) }));
  before(call, error, ([thrown]) => trace.end(span, endOf(thrown)));
  for (const name of tokens) {
    before(call, name, () => {
      trace.firstToken(span);
      // From the second on they go the short way.
      delete call[name];
    });
  }
}

function before(call: CallManager, name: string, notice: (args: unknown[]) => void): void {
  const original = call[name];
  if (typeof original !== "function") return;
  call[name] = (...args: unknown[]) => {
    notice(args);
    return original.apply(call, args);
  };
}

function nameOf(runName: unknown, serialized: unknown, otherwise: string): string {
  if (typeof runName === "string" && runName !== "") return runName;
  const id: unknown = (serialized as { id?: unknown } | undefined)?.id;
  const last: unknown = Array.isArray(id) ? id.at(-1) : undefined;
  return typeof last === "string" ? last : otherwise;
}

/** Calls belong to the node that they are made in. */
function nodeOf(span: LiveSpan): string | undefined {
  return span.node;
}

function pick(facts: Facts, keys: string[]): Facts {
  return Object.fromEntries(
    keys.flatMap((key) => (facts[key] === undefined || facts[key] === null ? [] : [[key, facts[key]]])),
  );
}

type Fields = Record<string, unknown>;

/** The message that a model's answer is, or what stands for it. */
function answerOf(output: unknown): unknown {
  const generation = firstGeneration(output);
  return fields(generation)?.message ?? fields(generation)?.text;
}

/** What a model used for an answer, as its message says or else as its provider did. */
function usageOf(output: unknown): TokenUsage | undefined {
  const message = fields(fields(firstGeneration(output))?.message);
  const stated = fields(message?.usage_metadata);
  if (stated) return usage(stated.input_tokens, stated.output_tokens, stated.total_tokens);
  const provider = fields(fields(output)?.llmOutput);
  const counted = fields(provider?.tokenUsage) ?? fields(provider?.usage);
  return (
    counted &&
    usage(
      counted.promptTokens ?? counted.prompt_tokens ?? counted.input_tokens,
      counted.completionTokens ?? counted.completion_tokens ?? counted.output_tokens,
      counted.totalTokens ?? counted.total_tokens,
    )
  );
}

/** How many of the input tokens a cache of the provider held or took: they have prices of their own. */
function inputDetails(output: unknown): Facts | undefined {
  const message = fields(fields(firstGeneration(output))?.message);
  const { cache_read, cache_creation } = fields(fields(message?.usage_metadata)?.input_token_details) ?? {};
  return cache_read || cache_creation ? { cache_read, cache_creation } : undefined;
}

/** Why a model stopped, in its provider's word. */
function finishReason(output: unknown): string | undefined {
  const generation = fields(firstGeneration(output));
  const about = {
    ...fields(generation?.generationInfo),
    ...fields(fields(generation?.message)?.response_metadata),
  };
  const reason = about.finish_reason ?? about.stop_reason ?? about.done_reason;
  return typeof reason === "string" ? reason : undefined;
}

function usage(input: unknown, output: unknown, total: unknown): TokenUsage | undefined {
  const count = (value: unknown) => (typeof value === "number" && value >= 0 ? Math.round(value) : null);
  const counts = { input: count(input), output: count(output), total: count(total) };
  if (counts.input === null && counts.output === null && counts.total === null) return undefined;
  return counts;
}

function firstGeneration(output: unknown): unknown {
  const generations = fields(output)?.generations;
  const [first]: unknown[] = Array.isArray(generations) ? generations : [];
  return Array.isArray(first) ? first[0] : first;
}

function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
