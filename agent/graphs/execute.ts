import type { Run } from "@berth/store";
import { interruptsBeside, interruptsIn } from "../interrupts.ts";
import {
  type Graph,
  type Project,
  running,
  type Saver,
  type SpanNote,
  spelledPayload,
} from "../project/index.ts";
import { isRecord } from "../record.ts";
import type { AttemptHost, ResultParts, RunKwargs } from "../runs/index.ts";
import { encode, encodeState } from "../wire.ts";
import { BREAKPOINT, CompletedMessages, type GraphChunk, isEnvelope, libraryModes } from "./chunks.ts";
import { fairTurns } from "./fair-turns.ts";
import { Frames, frameName } from "./frames.ts";
import { MessageEnds } from "./message-ends.ts";
import { modelTokens } from "./model-tokens.ts";
import { callbackEvents, type Emitted, type GraphStreamOptions, graphChunks } from "./source.ts";
import { toolPlaces } from "./tool-places.ts";
import { EXTENSION, extensionJson, Transformers } from "./transformers.ts";
import type { WrittenMessages } from "./written-messages.ts";

/** What a graph came to when it ran to its own end. */
export type GraphOutcome = {
  /** The whole state; undefined when the graph emitted none. */
  values: unknown;
  /** Its JSON, where that was needed already. */
  text?: string;
  /** Set when it stopped at an interrupt; empty at a breakpoint. */
  interrupts: unknown[] | undefined;
  /** Which of them a client that waits for the run receives. */
  result?: ResultParts;
};

export type ExecuteDeps = {
  project: Project;
  host: AttemptHost;
  checkpoints: Saver;
  store: unknown;
  signal: AbortSignal;
  /** Where and as what this server speaks to the graph (`langgraph_api_url` …). */
  metadata: Record<string, unknown>;
  /** Told of the graph before it runs. */
  watch?: ((graph: Graph) => void) | undefined;
  /** Hears of the spans of a graph that is in another process. */
  notes?: ((note: SpanNote) => void) | undefined;
  /** Hears what is written, and what of it the state has. */
  written?: WrittenMessages | undefined;
};

/**
 * Executes one attempt of a run: emits to the host, returns the outcome.
 *
 * @param resume the run has checkpoints of an earlier attempt: go on from the last one instead of its input
 * @throws whatever the graph throws
 */
export async function executeRun(deps: ExecuteDeps, run: Run, resume: boolean): Promise<GraphOutcome> {
  const kwargs = run.kwargs as RunKwargs;
  const config = { ...kwargs.config, ...(kwargs.context !== undefined && { context: kwargs.context }) };
  const { host } = deps;
  // Before anything else: it says whose events these are.
  if (kwargs.thread_log) host.emit({ name: "start", json: startJson(kwargs) });
  const metadata = { name: "metadata", json: JSON.stringify({ run_id: run.run_id, attempt: run.attempt }) };
  host.emit(metadata);
  const graph = await deps.project.graph(kwargs.graph_id, config, running(kwargs.context));
  deps.watch?.(graph);
  const transformers = kwargs.thread_log ? transformersOf(graph, deps) : undefined;
  transformers?.frame(metadata);
  const ends = kwargs.thread_log ? messageEnds(host, transformers) : undefined;
  const options = streamOptions(deps, run, kwargs, resume, contextOf(graph, kwargs));
  if (ends) watchClosely(options, host, ends);
  if (resume && (await stoppedAtBreakpoint(graph, kwargs, options)))
    return { values: undefined, interrupts: [], result: graph.language ? "values" : "interrupts" };
  const input = resume ? null : inputOf(deps.project, kwargs);
  const source = kwargs.stream_mode.includes("events")
    ? callbackEvents(graph, input, options)
    : graphChunks(graph, input, options);
  const { written } = deps;
  const temporary = run.on_completion === "delete";
  const draining = { temporary, hasOwnOutput: graph.hasOwnOutput === true, ends, transformers, written };
  if (!transformers) return drain(source, host, kwargs, draining);
  try {
    const outcome = await drain(source, host, kwargs, draining);
    await transformers.end({ stopped: outcome.interrupts !== undefined, signal: deps.signal });
    return outcome;
  } catch (error) {
    transformers.fail(error);
    throw error;
  }
}

function messageEnds(host: AttemptHost, transformers: Transformers | undefined): MessageEnds {
  return new MessageEnds((end) => {
    const frame = { name: "messages/finish", json: encode(end) };
    host.emit(frame);
    transformers?.frame(frame);
  });
}

