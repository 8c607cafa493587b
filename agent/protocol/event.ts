import type { ThreadFrame } from "../events/index.ts";

/** A protocol event as readers get it (`streaming-protocol.md` §3.1): rendered once, shared by all of them. */
export type ThreadEvent = Readonly<{
  seq: number;
  event_id: string;
  method: string;
  namespace: readonly string[];
  /** The run it came from. */
  run_id: string;
  /** The `name` of a named custom event. */
  name?: string;
  /** Of a run of a Python graph, whose namespaces are those of its LangGraph. */
  language?: "python";
  /** The whole event as one line of JSON. */
  json: string;
}>;

/** What a reader wants to see: some channels, below some namespaces. */
export type EventFilter = {
  channels: ReadonlySet<string>;
  /** Prefixes of namespaces; none or an empty list: all of them. */
  namespaces?: readonly (readonly string[])[];
  /** How far below a prefix an event may lie; only counts where there are prefixes. */
  depth?: number;
};

/** All of them: `custom` has the named ones too. */
export const CHANNELS: ReadonlySet<string> = new Set([
  "values",
  "updates",
  "messages",
  "tools",
  "lifecycle",
  "input",
  "checkpoints",
  "tasks",
  "custom",
]);

/** The channel that an event of a method belongs to. */
function channelOf(method: string): string {
  return method.startsWith("input.") ? "input" : method;
}

/** Whether a reader with this filter gets the event (`streaming-protocol.md` §3.2, §4.1). */
export function matches(filter: EventFilter, event: ThreadEvent): boolean {
  const { channels, namespaces, depth } = filter;
  const named = event.name !== undefined && channels.has(`custom:${event.name}`);
  if (!named && !channels.has(channelOf(event.method))) return false;
  if (!namespaces || namespaces.length === 0) return true;
  return namespaces.some((prefix) => isBelow(event.namespace, prefix, depth));
}

function isBelow(namespace: readonly string[], prefix: readonly string[], depth: number | undefined) {
  if (prefix.length > namespace.length) return false;
  if (depth !== undefined && namespace.length - prefix.length > depth) return false;
  return prefix.every((segment, index) => isSegment(segment, namespace[index] ?? ""));
}

/** A bare node name stands for every task of the node. */
function isSegment(wanted: string, segment: string): boolean {
  return wanted === segment || (!wanted.includes(":") && segment.split(":", 1)[0] === wanted);
}

/** An event as one kind of reader gets it; undefined where that reader is not to see it. */
export type EventView = (event: ThreadEvent) => ThreadEvent | undefined;

/** Readers share events, and what is made of them. */
const moved = new WeakMap<ThreadEvent, ThreadEvent>();

/**
 * The view of the Python client. It looks for tokens and tools in the namespace of the graph that owns the node
 * (`langgraph/pregel/_messages.py`); tokens of Python graphs are there for all clients. It takes each nested `lifecycle`
 * for a subgraph's, which only those of Python graphs are.
 */
export const ownerView: EventView = (event) => {
  const { method, namespace, language } = event;
  if (namespace.length === 0 || (language && method !== "tools")) return event;
  if (method === "lifecycle") return undefined;
  if (method !== "messages" && method !== "tools") return event;
  const known = moved.get(event);
  if (known) return known;
  const owner = namespace.slice(0, -1);
  const json = event.json.replace(said(namespace), () => said(owner));
  const shown = { ...event, namespace: owner, json };
  moved.set(event, shown);
  return shown;
};

/** It comes before anything that a graph could have said. */
const said = (namespace: readonly string[]) => `"namespace":${JSON.stringify(namespace)}`;

/**
 * Room for the events of one frame in the numbers of the thread: event 3 of frame 42 is 42000003. So a number
 * says where in the log an event comes from, and never changes.
 */
export const EVENTS_A_FRAME = 1_000_000;
/** The end of a run is the last event of its frame, however many come before it. */
const LAST_PART = EVENTS_A_FRAME - 1;

/** What an event says, before it has a number. */
type Said = {
  method: string;
  namespace: readonly string[];
  /** JSON of `params.data`. */
  data: string;
  node?: string;
  /** The name of a named custom event. */
  name?: string;
};

/** The frame whose events carry numbers up to this one. */
export function frameOf(seq: number): number {
  return Math.floor(seq / EVENTS_A_FRAME);
}

/** Gives the events of one frame their numbers, ids and JSON. */
export class Outlet {
  readonly events: ThreadEvent[] = [];
  #part = 0;

  constructor(
    private readonly frame: ThreadFrame,
    private readonly language: "python" | undefined,
  ) {}

  say(said: Said): void {
    const seq = this.frame.seq * EVENTS_A_FRAME + this.#part;
    this.#part += 1;
    this.events.push(this.#event(said, seq, `${this.frame.run_id.slice(-12)}-${seq}`));
  }

  /**
   * A lifecycle event of the run itself. Clients read the run's id out of ids of this form
   * (`streaming-protocol.md` §4.3).
   */
  root(status: string, data: string, last: boolean): void {
    const part = last ? LAST_PART : this.#part;
    if (!last) this.#part += 1;
    const seq = this.frame.seq * EVENTS_A_FRAME + part;
    const id = `synth:${this.frame.run_id}:${status}:${seq}`;
    this.events.push(this.#event({ method: "lifecycle", namespace: [], data }, seq, id));
  }

  #event({ method, namespace, data, node, name }: Said, seq: number, event_id: string): ThreadEvent {
    const at = `"namespace":${JSON.stringify(namespace)},"timestamp":${this.frame.at}`;
    const by = node === undefined ? "" : `,"node":${JSON.stringify(node)}`;
    const json = `{"type":"event","event_id":"${event_id}","seq":${seq},"method":"${method}","params":{${at}${by},"data":${data}}}`;
    const of = { ...(name && { name }), ...(this.language && { language: this.language }) };
    return { seq, event_id, method, namespace, run_id: this.frame.run_id, json, ...of };
  }
}
