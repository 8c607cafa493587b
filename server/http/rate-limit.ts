import type { Caller } from "./call.ts";
import { TooMany } from "./too-many.ts";

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

/** Different wrong secrets that a client may send in a minute before it has to wait. */
const MOST = 10;
const WAIT_MS = 60_000;
const MOST_CLIENTS = 10_000;
/** Good secrets that are remembered of one client. */
const MOST_GOOD = 100;

type Wrong = { secrets: Set<string>; until: number };

/**
 * Counts the different wrong secrets of each client: ten a minute. One that was good from there goes on to be heard,
 * so that nobody is kept out by what others at the same address send; and one that is sent again and again, as by a
 * script whose key was deleted, is no guess.
 */
export class Attempts {
  readonly #wrong = new Map<string, Wrong>();
  readonly #good = new Map<string, Set<string>>();

  constructor(private readonly clock: { now(): number }) {}

  /**
   * Counts an attempt before its outcome is known, since many may come at once.
   * @param secret a digest, never the secret itself
   * @throws TooMany
   */
  begin(client: string, secret: string): void {
    if (this.#good.get(client)?.has(secret)) return;
    const now = this.clock.now();
    const known = this.#wrongOf(client, now);
    if (known === undefined) {
      this.#wrong.delete(client);
      put(this.#wrong, client, { secrets: new Set([secret]), until: now + WAIT_MS });
      return;
    }
    if (known.secrets.has(secret)) return;
    if (isFull(known))
      throw new TooMany(Math.ceil((known.until - now) / 1_000), "Too many wrong API keys from this address");
    known.secrets.add(secret);
  }

  /** Whether `begin` would refuse it. */
  isLimited(client: string, secret: string): boolean {
    const known = this.#wrongOf(client, this.clock.now());
    if (known === undefined || known.secrets.has(secret)) return false;
    return isFull(known) && !this.#good.get(client)?.has(secret);
  }

  #wrongOf(client: string, now: number): Wrong | undefined {
    const known = this.#wrong.get(client);
    return known !== undefined && known.until > now ? known : undefined;
  }

  /** The attempt that `begin` counted was right. */
  succeeded(client: string, secret: string): void {
    const good = this.#good.get(client);
    if (good?.has(secret)) return;
    this.#wrong.get(client)?.secrets.delete(secret);
    if (good === undefined) put(this.#good, client, new Set([secret]));
    else if (good.size < MOST_GOOD) good.add(secret);
  }

  /** It was good once and is no more. */
  failed(client: string, secret: string): void {
    this.#good.get(client)?.delete(secret);
  }
}

const isFull = ({ secrets }: Wrong): boolean => secrets.size >= MOST;

/** The client that came first is forgotten first. */
function put<T>(clients: Map<string, T>, client: string, value: T): void {
  const oldest = clients.keys().next().value;
  if (clients.size >= MOST_CLIENTS && oldest !== undefined) clients.delete(oldest);
  clients.set(client, value);
}