/** Clients of the thread protocol see what these say; nobody else asks. */
function transformersOf(graph: Graph, { project, host }: ExecuteDeps): Transformers | undefined {
  return Transformers.of(graph, project.langgraph, (said) =>
    host.emit({ name: frameName(EXTENSION, said.namespace), json: extensionJson(said) }),
  );
}

type Draining = {
  temporary: boolean;
  /** Its checkpoints hold more than its output: the output is in the log, in states that are never shortened. */
  hasOwnOutput: boolean;
  ends: MessageEnds | undefined;
  transformers: Transformers | undefined;
  written: WrittenMessages | undefined;
};

async function drain(
  source: AsyncGenerator<Emitted>,
  host: AttemptHost,
  kwargs: RunKwargs,
  { temporary, hasOwnOutput, ends, transformers, written }: Draining,
): Promise<GraphOutcome> {
  const asked = new Set(kwargs.stream_mode);
  const tokens = asked.has("messages-tuple");
  const completed = asked.has("messages") ? new CompletedMessages() : undefined;
  const outcome: GraphOutcome = { values: undefined, interrupts: undefined };
  const frames = new Frames(kwargs.thread_log === true, hasOwnOutput);
  let isInThread = !temporary && !hasOwnOutput;
  for await (const raw of source) {
    if ("event" in raw) {
      host.emit({ name: "events", json: encode(raw.event) });
      continue;
    }
    const { ns, mode } = raw;
    const payload = spelledPayload(mode, raw.payload);
    const emitted = payload === raw.payload ? raw : { ...raw, payload };
    if (isEnvelope(emitted)) {
      if (kwargs.thread_log) host.emit({ name: frameName("checkpoint", ns), json: encode(payload) });
      continue;
    }
    if (mode === BREAKPOINT) {
      outcome.interrupts ??= [];
      outcome.result ??= "values";
      continue;
    }
    const isState = mode === "values" && ns.length === 0;
    const questions = isState ? note(outcome, emitted) : undefined;
    // LangGraph.js shows what tasks wrote beside an interrupt before a checkpoint has it.
    if (isState && !questions && outcome.interrupts) isInThread = false;
    if (isState) written?.state(payload);
    else if (mode === "messages") written?.token(payload);
    if (isState && kwargs.final_values_only) {
      if (questions && !temporary) host.emit({ name: "interrupts", json: encode(questions) });
      continue;
    }
    if (mode === "messages" ? tokens : asked.has(mode)) {
      const { event, shown } = frames.frame(emitted);
      host.emit(event, shown);
      transformers?.frame(event);
      const token = mode === "messages" && ends ? tokenOf(payload) : undefined;
      if (token !== undefined) ends?.arrived(token);
    }
    transformers?.chunk(emitted);
    // Behind the state they are part of: a reader of both modes ends with the last message.
    const whole = isState ? (completed?.newIn(payload) ?? []) : [];
    if (whole.length > 0) host.emit({ name: "messages/complete", json: encode(whole) });
  }
  if (!isInThread && kwargs.final_values_only && outcome.values !== undefined) {
    outcome.text = encodeState(outcome.values);
    host.emit({ name: "values", json: outcome.text });
  }
  return outcome;
}

/** The message that a token belongs to; undefined for a whole message. */
function tokenOf(payload: unknown): string | undefined {
  const chunk: unknown = Array.isArray(payload) ? payload[0] : undefined;
  if (typeof chunk !== "object" || chunk === null || !("tool_call_chunks" in chunk)) return undefined;
  return "id" in chunk && typeof chunk.id === "string" ? chunk.id : undefined;
}

/** What readers of the thread have to know of a run that its other frames do not say. */
function startJson({ graph_id, command }: RunKwargs): string {
  const { resume } = command ?? {};
  const byId = typeof resume === "object" && resume !== null && !Array.isArray(resume);
  const answers = byId ? Object.keys(resume).filter((key) => /^[0-9a-f]{32}$/.test(key)) : [];
  return JSON.stringify({ graph_id, answers });
}

/** Any callback doubles the cost of a run; one that streams tokens has them anyway. */
function watchingModels(host: AttemptHost, { stream_mode }: RunKwargs): { callbacks?: object[] } {
  const partials = stream_mode.includes("messages");
  if (!partials && !stream_mode.includes("messages-tuple")) return {};
  return { callbacks: [fairTurns(), ...(partials ? [modelTokens((frame) => host.emit(frame))] : [])] };
}

