import { TooMany } from "./rate-limit.ts";

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
