import type { ThreadEvent } from "../event.ts";
import type { EventBatch } from "../thread-events.ts";

/** As many characters of stored events as are held to count them, before the first is sent. */
const COUNTED_CHARS = 1_048_576;

/** Takes events; a promise means that it has enough for now. */
export type Receiver = { send(text: string): Promise<void> | undefined };

/** One subscription of a connection: reads what is stored, so that it can be counted, then sends as it comes. */
export class Reader {
  readonly #gone = new AbortController();
  readonly #batches: AsyncGenerator<EventBatch>;
  readonly #head: ThreadEvent[] = [];
  /** All that is stored has been read. */
  #isLive = false;

  constructor(follow: (signal: AbortSignal) => AsyncGenerator<EventBatch>) {
    this.#batches = follow(this.#gone.signal);
  }

  /** Reads ahead. @returns how many events are stored; undefined when that is too much to hold */
  async open(): Promise<number | undefined> {
    let chars = 0;
    while (chars < COUNTED_CHARS) {
      const { value, done } = await this.#batches.next();
      if (done) break;
      for (const event of value.events) {
        this.#head.push(event);
        chars += event.json.length;
      }
      this.#isLive = value.live;
      if (value.live) return this.#head.length;
    }
    return undefined;
  }

  /** Sends what is stored, no faster than the other side takes it. */
  async replay(to: Receiver): Promise<void> {
    await this.#send(this.#head.splice(0), to);
    while (!this.#isLive) {
      const { value, done } = await this.#batches.next();
      if (done) return;
      this.#isLive = value.live;
      await this.#send(value.events, to);
    }
  }

  /** Sends what comes. @returns why there is no more */
  async follow(to: Receiver): Promise<"closed" | "deleted"> {
    for await (const { events } of this.#batches) await this.#send(events, to);
    return this.#gone.signal.aborted ? "closed" : "deleted";
  }

  close(): void {
    this.#gone.abort();
    // One that nobody sends from any more has to be told by itself.
    this.#batches.return(undefined).catch(() => undefined);
  }

  async #send(events: ThreadEvent[], to: Receiver): Promise<void> {
    for (const { json } of events) {
      if (this.#gone.signal.aborted) return;
      const full = to.send(json);
      if (full) await full;
    }
  }
}
