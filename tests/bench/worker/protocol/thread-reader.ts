import { field } from "../calls.ts";
import { type Arrival, type ServerEvent, serverEvents } from "../sse.ts";

/** What a reader asks for. */
export type Subscription = { channels: string[]; namespaces?: string[][]; depth?: number; since?: number };

/** The two that the official React client holds for each thread. */
export const PUMP: Subscription = {
  channels: ["values", "checkpoints", "lifecycle", "input", "messages", "tools"],
  namespaces: [[]],
  depth: 1,
};
export const WATCHER: Subscription = { channels: ["lifecycle", "input"] };

/** An event that is small enough to be looked for at the end of what has arrived. */
const TAIL_BYTES = 2_048;

/** How long a server may be silent when an event is waited for. */
const SILENCE_MS = 20_000;

/**
 * One reader of a thread's protocol events. It only keeps the bytes with their times of arrival and looks at
 * the last few of them; they are taken apart after the measure.
 */
export class ThreadReader {
  readonly arrivals: Arrival[] = [];
  readonly #abort = new AbortController();
  readonly #openedAt = performance.now();
  #wake: (() => void) | undefined;
  #closed = false;

  private constructor(private readonly url: string) {}

  /** Resolves when the server has answered with its headers. */
  static async open(base: string, threadId: string, subscription: Subscription): Promise<ThreadReader> {
    const reader = new ThreadReader(`${base}/threads/${threadId}/stream/events`);
    const response = await fetch(reader.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(subscription),
      signal: reader.#abort.signal,
    });
    if (!response.ok || !response.body)
      throw new Error(`${reader.url}: ${response.status} ${await response.text()}`);
    void reader.#read(response.body);
    return reader;
  }

  /** When the stream was asked for, on the clock of the arrivals. */
  get openedAt(): number {
    return this.#openedAt;
  }

  /** Everything that has arrived, as events. */
  events(): Generator<ServerEvent> {
    return serverEvents(this.arrivals);
  }

  /** Waits until the newest event is one that is looked for. */
  async until(isIt: (event: unknown) => boolean): Promise<void> {
    for (;;) {
      const newest = newestEvent(this.arrivals);
      if (newest !== undefined && isIt(newest)) return;
      if (this.#closed) throw new Error(`${this.url} was closed by the server`);
      await this.#more();
    }
  }

  close(): void {
    this.#closed = true;
    this.#abort.abort();
    this.#wake?.();
  }

  async #more(): Promise<void> {
    const before = this.arrivals.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, SILENCE_MS);
    await promise;
    clearTimeout(timer);
    if (this.arrivals.length === before && !this.#closed) throw new Error(`${this.url} fell silent`);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const bytes of body) {
        this.arrivals.push({ at: performance.now(), bytes });
        this.#wake?.();
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    } finally {
      this.#closed = true;
      this.#wake?.();
    }
  }
}

/** The last event that has arrived whole, if it is a small one. */
function newestEvent(arrivals: Arrival[]): unknown {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (let index = arrivals.length - 1; index >= 0 && bytes < TAIL_BYTES; index -= 1) {
    const arrival = arrivals[index];
    if (!arrival) break;
    const piece = arrival.bytes.subarray(-TAIL_BYTES);
    pieces.unshift(piece);
    bytes += piece.length;
  }
  const text = Buffer.concat(pieces)
    .toString("utf8")
    .replace(/(^|\n):[^\n]*\n/g, "$1");
  const frame = text.trimEnd().split("\n\n").at(-1) ?? "";
  const data = /(?:^|\n)data: ?(\{.*\})$/m.exec(frame)?.[1];
  if (!data || !text.endsWith("\n\n")) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Whether an event says that a run is over. Throws when it says that the run failed. */
export function isRunEnd(event: unknown): boolean {
  const params = field(event, "params");
  const namespace = field(params, "namespace");
  if (field(event, "method") !== "lifecycle" || !Array.isArray(namespace) || namespace.length > 0)
    return false;
  const data = field(params, "data");
  const state = field(data, "event");
  if (state === "failed") throw new Error(`the run failed: ${field(data, "error")}`);
  return state === "completed";
}
