import { faultOf, faultText } from "./faults.ts";
import type { BodyMessage } from "./protocol.ts";

/** Bytes of one message at most: a larger chunk goes in pieces, for it holds up whatever else is said. */
const MOST_BYTES = 256 * 1024;

type Chunk = Extract<BodyMessage, { of: "chunk" }>;

type Taken = { controller: ReadableStreamDefaultController<Uint8Array>; go(): void };

/** Bodies of requests and answers on their way between the two: a chunk goes when the other end has room for it. */
export class Bodies {
  readonly #given = new Map<number, GivenBody>();
  readonly #taken = new Map<number, Taken>();
  #last = 0;
  #failure: Error | undefined;

  constructor(private readonly send: (message: BodyMessage) => void) {}

  /**
   * Gives a body away.
   * @param over hears once that no more of it is read
   * @returns the number under which the other end takes it
   */
  give(body: ReadableStream<Uint8Array>, over?: () => void): number {
    const number = ++this.#last;
    this.#given.set(number, new GivenBody(body, over));
    return number;
  }

  /**
   * A body that the other end gives.
   * @param over hears once that no more of it comes, or is wanted
   */
  take(number: number, over?: () => void): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (this.#failure) {
          over?.();
          throw this.#failure;
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        const go = () => {
          resolve();
          if (!this.#taken.has(number)) over?.();
        };
        this.#taken.set(number, { controller, go });
        this.send({ type: "body", of: "pull", body: number });
        return promise;
      },
      cancel: () => {
        this.#taken.delete(number);
        this.send({ type: "body", of: "cancel", body: number });
        over?.();
      },
    });
  }

  /** It is given elsewhere instead: nothing of it was read. */
  takeBack(number: number): void {
    this.#given.get(number)?.release();
    this.#given.delete(number);
  }

  /** Whoever would read it is gone. */
  drop(number: number): void {
    this.#given.get(number)?.cancel();
    this.#forget(number);
  }

  hear(message: BodyMessage): void {
    if (message.of === "pull") void this.#pulled(message.body);
    else if (message.of === "cancel") this.drop(message.body);
    else this.#came(message);
  }

  /** Nothing more will come. What was given is its giver's again, who may have another use for it. */
  fail(error: Error): void {
    this.#failure = error;
    for (const [number, taken] of this.#taken) this.#end(number, taken, () => taken.controller.error(error));
  }

  async #pulled(number: number): Promise<void> {
    const body = this.#given.get(number);
    if (!body) return;
    try {
      const chunk = await body.next();
      if (!this.#given.has(number)) return;
      if (chunk === undefined) this.#forget(number);
      this.send({ type: "body", of: "chunk", body: number, chunk });
    } catch (error) {
      this.#forget(number);
      this.send({ type: "body", of: "chunk", body: number, fault: faultText(error) });
    }
  }

  #forget(number: number): void {
    this.#given.get(number)?.over?.();
    this.#given.delete(number);
  }

  #came({ body, chunk, fault }: Chunk): void {
    const taken = this.#taken.get(body);
    if (!taken) return;
    const { controller } = taken;
    if (fault) this.#end(body, taken, () => controller.error(faultOf(fault)));
    else if (chunk === undefined) this.#end(body, taken, () => controller.close());
    else {
      controller.enqueue(chunk);
      taken.go();
    }
  }

  #end(number: number, { go }: Taken, end: () => void): void {
    this.#taken.delete(number);
    end();
    go();
  }
}

/** A body that is read here, in pieces that are not too large. */
class GivenBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #rest: Uint8Array | undefined;

  constructor(
    body: ReadableStream<Uint8Array>,
    readonly over?: () => void,
  ) {
    this.#reader = body.getReader();
  }

  /** @returns undefined at its end */
  async next(): Promise<Uint8Array | undefined> {
    const chunk = this.#rest ?? (await this.#read());
    this.#rest = chunk && chunk.byteLength > MOST_BYTES ? chunk.subarray(MOST_BYTES) : undefined;
    // A copy of its own: the whole of what it is a part of would travel.
    return chunk?.slice(0, MOST_BYTES);
  }

  /** Not waited for: of a copy, the cancelling is over only when the other one is read or cancelled, too. */
  cancel(): void {
    void this.#reader.cancel().catch(() => undefined);
  }

  release(): void {
    this.#reader.releaseLock();
  }

  async #read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      // Streams that a project makes may give text.
      const chunk: unknown = value;
      const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : value;
      if (bytes.byteLength > 0) return bytes;
    }
  }
}
