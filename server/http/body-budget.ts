import { TooMany } from "./too-many.ts";

/** Bodies up to this many bytes need no budget: the number of connections bounds what they take. */
export const SMALL_BODY = 65_536;

/** Assumed size of a body of unknown length; its lease grows with what arrives. */
const FIRST_BYTES = 1_048_576;
/** Maximum number of bodies that wait for their turn; each of them is read by no one, so it takes no memory. */
const MAX_WAITING = 1_000;
/** Retry-After of a body that was refused. */
const RETRY_SECONDS = 2;

type BodyBudgetLimits = {
  /** Maximum bytes of the bodies that a process reads at once. */
  bytes: number;
  /** Maximum bytes of the bodies of one client; a single larger body is admitted alone. */
  bytesPerClient: number;
  /** How long (ms) a body waits for its turn. */
  waitMs: number;
};

type Waiting = { client: string; bytes: number; begin: () => void };

/** A share of the budget while one body is read. */
export type BodyLease = {
  /**
   * Enlarges the share to `bytes`, without waiting: bodies that wait for each other would never end.
   * @throws TooMany
   */
  grow(bytes: number): void;
  release(): void;
};

/**
 * Limits the bytes of request bodies that are read at the same time, in total and per client. A body that has to wait
 * stays in the sockets' buffers, because Bun reads no further than its handler does.
 */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #used = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #total = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  /**
   * Waits until a body may be read.
   * @param bytes its size; null where the request does not declare it
   * @throws TooMany its turn does not come in time
   */
  async acquire(client: string, bytes: number | null): Promise<BodyLease> {
    let leased = Math.min(bytes ?? FIRST_BYTES, this.#limits.bytesPerClient);
    if (this.#fits(client, leased)) this.#add(client, leased);
    else await this.#turn(client, leased);
    return {
      grow: (wanted) => {
        const more = Math.min(wanted, this.#limits.bytesPerClient) - leased;
        if (more <= 0) return;
        if (!this.#fits(client, more)) throw tooManyBodies();
        this.#add(client, more);
        leased += more;
      },
      release: () => {
        this.#add(client, -leased);
        leased = 0;
        this.#admitWaiting();
      },
    };
  }

  #fits(client: string, bytes: number): boolean {
    return (
      this.#total + bytes <= this.#limits.bytes &&
      (this.#used.get(client) ?? 0) + bytes <= this.#limits.bytesPerClient
    );
  }

  #add(client: string, bytes: number): void {
    this.#total += bytes;
    const used = (this.#used.get(client) ?? 0) + bytes;
    if (used === 0) this.#used.delete(client);
    else this.#used.set(client, used);
  }

  /** Resolves once the bytes are the caller's. @throws TooMany */
  #turn(client: string, bytes: number): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING) throw tooManyBodies();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one: Waiting = { client, bytes, begin: resolve };
    const timer = setTimeout(() => {
      this.#waiting.delete(one);
      reject(tooManyBodies());
    }, this.#limits.waitMs);
    this.#waiting.add(one);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Admits waiting bodies in their order; one that waits for its own client's share is passed over. */
  #admitWaiting(): void {
    for (const one of this.#waiting) {
      if (!this.#fits(one.client, one.bytes)) continue;
      this.#waiting.delete(one);
      this.#add(one.client, one.bytes);
      one.begin();
    }
  }
}

const tooManyBodies = () => new TooMany(RETRY_SECONDS, "Too many request bodies are being read");

const MIN_BUDGET_BYTES = 33_554_432;
const BODIES_PER_PROCESS = 8;
const BODIES_PER_CLIENT = 2;
const WAIT_MS = 10_000;

/** The budget of a process: eight bodies of the largest size, two per client. */
export function processBodyBudget(maxBodyBytes: number): BodyBudget {
  const one = Math.max(MIN_BUDGET_BYTES, maxBodyBytes);
  return new BodyBudget({
    bytes: one * BODIES_PER_PROCESS,
    bytesPerClient: one * BODIES_PER_CLIENT,
    waitMs: WAIT_MS,
  });
}
