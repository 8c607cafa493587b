import {
  CHANNELS,
  type EventFilter,
  type EventView,
  matches,
  type ThreadEvent,
  type ThreadEvents,
} from "../protocol/index.ts";
import { type Receiver, Replay, sendAll, sendInOrder } from "./replay.ts";
import { ProtocolError } from "./reply.ts";

const MOST = 100;

type Subscribed = { filter: EventFilter; since: number };

/** What one connection takes up at a time: nobody may send in between. */
export type Opening = {
  /** Reads what is stored for one more subscription. @returns how many events, if that is known */
  open(id: string, wanted: { filter: EventFilter; since?: number | undefined }): Promise<number | undefined>;
  /** Sends what is stored; from then on the subscriptions hear what comes. */
  replay(): Promise<void>;
  /** Has to come at the end, whatever happened. */
  leave(): void;
};

/**
 * The subscriptions of one connection. They share one reader, which sends an event once, whoever wants it, and in
 * the order of the thread: a client that hears of the end of a run on one subscription takes it that the others
 * have nothing more to say.
 */
export class EventSubscriptions {
  readonly #subscribed = new Map<string, Subscribed>();
  readonly #gone = new AbortController();
  #gate: Promise<void> = Promise.resolve();
  /** The last event that was looked at; undefined while nobody reads. */
  #cursor: number | undefined;

  constructor(
    private readonly events: ThreadEvents,
    private readonly threadId: string,
    private readonly wire: Receiver & { threadDeleted(): void; failed(error: unknown): void },
    private readonly view?: EventView,
  ) {}

  get ids(): string[] {
    return [...this.#subscribed.keys()];
  }

  filterOf(id: string): EventFilter | undefined {
    return this.#subscribed.get(id)?.filter;
  }

  /** @returns false when there is no such subscription */
  remove(id: string): boolean {
    return this.#subscribed.delete(id);
  }

  close(): void {
    this.#gone.abort();
    this.#subscribed.clear();
  }

  /** Stops the flow of events, so that subscriptions can be opened at one place of it. */
  async opening(): Promise<Opening> {
    const { signal } = this.#gone;
    const leave = await this.#enter();
    const upTo = this.#cursor ?? (await this.#start().catch((error) => refuse(leave, error)));
    const opened: { id: string; subscribed: Subscribed; replay: Replay }[] = [];
    return {
      open: async (id, { filter, since }) => {
        if (this.#subscribed.size + opened.length >= MOST && !this.#subscribed.has(id)) {
          throw new ProtocolError("invalid_argument", `At most ${MOST} subscriptions a connection`);
        }
        const wanted = { filter, since, signal, view: this.view };
        const replay = new Replay(this.events.follow(this.threadId, wanted), upTo);
        opened.push({ id, subscribed: { filter, since: since ?? 0 }, replay });
        return replay.count();
      },
      replay: async () => {
        await sendInOrder(
          opened.map(({ replay }) => replay),
          this.wire,
        );
        if (signal.aborted) return;
        for (const { id, subscribed } of opened) this.#subscribed.set(id, subscribed);
      },
      leave: () => {
        for (const { replay } of opened) replay.close();
        leave();
      },
    };
  }

  async #start(): Promise<number> {
    const from = await this.events.newest(this.threadId);
    this.#cursor = from;
    this.#read(from).catch((error) => this.wire.failed(error));
    return from;
  }

  async #read(since: number): Promise<void> {
    const { signal } = this.#gone;
    const wanted = { filter: { channels: CHANNELS }, since, signal, view: this.view };
    for await (const { events } of this.events.follow(this.threadId, wanted)) {
      const last = events.at(-1);
      if (!last) continue;
      const leave = await this.#enter();
      try {
        await sendAll(
          events.filter((event) => this.#isWanted(event)),
          this.wire,
        );
        this.#cursor = last.seq;
      } finally {
        leave();
      }
    }
    if (!signal.aborted) this.wire.threadDeleted();
  }

  #isWanted(event: ThreadEvent): boolean {
    for (const { filter, since } of this.#subscribed.values()) {
      if (event.seq > since && matches(filter, event)) return true;
    }
    return false;
  }

  /** One at a time; the result lets the next one in. */
  async #enter(): Promise<() => void> {
    const before = this.#gate;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    await before;
    return resolve;
  }
}

function refuse(leave: () => void, error: unknown): never {
  leave();
  throw error;
}
