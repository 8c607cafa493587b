import { END, type StoredEvent } from "@berth/store";
import type { AIMessageChunk } from "@langchain/core/messages";
import { encode } from "../wire.ts";
import { CHANGES, StateReader } from "./state-log.ts";

/** Where a reader of a run stream stands: an event of the log, and which of its parts was seen last. */
export type StreamPosition = { seq: number; part: number };

const START: StreamPosition = { seq: 0, part: 0 };

/** Name of the frame that holds a token for the `messages` mode; for `messages-tuple` it is another. */
export const TOKEN = "messages/token";

/** Shown whatever modes were asked for. */
const ALWAYS = new Set(["metadata", "error", "feedback"]);

/**
 * Reads an event id as {@link RunStreamView} writes it: `42`, or `42-1` for the second part of event 42.
 * `-1` and `-` mean the beginning. Anything else is no position.
 */
export function readPosition(id: string): StreamPosition | undefined {
  if (id === "-1" || id === "-") return START;
  const match = /^(\d{1,15})(?:-(\d{1,6}))?$/.exec(id);
  return match ? { seq: Number(match[1]), part: Number(match[2] ?? 0) } : undefined;
}

/**
 * The view of a run's events that `/runs/stream` readers get (`agent-server.md` §8): the asked-for modes
 * under their wire names, as server-sent events.
 *
 * `messages` is a fold over token events, and so is `values` of a run in a thread's log over the changes of its
 * state: they have to see the run from its first event on, and keep quiet until they have passed `from`. Every
 * other mode is passed through as it is stored.
 */
export class RunStreamView {
  readonly #fold: PartialMessages | undefined;
  readonly #states: StateReader | undefined;
  readonly #tuples: boolean;

  constructor(
    private readonly modes: ReadonlySet<string>,
    private readonly from: StreamPosition = START,
    { thread_log = false }: { thread_log?: boolean } = {},
  ) {
    this.#states = thread_log && modes.has("values") ? new StateReader() : undefined;
    this.#fold = modes.has("messages") ? new PartialMessages() : undefined;
    this.#tuples = modes.has("messages-tuple");
  }

  /** The log position to read from. */
  get readAfter(): number {
    return this.#fold || this.#states ? 0 : Math.max(0, this.from.seq - 1);
  }

  /** The wire text of some events, none where none of them is for this reader: it has to be read to its end. */
  render(events: StoredEvent[]): Generator<FrameText> {
    return frameTexts(this.#frames(events));
  }

  *#frames(events: StoredEvent[]): Generator<SseFrame & { of: StoredEvent }> {
    for (const event of events) {
      let part = 0;
      for (const [name, json] of this.#parts(event)) {
        const id = part === 0 ? String(event.seq) : `${event.seq}-${part}`;
        if (this.#isNew(event.seq, part)) yield { id, name, json, of: event };
        part += 1;
      }
    }
  }

  #isNew(seq: number, part: number): boolean {
    return seq > this.from.seq || (seq === this.from.seq && part > this.from.part);
  }

  #parts(event: StoredEvent): [name: string, json: string][] {
    const bar = event.name.indexOf("|");
    const mode = bar < 0 ? event.name : event.name.slice(0, bar);
    if (mode === END) return [];
    if (this.#states && (mode === "values" || mode === CHANGES)) {
      const namespace = bar < 0 ? "" : event.name.slice(bar + 1);
      const name = bar < 0 ? "values" : `values|${namespace}`;
      return [[name, wholeState(this.#states, mode, namespace, event)]];
    }
    if (mode === TOKEN) return this.#fold?.add(event.json) ?? [];
    // A run of 0.1.0 has its tokens here.
    if (mode === "messages")
      return this.#tuples ? [[event.name, event.json]] : (this.#fold?.add(event.json) ?? []);
    if (mode === "messages/complete") return this.#fold ? [[event.name, event.json]] : [];
    return ALWAYS.has(mode) || this.modes.has(mode) ? [[event.name, event.json]] : [];
  }
}

const states = new WeakMap<StoredEvent, string>();

/** The state that an event tells of; a large one is put together once for all readers. */
function wholeState(reader: StateReader, mode: string, namespace: string, event: StoredEvent): string {
  const known = states.get(event);
  if (known !== undefined) {
    reader.take(namespace, known);
    return known;
  }
  const text = reader.read(mode, namespace, event.json);
  if (text.length >= LARGE_CHARS) states.set(event, text);
  return text;
}

/** Loaded by the first reader of the mode `messages`: who answers requests has no other need of LangChain. */
const chunkClass = (): typeof AIMessageChunk => require("@langchain/core/messages").AIMessageChunk;

/** Grows each message from its tokens, for the `messages` mode. */
class PartialMessages {
  readonly #grown = new Map<string, AIMessageChunk>();
  readonly #Chunk = chunkClass();

  add(json: string): [name: string, json: string][] {
    const [chunk, metadata] = JSON.parse(json) as [Record<string, unknown>, unknown];
    const id = chunk.id;
    // Only tokens of a model carry this field; whole messages are reported when they reach the state.
    if (typeof id !== "string" || !("tool_call_chunks" in chunk)) return [];
    const piece = new this.#Chunk(chunk as ConstructorParameters<typeof AIMessageChunk>[0]);
    const before = this.#grown.get(id);
    const grown = before ? before.concat(piece) : piece;
    this.#grown.set(id, grown);
    const partial: [string, string] = ["messages/partial", encode([grown])];
    return before ? [partial] : [["messages/metadata", encode({ [id]: { metadata } })], partial];
  }
}

/** A server-sent event: its id, its name and the one line of JSON that it carries. */
type SseFrame = { id: string; name: string; json: string };

/** Text of frames, or a large frame as its bytes. */
export type FrameText = string | Uint8Array;

/** A frame with more JSON than this is turned into bytes once, for all who read its event. */
const LARGE_CHARS = 65_536;

const encoder = new TextEncoder();
const shared = new WeakMap<object, Map<string, Uint8Array>>();

/**
 * Some frames as the wire has them, small ones in one text. A large one is made only when it is asked for.
 * @param frames each with the event that it shows, which all of its readers hold together
 */
export function* frameTexts(frames: Iterable<SseFrame & { of: object }>): Generator<FrameText> {
  let text = "";
  for (const frame of frames) {
    if (frame.json.length < LARGE_CHARS) text += frameText(frame);
    else {
      if (text) yield text;
      yield sharedBytes(frame);
      text = "";
    }
  }
  if (text) yield text;
}

const frameText = ({ id, name, json }: SseFrame): string => `id: ${id}\nevent: ${name}\ndata: ${json}\n\n`;

function sharedBytes(frame: SseFrame & { of: object }): Uint8Array {
  const known = shared.get(frame.of) ?? new Map<string, Uint8Array>();
  shared.set(frame.of, known);
  const key = `${frame.id} ${frame.name}`;
  const bytes = known.get(key) ?? encoder.encode(frameText(frame));
  known.set(key, bytes);
  return bytes;
}
