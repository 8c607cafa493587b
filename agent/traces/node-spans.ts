import type { Graph } from "../project/index.ts";
import { leaveOutRoutes } from "./chain-spans.ts";
import { endOf } from "./error-facts.ts";
import { HIDDEN, type LiveSpan, type Scope, scopes } from "./run-trace.ts";

type Config = {
  runName?: string | undefined;
  tags?: string[];
  metadata?: Record<string, unknown>;
  callbacks?: unknown;
  configurable?: Record<string, unknown>;
  executionInfo?: { nodeAttempt?: number };
};

/** What we rely on of a node's runnable: that LangGraph calls this, once for each attempt. */
type Runnable = {
  invoke(input: unknown, config: Config): Promise<unknown>;
  /** Of a sequence. */
  first?: Runnable;
};

/**
 * What we rely on of LangGraph's `PregelNode` (1.x): each superstep asks it what to run, and gets something of its
 * own unless that is all of what the node is made of.
 */
type NodePrototype = { getNode(): Runnable | undefined; bound?: unknown; writers?: readonly unknown[] };

/** How the functional API calls a task. */
type Call = (func: unknown, name: string, input: unknown, options?: unknown) => Promise<unknown>;

const CALL = "__pregel_call";

const watched = new WeakSet<object>();

/**
 * Makes the nodes of a graph's LangGraph leave spans, of all graphs of that copy. Callbacks would tell of them too,
 * but they double the cost of a run that has none.
 *
 * A copy that is built differently is left alone: its runs have a root span only.
 */
export function watchNodes(graph: Graph): void {
  if (watched.has(graph)) return;
  watched.add(graph);
  leaveOutRoutes(graph);
  const prototype = nodePrototype(graph);
  if (!prototype || watched.has(prototype)) return;
  watched.add(prototype);
  const getNode = prototype.getNode;
  prototype.getNode = function (this: NodePrototype) {
    const runnable = getNode.call(this);
    if (!runnable || !scopes.getStore()) return runnable;
    const isShared = runnable === this.bound || (this.writers?.includes(runnable) ?? true);
    if (!isShared && runnable.first && runnable.first === this.bound) runnable.first = heeded(runnable.first);
    return watch(runnable, isShared);
  };
}

/** By the node's own runnable: one for all its calls. */
const heededOf = new WeakMap<object, Runnable>();

/**
 * The first of a node's sequence, which is what the project wrote. Its trace knows when it has ended: the sequence
 * itself ends as soon as the run is cancelled.
 */
function heeded(first: Runnable): Runnable {
  const known = heededOf.get(first);
  if (known) return known;
  const made: Runnable = Object.create(first);
  made.invoke = (input, config) => {
    const running = first.invoke(input, config);
    scopes.getStore()?.trace.runs(running);
    return running;
  };
  heededOf.set(first, made);
  return made;
}

function nodePrototype(graph: object): NodePrototype | undefined {
  const nodes: unknown = "nodes" in graph ? graph.nodes : undefined;
  if (typeof nodes !== "object" || nodes === null) return undefined;
  const [node] = Object.values(nodes);
  const prototype: unknown = typeof node === "object" && node !== null ? Object.getPrototypeOf(node) : null;
  if (typeof prototype !== "object" || prototype === null) return undefined;
  return "getNode" in prototype && typeof prototype.getNode === "function"
    ? (prototype as NodePrototype)
    : undefined;
}

/**
 * The same runnable to whoever looks at it; only that it is called is noticed. One that is shared stays as it is: but
 * an object made after another, with a prototype of its own each time, is slow for whoever calls it.
 */
function watch(runnable: Runnable, isShared: boolean): Runnable {
  const original = runnable.invoke;
  const noticed = isShared ? (Object.create(runnable) as Runnable) : runnable;
  const invoke: Runnable["invoke"] = (input, config) => original.call(runnable, input, config);
  noticed.invoke = (input, config) => {
    const scope = scopes.getStore();
    if (!scope || config.tags?.includes(HIDDEN)) return invoke(input, config);
    return invokeNode(scope, { runnable, invoke }, input, config);
  };
  return noticed;
}

function invokeNode(
  scope: Scope,
  { runnable, invoke }: { runnable: Runnable; invoke: Runnable["invoke"] },
  input: unknown,
  config: Config,
): Promise<unknown> {
  const { trace } = scope;
  const node = nodeName(config);
  const name = node ?? config.runName ?? "node";
  const span = trace.begin(parentOf(scope, config), {
    ...{ name, runType: "chain", inputs: input, node },
    metadata: nodeMetadata(config),
  });
  // With nobody to tell, LangChain hands the node's name down to the calls in it. (The object is of this call only.)
  if (config.callbacks === undefined) config.runName = undefined;
  if (!span) return invoke(input, config);
  watchTasks(config, trace, span);
  return traced({ trace, span, node: runnable }, () => invoke(input, config));
}

/** A graph that a tool called belongs to the tool; LangChain's callbacks say so where LangGraph does not. */
function parentOf({ trace, span }: Scope, { callbacks }: Config): LiveSpan {
  const caller =
    typeof callbacks === "object" && callbacks !== null && "_parentRunId" in callbacks
      ? callbacks._parentRunId
      : undefined;
  return typeof caller === "string" ? trace.parent(caller, span) : span;
}

/** What the functional API calls from within a node are spans of their own. */
function watchTasks({ configurable }: Config, trace: Scope["trace"], node: LiveSpan): void {
  const call = configurable?.[CALL];
  if (!configurable || typeof call !== "function" || watched.has(call)) return;
  const original = call as Call;
  const noticed: Call = (func, name, input, options) => {
    const parent = scopes.getStore()?.span ?? node;
    const span = trace.begin(parent, { name, runType: "chain", inputs: input, node: name });
    const run = () => original(func, name, input, options);
    return span ? traced({ trace, span, node: "next" }, run) : run();
  };
  watched.add(noticed);
  // LangGraph has just made this object, for this call of this node.
  configurable[CALL] = noticed;
}

async function traced(scope: Scope, body: () => Promise<unknown>): Promise<unknown> {
  const { trace, span } = scope;
  try {
    const outputs = await scopes.run(scope, body);
    trace.end(span, { status: "success", outputs });
    return outputs;
  } catch (error) {
    trace.end(span, endOf(error));
    throw error;
  }
}

function nodeName({ metadata }: Config): string | undefined {
  const node = metadata?.langgraph_node;
  return typeof node === "string" ? node : undefined;
}

function nodeMetadata({ metadata, executionInfo }: Config): Record<string, unknown> {
  const attempt = executionInfo?.nodeAttempt ?? 1;
  return {
    ...(metadata && {
      langgraph_step: metadata.langgraph_step,
      langgraph_checkpoint_ns: metadata.langgraph_checkpoint_ns,
    }),
    ...(attempt > 1 && { node_attempt: attempt }),
  };
}
