import { Fault } from "@berth/store";
import type { Caller } from "./call.ts";

/** The caller has sent more than it may (429). */
export class TooMany extends Fault {
  override name = "TooMany";

  constructor(
    readonly retryAfterSeconds: number,
    what = "Too many requests",
  ) {
    super(`${what}: try again in ${retryAfterSeconds} s`);
  }
}

type Bucket = { tokens: number; at: number };

const MOST_CALLERS = 10_000;
const MINUTE = 60_000;

/**
 * So many requests a minute for each key, or each user of a project's own auth; a full minute's worth at once.
 * Behind a gateway only users count: it takes the keys off, and all callers would be one.
 */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly perMinute: number,
    private readonly clock: { now(): number },
    private readonly behindGateway = false,
  ) {}

  /** Counts a request. @throws TooMany */
  take(caller: Caller | null): void {
    // Whom only a deployment knows is counted there.
    if (caller === null || caller.atOwnAuth?.isStranger || (this.behindGateway && !caller.guard)) return;
    const now = this.clock.now();
    const name = caller.guard ? `user ${caller.guard.user.identity}` : `key ${caller.keyId}`;
    const bucket = this.#buckets.get(name);
    const before = bucket ? bucket.tokens + ((now - bucket.at) * this.perMinute) / MINUTE : this.perMinute;
    const tokens = Math.min(this.perMinute, before);
    if (tokens < 1) throw new TooMany(Math.ceil(((1 - tokens) * 60) / this.perMinute));
    // The last asked are the last in the map: who has been silent longest is forgotten first.
    this.#buckets.delete(name);
    this.#buckets.set(name, { tokens: tokens - 1, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
  }
}
