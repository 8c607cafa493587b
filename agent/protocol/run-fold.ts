import { END } from "@berth/store";
import { CHANGES, StateReader, type ThreadFrame } from "../events/index.ts";
import type { Token } from "./content-blocks.ts";
import { Outlet, type ThreadEvent } from "./event.ts";
import { type MessageEnd, Messages, type ModelPlace } from "./messages.ts";
import { Namespaces } from "./namespaces.ts";

type Values = Record<string, unknown>;
type ToolPlace = { tool_call_id: string; namespace: string[] };
type Interrupt = { id?: string; interrupt_id?: string; value?: unknown };
type Metadata = {
  langgraph_checkpoint_ns?: string;
  checkpoint_ns?: string;
  langgraph_node?: string;
  ls_model_type?: string;
};

/** Name of the frame that says that a run is of a Python graph; readers of run streams do not see it. */
export const LANGUAGE = "language";

const INTERRUPTS = "__interrupt__";

/** Interrupts have an id; other lists under that key are a state's own. */
const hasId = (one: Interrupt) => typeof (one?.id ?? one?.interrupt_id) === "string";

/**
 * What readers of a thread see of one run: a fold over the run's frames, from the first one on. The same frames
 * always give the same events, so an event need not be stored to be the same after a restart.
 */
export class RunFold {
  readonly #states = new StateReader();
  readonly #namespaces = new Namespaces();
  #messages = new Messages();
  readonly #tools = new Map<string, string[]>();
  readonly #interrupts = new Set<string>();
  #running = false;
  #graphName: string | undefined;
  /** Python's LangGraph emits messages, tools and custom data in another form and in other namespaces. */
  #language: "python" | undefined;
  #answers: string[] = [];
  #error: string | undefined;
  /** Messages of a lost attempt, by the namespace of their graph: still to be withdrawn. */
  #lost = new Map<string, string[]>();
  /** By its text, which the tokens of a message all carry again. */
  #metadata: { text: string; metadata: Metadata } | undefined;
  ended = false;

  /** The events that a frame gives; frames have to come in order. */
  add(frame: ThreadFrame): ThreadEvent[] {
    const outlet = new Outlet(frame, this.#language);
    const [mode = "", ...namespace] = frame.name.split("|");
    if (mode === "start") this.#learn(frame.json);
    else if (mode === LANGUAGE) this.#language = JSON.parse(frame.json);
    else if (mode === "metadata") this.#begin(frame.json, outlet);
    else if (mode === "error") this.#error = (JSON.parse(frame.json) as { message: string }).message;
    else if (mode === END) this.#end(frame.json, outlet);
    else this.#show(mode, namespace, frame, outlet);
    return outlet.events;
  }

  #learn(json: string): void {
    const { graph_id, answers } = JSON.parse(json) as { graph_id: string; answers: string[] };
    this.#graphName = graph_id;
    this.#answers = answers;
  }

  #begin(json: string, outlet: Outlet): void {
    if (this.#running) {
      this.#lose(outlet);
      return;
    }
    this.#running = true;
    const { run_id } = JSON.parse(json) as { run_id: string };
    outlet.root("running", this.#lifecycle("running", { run_id }), false);
    if (this.#answers.length > 0) {
      const data = JSON.stringify({ interrupt_ids: this.#answers });
      outlet.say({ method: "input.answered", namespace: [], data });
    }
  }

  /** The process went away in the middle; the attempt that begins here says again what was not kept. */
  #lose(outlet: Outlet): void {
    this.#messages.lose("The attempt that wrote this message was lost; the next one goes on.", outlet);
    for (const [id, graph] of this.#messages.begun) {
      const key = graph.join("|");
      this.#lost.set(key, [...(this.#lost.get(key) ?? []), id]);
    }
    this.#messages = new Messages();
  }

  #end(json: string, outlet: Outlet): void {
    const { status, stopped } = JSON.parse(json) as { status: string; stopped?: boolean };
    this.#messages.finishIn([], outlet);
    const failed = status === "error" || status === "timeout";
    const event = failed ? "failed" : status === "interrupted" || stopped ? "interrupted" : "completed";
    this.#namespaces.end(event, outlet);
    const error = failed ? { error: this.#error ?? "The run failed" } : {};
    outlet.root(event, this.#lifecycle(event, error), true);
    this.ended = true;
  }

  #lifecycle(event: string, more: Values): string {
    return JSON.stringify({ event, ...(this.#graphName && { graph_name: this.#graphName }), ...more });
  }

  #show(mode: string, namespace: string[], frame: ThreadFrame, outlet: Outlet): void {
    const { json } = frame;
    if (mode === "values" || mode === CHANGES) {
      this.#values(this.#states.read(mode, namespace.join("|"), json), namespace, outlet);
    } else if (mode === "updates") this.#updates(JSON.parse(json) as Values, namespace, outlet);
    else if (mode === "messages") this.#token(frame, namespace, outlet);
    else if (mode === "messages/finish") this.#finish(json, outlet);
    else if (mode === "tasks") this.#task(json, namespace, outlet);
    else if (mode === "custom") this.#custom(json, namespace, outlet);
    else if (mode === "extension") this.#extension(json, namespace, outlet);
    else if (mode === "checkpoint") this.#pass("checkpoints", json, namespace, outlet);
    else if (mode === "tools") this.#tool(JSON.parse(json), namespace, outlet);
    else if (mode === "tool") this.#placeTool(json);
    else if (mode === "interrupts") this.#interrupt(JSON.parse(json), namespace, outlet);
  }

  #pass(method: string, data: string, namespace: string[], outlet: Outlet): void {
    this.#arrive(namespace, outlet);
    outlet.say({ method, namespace, data });
  }

  #placeTool(json: string): void {
    const { tool_call_id, namespace } = JSON.parse(json) as ToolPlace;
    this.#tools.set(tool_call_id, namespace);
  }

  #tool(reported: Reported, namespace: string[], outlet: Outlet): void {
    const place = this.#tools.get(reported.toolCallId ?? reported.tool_call_id ?? "") ?? namespace;
    const event = this.#language ? reported : toolEvent(reported);
    // A tool of a Python graph is no subgraph: its namespace begins when a subgraph runs there.
    this.#arrive(this.#language ? namespace : place, outlet);
    outlet.say({ method: "tools", namespace: place, data: JSON.stringify(event) });
  }

