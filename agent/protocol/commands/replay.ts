import type { ThreadEvent } from "../event.ts";
import type { EventBatch } from "../thread-events.ts";

/** As many characters of stored events as are held to count them, before the first is sent. */
const COUNTED_CHARS = 1_048_576;

/** Takes frames; a promise means that it has enough until that resolves. */
export type Receiver = { send(text: string): Promise<void> | undefined };

/** What is stored for a subscription, up to where its connection stands. */
export class Replay {
  readonly #head: ThreadEvent[] = [];
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

  /** Sends all of it, no faster than the other side takes it. */
  async sendTo(to: Receiver): Promise<void> {
    await sendAll(this.#head.splice(0), to);
    while (!this.#isWhole) await sendAll(await this.#next(), to);
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

export async function sendAll(events: readonly ThreadEvent[], to: Receiver): Promise<void> {
  for (const { json } of events) {
    const full = to.send(json);
    if (full) await full;
  }
}
