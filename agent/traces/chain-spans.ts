import { endOf } from "./error-facts.ts";
import { HIDDEN, type LiveSpan, type Scope, scopes } from "./run-trace.ts";

/** What we rely on of a configuration of LangChain's runnables. */
type ChainConfig = { tags?: string[]; runName?: string; runType?: string; callbacks?: Callbacks } | undefined;
type Callbacks = { _parentRunId?: unknown } | unknown[] | undefined;

type Chain = { getName?(): string; func?: { name?: string }; steps?: unknown[]; bound?: unknown };

type Method = (this: Chain, ...args: unknown[]) => unknown;

/** What we rely on of LangChain's runnables (core 1.x); whatever is missing is left alone. */
type ChainClasses = Partial<
  Record<"Runnable" | "RunnableSequence" | "RunnableMap" | "RunnableBranch", { prototype: object }>
>;

const watched = new WeakSet<object>();
/** What conditional edges ask where to go: a run asks them at every step, and what they say is seen anyway. */
const routes = new WeakSet<object>();

/** Where LangChain keeps what a tool or a chain was called with; the same for every copy of it. */
const STORAGE = Symbol.for("ls:tracing_async_local_storage");
const CONFIG = Symbol.for("lc:child_config");

/**
 * Makes chains that a node, a tool or another chain calls leave spans: runnables of LangChain, of all that are made of
 * one copy of it. Neither callbacks nor handlers are added: they are several times as slow, and outside of a run, or
 * where a node calls no chain, nothing is done at all.
 */
export function watchChains({ Runnable, RunnableSequence, RunnableMap, RunnableBranch }: ChainClasses): void {
  // Whatever has no way of its own goes through this one, with its function first.
  watchCall(Runnable, "_callWithConfig", 1);
  watchStream(Runnable, "_transformStreamWithConfig", undefined, 2);
  for (const way of [RunnableSequence, RunnableMap, RunnableBranch]) watchCall(way, "invoke", 0);
  watchStream(RunnableSequence, "_streamIterator", 0, 1);
}

type Drawn = {
  builder?: { branches?: Record<string, Record<string, { path?: object }>> };
  getSubgraphs?(): Iterable<[string, object]>;
};

/** Notes what the conditional edges of a graph and of those below it ask. */
export function leaveOutRoutes(graph: object): void {
  const { builder, getSubgraphs } = graph as Drawn;
  const paths = Object.values(builder?.branches ?? {}).flatMap((branches) => Object.values(branches));
  for (const { path } of paths) if (path) routes.add(path);
  try {
    for (const [, below] of getSubgraphs?.call(graph) ?? []) if (below !== graph) leaveOutRoutes(below);
  } catch {
    // A copy that finds them otherwise: they are shown.
  }
}

/** @param input which argument it is; the configuration comes behind it */
function watchCall(way: { prototype: object } | undefined, name: string, input: number): void {
  replace(way, name, (original) => {
    return function (this: Chain, ...args: unknown[]) {
      const span = begin(this, args[input], args[input + 1] as ChainConfig);
      if (!span) return original.apply(this, args);
      return called(span, () => original.apply(this, args) as Promise<unknown>);
    };
  });
}

function watchStream(
  way: { prototype: object } | undefined,
  name: string,
  input: number | undefined,
  config: number,
): void {
  replace(way, name, (original) => {
    return function (this: Chain, ...args: unknown[]) {
      // It is asked for by whoever calls the chain, and goes on when somebody reads it.
      const start = () =>
        begin(this, input === undefined ? undefined : args[input], args[config] as ChainConfig);
      const stream = original.apply(this, args) as AsyncGenerator<unknown>;
      return scopes.getStore() ? streamed(start, stream) : stream;
    };
  });
}

function replace(
  way: { prototype: object } | undefined,
  name: string,
  watching: (original: Method) => Method,
): void {
  const prototype = way?.prototype as Record<string, unknown> | undefined;
  const original = prototype?.[name];
  if (!prototype || typeof original !== "function" || watched.has(original)) return;
  const watchingIt = watching(original as Method);
  watched.add(watchingIt);
  prototype[name] = watchingIt;
}