  #finish(json: string, outlet: Outlet): void {
    const { id, ...end } = JSON.parse(json) as MessageEnd;
    this.#messages.finish(id, end, outlet);
  }

  /** Something happens in a namespace: what was about to be complete is, and the namespace runs. */
  #arrive(namespace: readonly string[], outlet: Outlet): void {
    this.#namespaces.flush(outlet);
    this.#namespaces.start(namespace, outlet);
  }

  #values(json: string, namespace: string[], outlet: Outlet): void {
    this.#arrive(namespace, outlet);
    const say = (data: string) => outlet.say({ method: "values", namespace, data });
    const lost = this.#lost.get(namespace.join("|"));
    const isPlain = !lost && !json.includes(`"${INTERRUPTS}"`);
    const values: unknown = isPlain ? undefined : JSON.parse(json);
    if (!isRecord(values)) {
      say(json);
      return;
    }
    const { [INTERRUPTS]: interrupts, ...others } = values;
    const isAlone = Object.keys(others).length === 0;
    const isAsked =
      Array.isArray(interrupts) && (isAlone || (interrupts.length > 0 && interrupts.every(hasId)));
    if (isAsked) this.#interrupt(interrupts, namespace, outlet);
    if (isAsked && isAlone) return;
    const rest = isAsked ? others : values;
    if (lost) this.#withdraw(lost, rest, namespace, say);
    say(JSON.stringify(rest));
  }

  /**
   * A client keeps a message that it saw being written until a state had it and the next one has not. So the
   * messages of a lost attempt that did not make it into the state are in one `values` event, empty.
   */
  #withdraw(lost: string[], values: Values, namespace: string[], say: (data: string) => void): void {
    this.#lost.delete(namespace.join("|"));
    const { messages } = values;
    if (!Array.isArray(messages)) return;
    const kept = new Set(messages.map((message) => (isRecord(message) ? message.id : undefined)));
    const gone = lost.filter((id) => !kept.has(id));
    if (gone.length === 0) return;
    const empty = gone.map((id) => ({
      type: "ai",
      id,
      content: "",
      response_metadata: { attempt_lost: true },
    }));
    say(JSON.stringify({ ...values, messages: [...messages, ...empty] }));
  }

  #updates(payload: Values, namespace: string[], outlet: Outlet): void {
    for (const [node, values] of Object.entries(payload)) {
      this.#arrive(namespace, outlet);
      if (node === INTERRUPTS) {
        if (Array.isArray(values)) this.#interrupt(values, namespace, outlet);
        continue;
      }
      this.#namespaces.updated(namespace, node);
      const data = JSON.stringify({ node, values: isRecord(values) ? values : { value: values } });
      outlet.say({ method: "updates", namespace, node, data });
    }
  }

  /** Each interrupt is told once, where it happened: that is where it is seen first. */
  #interrupt(interrupts: Interrupt[], namespace: string[], outlet: Outlet): void {
    for (const { id, interrupt_id = id, value } of interrupts) {
      if (interrupt_id === undefined || this.#interrupts.has(interrupt_id)) continue;
      this.#interrupts.add(interrupt_id);
      // The Python client reads `value`, the others `payload`.
      const data = JSON.stringify({ interrupt_id, payload: value ?? null, value: value ?? null });
      outlet.say({ method: "input.requested", namespace, data });
    }
  }

  #task(json: string, namespace: string[], outlet: Outlet): void {
    const task = JSON.parse(json) as { id: string; name: string; result?: unknown } & Values;
    if ("result" in task) this.#namespaces.expect(namespace, task.name);
    this.#namespaces.flush(outlet);
    if (!("result" in task) && !("error" in task && task.error)) this.#namespaces.learn(namespace, task);
    this.#namespaces.start(namespace, outlet);
    if ("result" in task) this.#messages.finishIn(this.#namespaces.ended(namespace, task), outlet);
    outlet.say({ method: "tasks", namespace, data: json });
  }

  #custom(json: string, namespace: string[], outlet: Outlet): void {
    this.#arrive(namespace, outlet);
    const payload: unknown = JSON.parse(json);
    const name = isRecord(payload) && typeof payload.name === "string" ? payload.name : undefined;
    const isWhole =
      this.#language !== undefined || (name !== undefined && isRecord(payload) && "payload" in payload);
    const data = isWhole ? json : JSON.stringify({ ...(name !== undefined && { name }), payload });
    outlet.say({ method: "custom", namespace, data, name });
  }

  /** What a stream transformer said: it names nobody's subgraph, so nothing begins with it. */
  #extension(data: string, namespace: string[], outlet: Outlet): void {
    const { name } = JSON.parse(data) as { name: string };
    outlet.say({ method: "custom", namespace, data, name });
  }

  #token(frame: ThreadFrame, namespace: string[], outlet: Outlet): void {
    const { token, metadata } = this.#readToken(frame);
    if (typeof token.id !== "string") return;
    // Python's LangGraph also has the messages that nodes return; the state shows those.
    if (this.#language && metadata.ls_model_type === undefined) return;
    const place = placeOf(metadata, this.#language && namespace);
    const said = { ...token, id: token.id };
    const isToken = token.tool_call_chunks !== undefined;
    if (!isToken && token.type !== "ai") return;
    this.#arrive(place.namespace, outlet);
    if (isToken) this.#messages.token(said, place, outlet);
    else this.#messages.whole(said, place, outlet);
  }

  /** The metadata is ten times the token, and the same from token to token. */
  #readToken({ json, tail }: ThreadFrame): { token: Token; metadata: Metadata } {
    if (!tail) {
      const [token, metadata] = JSON.parse(json) as [Token, Metadata];
      return { token, metadata };
    }
    const text = json.slice(-tail);
    if (this.#metadata?.text !== text) {
      this.#metadata = { text, metadata: JSON.parse(text.slice(0, -1)) as Metadata };
    }
    return { token: JSON.parse(json.slice(1, -tail - 1)) as Token, metadata: this.#metadata.metadata };
  }
}

