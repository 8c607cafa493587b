import { Turns } from "@berth/store";
import type { Connection } from "./operation.ts";

/** Why a stream ended: its source did, its reader went away, or its source threw. */
export type StreamEnd = "done" | "disconnected" | "failed";

/** Who reads, and over which connection. */
export type StreamReader = { request: Request; server: Connection | null };

/**
 * Where a stream's text comes from, in pieces that may stand next to a heartbeat (whole frames, several per
 * item if that is how they are at hand). As a function it gets a signal that aborts when the reader goes away,
 * to wake whatever the source is waiting on.
 */
export type StreamSource = AsyncIterable<StreamItem> | ((gone: AbortSignal) => AsyncIterable<StreamItem>);

/** Text, or its bytes where they are there already: all readers may be given the same ones. */
type StreamItem = string | Uint8Array;

type StreamPlan = {
  /** Sent at once, so that the headers leave, and then every `everyMs`. */
  beat: { text: string; everyMs: number };
  /** Called exactly once. Must not throw. */
  onClose?: ((end: StreamEnd, error?: unknown) => void) | undefined;
};

// A reader this many characters behind stops its source; the socket's own buffers come on top.
const mostPending = 256 * 1024;
// A large item leaves in pieces of so many bytes: what waits in a socket for a slow reader is no more than that.
const PIECE_BYTES = 256 * 1024;
// Many readers of one stream would take all of their large pieces in one turn of the event loop.
const LARGE_BYTES = 32 * 1024;
const turns = new Turns();
const encoder = new TextEncoder();

/**
 * A byte stream over a source of text. Memory is bounded: the source is not asked for more while the reader is
 * behind. Text that is at hand together leaves as one chunk. When the source throws, what it gave before is
 * still delivered, then the connection is torn down rather than closed, so that the reader does not take the
 * cut for the end.
 */
export function textStream(reader: StreamReader, source: StreamSource, plan: StreamPlan): ReadableStream {
  const stream = new TextStream(reader, source, plan);
  return new ReadableStream<Uint8Array>(
    { pull: (controller) => stream.pull(controller), cancel: () => stream.close("disconnected") },
    { highWaterMark: 0 },
  );
}

class TextStream {
  readonly #reader: StreamReader;
  readonly #items: AsyncIterator<StreamItem>;
  readonly #plan: StreamPlan;
  readonly #gone = new AbortController();
  readonly #onAbort = () => this.close("disconnected");
  /** In front of `#pending`. */
  readonly #bytes: Uint8Array[] = [];
  #pending: string;
  #end: StreamEnd | undefined;
  #timer: Timer | undefined;
  #wake: (() => void) | undefined;
  #makeRoom: (() => void) | undefined;

  constructor(reader: StreamReader, source: StreamSource, plan: StreamPlan) {
    this.#reader = reader;
    this.#plan = plan;
    this.#pending = plan.beat.text;
    const items = typeof source === "function" ? source(this.#gone.signal) : source;
    this.#items = items[Symbol.asyncIterator]();
  }

  /** One chunk, as soon as there is something to send. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#timer === undefined && this.#end === undefined) this.#start();
    if (this.#isEmpty && this.#end === undefined) await this.#somethingToSend();
    const piece = this.#takePiece();
    if (piece && piece.length >= LARGE_BYTES) await turns.rest();
    if (this.#isEmpty) this.#makeRoom?.();
    if (this.#end === "disconnected") return controller.close();
    if (piece) controller.enqueue(piece);
    if (!this.#isEmpty) return;
    if (this.#end === "done") controller.close();
    else if (this.#end === "failed" && !piece) await tearDown(controller);
  }

  get #isEmpty(): boolean {
    return this.#pending === "" && this.#bytes.length === 0;
  }

  #takePiece(): Uint8Array | undefined {
    if (this.#bytes.length === 0) this.#encodePending();
    const [first] = this.#bytes;
    if (!first) return undefined;
    if (first.length > PIECE_BYTES) this.#bytes[0] = first.subarray(PIECE_BYTES);
    else this.#bytes.shift();
    return first.subarray(0, PIECE_BYTES);
  }

  #encodePending(): void {
    if (this.#pending === "") return;
    this.#bytes.push(encoder.encode(this.#pending));
    this.#pending = "";
  }

  /** Ends the stream, once; what the source is waiting on is woken and the source told to clean up. */
  close(end: StreamEnd, error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    clearInterval(this.#timer);
    const { signal } = this.#reader.request;
    signal.removeEventListener("abort", this.#onAbort);
    if (end === "disconnected") {
      this.#gone.abort();
      // A generator answers only after the step it is in; that is its own affair.
      this.#items.return?.()?.then(undefined, () => undefined);
    }
    this.#wake?.();
    this.#makeRoom?.();
    this.#plan.onClose?.(end, error);
  }

  #start(): void {
    const { request, server } = this.#reader;
    const { text, everyMs } = this.#plan.beat;
    // Bun closes a connection that is silent for `idleTimeout`, and by a coarse clock: no timeout at all.
    server?.timeout(request, 0);
    this.#timer = setInterval(() => {
      if (this.#isEmpty) this.#send(text);
    }, everyMs);
    request.signal.addEventListener("abort", this.#onAbort);
    if (request.signal.aborted) this.close("disconnected");
    else void this.#readSource();
  }

  async #readSource(): Promise<void> {
    try {
      for (;;) {
        const item = await this.#items.next();
        if (this.#end !== undefined) return;
        if (item.done) return this.close("done");
        if (item.value.length > 0) this.#send(item.value);
        if (this.#pending.length >= mostPending || this.#bytes.length > 0) await this.#room();
      }
    } catch (error) {
      this.close("failed", error);
    }
  }

  #send(item: StreamItem): void {
    if (typeof item === "string") this.#pending += item;
    else {
      this.#encodePending();
      this.#bytes.push(item);
    }
    this.#wake?.();
  }

  async #somethingToSend(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    // One turn of the event loop, in which the source may add what it already has: fewer, larger chunks.
    if (this.#end === undefined) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async #room(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#makeRoom = resolve;
    });
    this.#makeRoom = undefined;
  }
}

/** Resets the connection, a moment after the last bytes: a reset that overtakes them takes them along. */
export async function tearDown(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 20));
  // With no error to show, Bun prints none: whoever gave the plan has logged it.
  controller.error();
}