type Begun = { scope: Scope; span: LiveSpan };

/** The span of a chain, if it is one that is shown. */
function begin(chain: Chain, inputs: unknown, config: ChainConfig): Begun | undefined {
  const scope = scopes.getStore();
  if (!scope || scope.span === scope.trace.root || config?.tags?.includes(HIDDEN)) return undefined;
  // A task of the functional API is a chain itself.
  if (scope.node === "next") scope.node = chain;
  if (isOfNode(scope.node, chain) || routes.has(chain)) return undefined;
  const name = config?.runName ?? nameOf(chain);
  const runType = config?.runType === "prompt" || config?.runType === "parser" ? config.runType : "chain";
  const span = scope.trace.begin(parentOf(scope, config), { name, runType, inputs, node: scope.span.node });
  return span && { scope, span };
}

/** What a tool calls is below it; LangChain's callbacks say so. */
function parentOf({ trace, span }: Scope, config: ChainConfig): LiveSpan {
  const callbacks = config?.callbacks ?? storedConfig()?.callbacks;
  const caller =
    typeof callbacks === "object" && "_parentRunId" in callbacks ? callbacks._parentRunId : undefined;
  return typeof caller === "string" ? trace.parent(caller, span) : span;
}

type Stored = { getStore?(): { extra?: Record<symbol, unknown> } | undefined };

function storedConfig(): ChainConfig {
  const storage = (globalThis as Record<symbol, unknown>)[STORAGE] as Stored | undefined;
  return storage?.getStore?.()?.extra?.[CONFIG] as ChainConfig;
}

/** What a node consists of is the node itself, and not called by it. */
function isOfNode(node: Scope["node"], chain: Chain): boolean {
  if (typeof node !== "object") return false;
  const { steps, bound } = node as Chain;
  // The first step of a node is an object made after the chain (`heeded`).
  const isChain = (part: object) => part === chain || Object.getPrototypeOf(part) === chain;
  const isPart = (part: unknown) => isChain(Object(part)) || (part as Chain | undefined)?.bound === chain;
  return node === chain || bound === chain || (Array.isArray(steps) && steps.some(isPart));
}

/** A function is known by its own name. */
function nameOf(chain: Chain): string {
  const name = chain.getName?.() ?? "chain";
  return name === "RunnableLambda" && chain.func?.name ? chain.func.name : name;
}

async function called({ scope, span }: Begun, body: () => Promise<unknown>): Promise<unknown> {
  const { trace } = scope;
  try {
    const outputs = await scopes.run({ ...scope, span }, body);
    trace.end(span, { status: "success", outputs });
    return outputs;
  } catch (error) {
    trace.end(span, endOf(error));
    throw error;
  }
}

async function* streamed(
  start: () => Begun | undefined,
  stream: AsyncGenerator<unknown>,
): AsyncGenerator<unknown> {
  const begun = start();
  if (!begun) return yield* stream;
  const { scope, span } = begun;
  const inside = { ...scope, span };
  let outputs: unknown;
  try {
    for (;;) {
      const { done, value } = await scopes.run(inside, () => stream.next());
      if (done) break;
      outputs = joined(outputs, value);
      yield value;
    }
    scope.trace.end(span, { status: "success", outputs });
  } catch (error) {
    scope.trace.end(span, endOf(error));
    throw error;
  } finally {
    // Whoever reads no further has what it wanted.
    if (span.end === undefined) {
      scope.trace.end(span, { status: "success", outputs });
      await stream.return(undefined);
    }
  }
}

type Joinable = { concat(other: unknown): unknown };

/** What came in parts: texts and chunks of messages as one, of others the last. */
function joined(before: unknown, part: unknown): unknown {
  if (before === undefined) return part;
  if (typeof before === "string") return typeof part === "string" ? before + part : part;
  const isJoinable =
    typeof before === "object" && before !== null && !Array.isArray(before) && "concat" in before;
  if (!isJoinable) return part;
  try {
    return (before as Joinable).concat(part);
  } catch {
    return part;
  }
}