/** @param owner the namespace of the graph that owns the task, where its messages are in that one */
function placeOf(metadata: Metadata, owner: string[] | undefined): ModelPlace {
  const ns = metadata.langgraph_checkpoint_ns ?? metadata.checkpoint_ns ?? "";
  const task = ns === "" ? [] : ns.split("|");
  return {
    namespace: owner ?? task,
    task,
    graph: owner ?? task.slice(0, -1),
    node: metadata.langgraph_node,
  };
}

function isRecord(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A thread's frames as protocol events: one fold for each run. It has to see every run from its first frame. */
export class ThreadFold {
  readonly #runs = new Map<string, RunFold>();

  add(frame: ThreadFrame): ThreadEvent[] {
    const run = this.#runs.get(frame.run_id) ?? new RunFold();
    const events = run.add(frame);
    if (run.ended) this.#runs.delete(frame.run_id);
    else this.#runs.set(frame.run_id, run);
    return events;
  }
}

/** What LangGraph's `tools` mode says of a tool call. */
type Reported = {
  event?: string;
  toolCallId?: string;
  /** Python's spelling. */
  tool_call_id?: string;
  name?: string;
  input?: unknown;
  output?: unknown;
  data?: unknown;
  error?: unknown;
};

/** The protocol's name for it (`streaming-protocol.md` §3.4). */
function toolEvent(reported: Reported): Record<string, unknown> {
  const tool_call_id = reported.toolCallId ?? "";
  const { data, error } = reported;
  switch (reported.event) {
    case "on_tool_start":
      return {
        event: "tool-started",
        tool_call_id,
        tool_name: reported.name ?? "unknown",
        input: reported.input,
      };
    case "on_tool_event":
      return {
        event: "tool-output-delta",
        tool_call_id,
        delta: typeof data === "string" ? data : JSON.stringify(data ?? ""),
      };
    case "on_tool_end":
      return { event: "tool-finished", tool_call_id, output: reported.output };
    default:
      return { event: "tool-error", tool_call_id, message: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return "unknown error";
}
