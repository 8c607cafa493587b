import { newUlid } from "@berth/store";
import {
  CHANNELS,
  type EventBatch,
  type EventFilter,
  type EventView,
  matches,
  type ThreadEvent,
  type ThreadEventReader,
} from "../protocol/index.ts";
import { isRecord } from "../record.ts";
import { Params, ProtocolError } from "./command-call.ts";

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
    private readonly events: ThreadEventReader,
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
        const wanted = { filter, since, atLeast: upTo, signal, view: this.view };
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

/** What a reader wants of a thread, and from where on; without `since` all that is kept. */
type EventSubscription = { filter: EventFilter; since?: number };

const MOST_PREFIXES = 1_000;

/**
 * Reads what a reader asks for, in the body of a stream or in a command.
 * @throws ProtocolError
 */
export function readSubscription(params: Params): EventSubscription {
  const channels = params.texts("channels");
  if (!channels || channels.length === 0) throw params.wrong("channels", "a list of at least one channel");
  const namespaces = params.list("namespaces");
  if (namespaces && namespaces.length > MOST_PREFIXES) {
    throw params.wrong("namespaces", `a list of at most ${MOST_PREFIXES}`);
  }
  const depth = params.count("depth", { least: 0 });
  const since = params.count("since", { least: 0 });
  const filter: EventFilter = {
    channels: new Set(channels),
    ...(namespaces && { namespaces: namespaces.map((namespace) => readNamespace(params, namespace)) }),
    ...(depth !== undefined && { depth }),
  };
  return since === undefined ? { filter } : { filter, since };
}

function readNamespace(params: Params, namespace: unknown): string[] {
  if (Array.isArray(namespace) && namespace.every((part): part is string => typeof part === "string")) {
    return namespace;
  }
  throw params.wrong("namespaces", "a list of lists of texts");
}

/**
 * The number of an event by its id: the last group of digits of `synth:<run>:<event>:<seq>` and of `<run>-<seq>`,
 * or a bare number. Undefined for what is no id of ours.
 */
export function seqOfEventId(id: string): number | undefined {
  const digits = /^(?:synth:[^:]+:[^:]+:|[0-9a-f]{12}-)?(\d{1,16})$/.exec(id)?.[1];
  const seq = digits === undefined ? undefined : Number(digits);
  return Number.isSafeInteger(seq) ? seq : undefined;
}

/** The later of two positions: whoever has seen the one has seen what is before it. */
export function later(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other;
  return other === undefined ? one : Math.max(one, other);
}

/** Whether a frame, whatever JSON it holds, opens a subscription. */
export function isSubscribe(frame: unknown): frame is Record<string, unknown> {
  return isRecord(frame) && frame.method === "subscription.subscribe";
}

/** Whether a frame opens one that only tells how runs begin and end, and what they ask. */
export function isWatch(frame: unknown): boolean {
  if (!isSubscribe(frame) || !isRecord(frame.params)) return false;
  const { channels } = frame.params;
  return Array.isArray(channels) && channels.every((one) => one === "lifecycle" || one === "input");
}

type Channel = "http" | "socket";

/**
 * The id of a subscription says what was subscribed to, so that whoever lost its connection, or its server, can
 * have it again by the id alone.
 */
export function subscriptionId(over: Channel, { channels, namespaces, depth }: EventFilter): string {
  const said = JSON.stringify({ channels: [...channels], namespaces, depth });
  return `${over}.${Buffer.from(said).toString("base64url")}.${newUlid()}`;
}

/** @throws ProtocolError when the id is none that {@link subscriptionId} made for such a connection */
export function filterOfSubscription(over: Channel, id: string): EventFilter {
  const said = id.startsWith(`${over}.`) ? id.split(".")[1] : undefined;
  try {
    if (said)
      return readSubscription(new Params(JSON.parse(Buffer.from(said, "base64url").toString()))).filter;
  } catch {
    // Somebody else's text.
  }
  throw noSuchSubscription(id);
}

export const noSuchSubscription = (id: string) =>
  new ProtocolError("no_such_subscription", `No subscription ${id.slice(0, 200)} here`);

/** As many characters of stored events as are held to count them, before the first is sent. */
const COUNTED_CHARS = 1_048_576;

/** Takes frames; a promise means that it has enough until that resolves. */
export type Receiver = { send(text: string): Promise<void> | undefined };

/** What is stored for a subscription, up to where its connection stands. */
class Replay {
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
async function sendInOrder(replays: readonly Replay[], to: Receiver): Promise<void> {
  for (;;) {
    const heads = await Promise.all(
      replays.map(async (replay) => ({ replay, seq: (await replay.peek())?.seq ?? Infinity })),
    );
    const [first, second] = heads.toSorted((a, b) => a.seq - b.seq);
    if (first === undefined || first.seq === Infinity) return;
    await sendAll(first.replay.take(second?.seq ?? Infinity), to);
  }
}

async function sendAll(events: readonly ThreadEvent[], to: Receiver): Promise<void> {
  for (const { json } of events) {
    const full = to.send(json);
    if (full) await full;
  }
}
