import type { WireEvent, WireFilter, WireFrame } from "./protocol.ts";
import { WORDS } from "./words.ts";

type Command = { id: number; method: string; params: Record<string, unknown> };
type Reply = Extract<WireFrame, { kind: "reply" }>;
type Replay = { missing: number; events: WireEvent[]; done: () => void };

const QUIET_MS = 500;

/** The commands about subscriptions on one socket, which carries one subscription at a time. */
export class EventSubscription {
  #send: (command: Command) => void;
  #ids = 0;
  #waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  #replay: Replay | undefined;
  #ended = false;

  constructor(send: (command: Command) => void) {
    this.#send = send;
  }

  /** The stored events that match, and nothing live. */
  async replay(filter: WireFilter, since?: number): Promise<WireEvent[]> {
    const events: WireEvent[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    // In place before the answer: the events follow it without a pause.
    const replay: Replay = { missing: Infinity, events, done: resolve };
    this.#replay = replay;
    const reply = await this.#subscribe(filter, since);
    const { replayed_events: count } = reply.result;
    if (typeof count === "number") replay.missing = count;
    else this.#untilQuiet(replay);
    this.#finishReplay();
    await promise;
    await this.#command("subscription.unsubscribe", { subscription_id: reply.result.subscription_id });
    this.#replay = undefined;
    return events;
  }

  /** Subscribes for good. The events come after this has resolved. */
  async open(filter: WireFilter, since: number | undefined): Promise<void> {
    await this.#subscribe(filter, since);
  }

  /** Whether the event belongs to a replay under way. */
  takes(event: WireEvent): boolean {
    if (!this.#replay) return false;
    this.#replay.events.push(event);
    this.#finishReplay();
    return true;
  }

  answered(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.error) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply);
  }

  /** The socket is gone: nothing more is answered. */
  end(): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.values()) reject(new Error(WORDS.connectionLost));
    this.#waiting.clear();
    this.#replay?.done();
  }

  /** The server counts short replays only. A long one is over when nothing has come for a while. */
  #untilQuiet(replay: Replay, seen = -1): void {
    if (replay.events.length === seen) replay.done();
    else setTimeout(() => this.#untilQuiet(replay, replay.events.length), QUIET_MS);
  }

  #finishReplay(): void {
    if (this.#replay && this.#replay.events.length >= this.#replay.missing) this.#replay.done();
  }

  #subscribe(filter: WireFilter, since: number | undefined): Promise<Reply> {
    return this.#command("subscription.subscribe", { ...filter, ...(since === undefined ? {} : { since }) });
  }

  #command(method: string, params: Record<string, unknown>): Promise<Reply> {
    // Browsers complain about each frame for a socket that is closed.
    if (this.#ended) return Promise.reject(new Error(WORDS.connectionLost));
    this.#ids += 1;
    const id = this.#ids;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ id, method, params });
    return promise;
  }
}
