import { END } from "@berth/store";
import type { Graph, LangGraphCopy } from "../project/index.ts";
import { RunFold } from "../protocol/index.ts";
import { encode } from "../wire.ts";
import type { GraphChunk } from "./chunks.ts";

/** An event as transformers see it (`ProtocolEvent` of LangGraph). */
type Event = { method: string; params: { namespace: string[]; data: unknown } };
type Frame = { name: string; json: string };

/** What a graph was compiled with, by shape: a project brings its own LangGraph. */
type Transformer = {
  init(): unknown;
  onRegister?(emitter: { push(namespace: string[], event: Event): void }): void;
  process(event: Event): boolean;
  finalize?(): unknown;
  fail?(error: unknown): void;
};
type Channel = {
  channelName: string;
  _wire(push: (item: unknown) => void): void;
  _close(): void;
  _fail(error: unknown): void;
};

/** Something that a transformer says to clients, as `custom:<name>`. */
export type Extension = { namespace: string[]; name: string; payload: unknown };

const CHANNEL = Symbol.for("langgraph.stream_channel");
/** What a transformer promises is waited for, but not for ever: the run has ended. */
const LAST_VALUES_MS = 10_000;
/** Frames of the log from which readers, and so transformers, learn of messages and subgraphs. */
const FOLDED = new Set(["metadata", "messages", "messages/finish", "tasks", END]);
const FROM_FOLD = new Set(["messages", "lifecycle"]);

/**
 * The stream transformers that a graph was compiled with (`compile({ transformers })`), for one attempt of a run. They
 * see its events in the order of the log, and what they push into named channels is said at that very place.
 */
export class Transformers {
  readonly #transformers: Transformer[] = [];
  readonly #channels: Channel[] = [];
  readonly #promised: { name: string; value: Promise<unknown> }[] = [];
  readonly #fold = new RunFold();
  /** Of the event that is being looked at: what is pushed meanwhile belongs there. */
  #namespace: string[] = [];
  #seq = 0;

  private constructor(
    private readonly convert: NonNullable<LangGraphCopy["convertToProtocolEvent"]>,
    private readonly say: (extension: Extension) => void,
  ) {}

  /** Those of a graph; undefined where none has anything for clients, and then they cost nothing. */
  static of(
    { streamTransformers = [] }: Graph,
    { convertToProtocolEvent }: Pick<LangGraphCopy, "convertToProtocolEvent">,
    say: (extension: Extension) => void,
  ): Transformers | undefined {
    if (streamTransformers.length === 0 || !convertToProtocolEvent) return undefined;
    const made = new Transformers(convertToProtocolEvent, say);
    for (const factory of streamTransformers) made.#add(factory() as Transformer);
    return made.#channels.length + made.#promised.length > 0 ? made : undefined;
  }

  #add(transformer: Transformer): void {
    // LangChain's own: what they find is for callers in the same process.
    if ("__native" in transformer && transformer.__native === true) return;
    const projection = transformer.init();
    this.#transformers.push(transformer);
    transformer.onRegister?.({ push: (namespace, event) => this.#push(namespace, event) });
    for (const [name, value] of Object.entries(projection ?? {})) {
      if (isChannel(value)) this.#wire(value);
      else if (isPromise(value)) this.#promise(name, Promise.resolve(value));
    }
  }

  #wire(channel: Channel): void {
    this.#channels.push(channel);
    const name = channel.channelName;
    channel._wire((payload) => this.say({ namespace: this.#namespace, name, payload }));
  }

  #promise(name: string, value: Promise<unknown>): void {
    // One that fails is looked at when the run has ended; until then nobody must take it for a stray.
    value.catch(() => undefined);
    this.#promised.push({ name, value });
  }

  /** Something that the graph emitted; messages come as frames. */
  chunk({ ns, mode, payload }: GraphChunk): void {
    if (mode === "messages") return;
    const given = { namespace: ns, mode, payload, seq: this.#seq } as Parameters<typeof this.convert>[0];
    for (const event of this.convert(given)) this.#process(ns, event as unknown as Event);
  }

  /** Something that was put into the log of the thread. */
  frame({ name, json }: Frame): void {
    if (!FOLDED.has(name.split("|", 1)[0] ?? "")) return;
    this.#seq += 1;
    const frame = { name, json, seq: this.#seq, run_id: "", at: Date.now() };
    for (const event of this.#fold.add(frame))
      if (FROM_FOLD.has(event.method)) this.#process([...event.namespace], JSON.parse(event.json) as Event);
  }

  #process(namespace: string[], event: Event): void {
    const outer = this.#namespace;
    this.#namespace = namespace;
    for (const transformer of this.#transformers) transformer.process(event);
    this.#namespace = outer;
  }

  /** An event that a transformer made itself: of these, clients get the custom ones. */
  #push(namespace: string[], event: Event): void {
    this.#process(namespace, event);
    const [kind, name] = event.method.split(/:(.*)/s);
    if (kind === "custom" && name) this.say({ namespace, name, payload: event.params.data });
  }

  /** The graph has come to its end: says what is known only now. */
  async end({ stopped, signal }: { stopped: boolean; signal: AbortSignal }): Promise<void> {
    this.frame({ name: END, json: JSON.stringify({ status: "success", stopped }) });
    const finished = this.#transformers.map(async (transformer) => transformer.finalize?.());
    for (const channel of this.#channels) channel._close();
    const last = this.#promised.map(async ({ name, value }) => {
      const payload = await value;
      this.say({ namespace: [], name, payload });
    });
    const over = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LAST_VALUES_MS);
      timer.unref();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([Promise.allSettled([...finished, ...last]), over]);
  }

  /** The graph has failed or was stopped. */
  fail(error: unknown): void {
    for (const ending of [
      ...this.#transformers.map((transformer) => () => transformer.fail?.(error)),
      ...this.#channels.map((channel) => () => channel._fail(error)),
    ])
      try {
        ending();
      } catch {
        // Why the run failed is told already.
      }
  }
}

/** The name of a frame that holds an extension; readers of run streams know nothing of it. */
export const EXTENSION = "extension";

export const extensionJson = ({ name, payload }: Extension): string => encode({ name, payload });

function isChannel(value: unknown): value is Channel {
  if (typeof value !== "object" || value === null || !(CHANNEL in value)) return false;
  return "channelName" in value && typeof value.channelName === "string";
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
