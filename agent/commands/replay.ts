import type { EventBatch, ThreadEvent } from "../protocol/index.ts";

/** As many characters of stored events as are held to count them, before the first is sent. */
const COUNTED_CHARS = 1_048_576;

/** Takes frames; a promise means that it has enough until that resolves. */
export type Receiver = { send(text: string): Promise<void> | undefined };

/** What is stored for a subscription, up to where its connection stands. */
export class Replay {
  #head: ThreadEvent[] = [];
  /** As many of them are sent. */
  #sent = 0;
  #isWhole = false;

  constructor(
    private readonly batches: AsyncGenerator<EventBatch>,
    private readonly upTo: number,
  ) {}

  /** Reads ahead. @returns how many events there are; undefined when that is too much to hold */
  async count(): Promise<number | undefined> {
    let chars = 0;
    while (!this.#isWhole && chars < COUNTED_CHARS) {
      for (const event of await this.#next()) {
        this.#head.push(event);
        chars += event.json.length;
      }
    }
    return this.#isWhole ? this.#head.length : undefined;
  }

  /** The event that is next, which is read first if need be; undefined when there is none. */
  async peek(): Promise<ThreadEvent | undefined> {
    while (this.#sent === this.#head.length && !this.#isWhole) {
      this.#head = await this.#next();
      this.#sent = 0;
    }
    return this.#head[this.#sent];
  }

  /** The events that are next and at hand, up to one number. */
  take(upTo: number): ThreadEvent[] {
    const from = this.#sent;
    for (let event = this.#head[from]; event && event.seq <= upTo; event = this.#head[this.#sent]) {
      this.#sent += 1;
    }
    return this.#head.slice(from, this.#sent);
  }

  close(): void {
    this.batches.return(undefined).catch(() => undefined);
  }

  async #next(): Promise<ThreadEvent[]> {
    const { value, done } = await this.batches.next();
    this.#isWhole = done === true || value.live;
    return done ? [] : value.events.filter(({ seq }) => seq <= this.upTo);
  }
}

/**
 * Sends what several subscriptions have stored, in the order of the thread and no faster than the other side takes
 * it: who hears of the end of a run on one takes it that the others have nothing more to say. What more than one
 * wants is sent for each.
 */
export async function sendInOrder(replays: readonly Replay[], to: Receiver): Promise<void> {
  for (;;) {
    const heads = await Promise.all(
      replays.map(async (replay) => ({ replay, seq: (await replay.peek())?.seq ?? Infinity })),
    );
    const [first, second] = heads.toSorted((a, b) => a.seq - b.seq);
    if (first === undefined || first.seq === Infinity) return;
    await sendAll(first.replay.take(second?.seq ?? Infinity), to);
  }
}

export async function sendAll(events: readonly ThreadEvent[], to: Receiver): Promise<void> {
  for (const { json } of events) {
    const full = to.send(json);
    if (full) await full;
  }
}