/**
 * Keeps the last state, and notices the stop that an interrupt or a breakpoint is. LangGraph.js emits an interrupt in
 * place of the state, and the state again where another task ended later.
 * @returns the interrupts in this chunk
 */
function note(outcome: GraphOutcome, { payload, isInterrupted }: GraphChunk): unknown[] | undefined {
  const beside = isInterrupted ? interruptsBeside(payload) : undefined;
  const interrupts = beside ? beside.interrupts : interruptsIn(payload);
  if (!interrupts) outcome.values = payload;
  else if (beside?.values !== undefined) outcome.values = beside.values;
  const hasBoth = beside !== undefined || outcome.interrupts !== undefined;
  if (hasBoth) outcome.result = "values and interrupts";
  else if (interrupts) outcome.result = "interrupts";
  if (interrupts) outcome.interrupts = [...(outcome.interrupts ?? []), ...interrupts];
  return interrupts;
}

function inputOf(project: Project, kwargs: RunKwargs): unknown {
  return kwargs.command ? project.command(kwargs.command) : (kwargs.input ?? null);
}

/** For the log of a thread: what LangGraph's stream does not say by itself. */
function watchClosely(options: GraphStreamOptions, host: AttemptHost, ends: MessageEnds): void {
  const places = toolPlaces((place) => host.emit({ name: "tool", json: encode(place) }));
  options.callbacks = [...(options.callbacks ?? []), ends.handler(), places];
  // Whoever names a version gets the numbers of checkpoints in front of their values.
  Object.assign(options, { version: "v2" });
}

/** Nodes read members of it without asking: it is empty where the run has none, if its schema allows that. */
function contextOf({ builder }: Graph, { context }: RunKwargs): unknown {
  if (context !== undefined) return context;
  const schema = builder && "_configRuntimeSchema" in builder ? builder._configRuntimeSchema : undefined;
  if (!isRecord(schema) || typeof schema.safeParse !== "function") return {};
  return schema.safeParse({}).success === true ? {} : undefined;
}

function streamOptions(
  deps: ExecuteDeps,
  run: Run,
  kwargs: RunKwargs,
  resume: boolean,
  context: unknown,
): GraphStreamOptions {
  const { configurable, tags, recursion_limit } = kwargs.config;
  const { checkpoint_id, checkpoint_ns, checkpoint_map, ...rest } = configurable;
  // A resumed attempt goes on from its own last checkpoint, not from where the run was forked.
  const start = resume ? {} : defined({ checkpoint_id, checkpoint_ns, checkpoint_map });
  return {
    ...defined({
      tags,
      recursionLimit: recursion_limit,
      interruptBefore: kwargs.interrupt_before,
      interruptAfter: kwargs.interrupt_after,
      context,
    }),
    configurable: { ...rest, ...start, __pregel_checkpointer: deps.checkpoints },
    metadata: { ...run.metadata, ...deps.metadata, run_attempt: run.attempt },
    durability: kwargs.durability,
    runId: run.run_id,
    signal: deps.signal,
    store: deps.store,
    ...watchingModels(deps.host, kwargs),
    ...(deps.notes && { notes: deps.notes }),
    streamMode: libraryModes(kwargs.stream_mode),
    subgraphs: kwargs.subgraphs,
  };
}

/** LangGraph lets an undefined option wipe a default that was compiled into the graph. */
function defined(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined && value !== null),
  );
}

/**
 * A graph that goes on with no input walks through a static breakpoint. So an attempt that finds the last one
 * standing at a breakpoint (it fell between the checkpoint and the end of the run) ends there instead.
 */
async function stoppedAtBreakpoint(
  graph: Graph,
  kwargs: RunKwargs,
  options: GraphStreamOptions,
): Promise<boolean> {
  const before = kwargs.interrupt_before ?? graph.interruptBefore ?? [];
  const after = kwargs.interrupt_after ?? graph.interruptAfter ?? [];
  if (before.length === 0 && after.length === 0) return false;
  const state = await graph.getState({ configurable: options.configurable });
  const hits = (breakpoints: "*" | string[], nodes: string[]) =>
    nodes.some((node) => breakpoints === "*" || breakpoints.includes(node));
  if (hits(before, state.next)) return true;
  if (after.length === 0 || !state.parentConfig) return false;
  const parent = await graph.getState({
    configurable: { ...options.configurable, ...state.parentConfig.configurable },
  });
  return hits(after, parent.next);
}
