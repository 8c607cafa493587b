import type { ClaimedDelivery, Outbox } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import type { Attempted, Courier } from "./courier.ts";
import { askedWaitMs } from "./verdict.ts";

/** What a delivery has just been through: where a crash makes a difference. */
export type Point = "claimed" | "begun" | "answered";

export type DrainParts = {
  outbox: Pick<Outbox, "claim" | "began" | "finish" | "release" | "onRing">;
  courier: Pick<Courier, "attempt">;
  /** Names this process among others on the same database. */
  owner: string;
  now(): number;
  log: Logger;
  places?: Places;
  /** Hears how attempts ended. */
  attempted?: (end: { outcome: string; verdict: string; seconds: number }) => void;
  /** Hears of every step; whoever tests crashes lets one take for ever. */
  passes?: (point: Point, claimed: ClaimedDelivery) => Promise<void>;
};

/** How many requests are on their way at once, in all and of one subscription. */
export type Places = { total: number; perSubscription: number };

const PLACES: Places = { total: 64, perSubscription: 8 };
/** As long as an attempt can take. */
const LONGEST_STOP_MS = 20_000;
/**
 * From the answer to one message of a channel to the next: chats take one a second, and answer 429 to more. When a
 * chat counted a message is not known; by its answer it had.
 */
const PACE_MS = 1_000;

/**
 * Sends what the outbox holds: as much at once as there are places, the next as soon as one is free. What it
 * has begun when the process dies comes back when its lease is over.
 */
export class Drain {
  readonly #outbox: DrainParts["outbox"];
  readonly #places: Places;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #resting = new Resting();
  readonly #end = new AbortController();
  #claiming: Promise<void> | undefined;
  #wanted = false;
  #isStopping = false;
  #forget: (() => void) | undefined;

  constructor(private readonly parts: DrainParts) {
    this.#outbox = parts.outbox;
    this.#places = parts.places ?? PLACES;
  }

  /** Hears from now on when something is put into the outbox. */
  start(): void {
    this.#forget = this.#outbox.onRing(() => this.#wake());
  }

  /** How many are on their way. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Takes up what is due and has a place, and does not wait for it. One turn of the timer loop. */
  async once(): Promise<void> {
    this.#wanted = true;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
    });
    await this.#claiming;
  }

  /**
   * Takes up nothing more, gives back what was not begun, and lets the rest end; what does not is cut, which
   * counts as an attempt that failed.
   */
  async stop(graceMs: number = LONGEST_STOP_MS): Promise<void> {
    this.#isStopping = true;
    this.#forget?.();
    await this.#claiming?.catch(() => undefined);
    const timer = setTimeout(() => this.#end.abort(), Math.min(graceMs, LONGEST_STOP_MS));
    await Promise.all(this.#underWay.values());
    clearTimeout(timer);
  }

  #wake(): void {
    if (this.#isStopping) return;
    this.once().catch((error: unknown) => this.parts.log.error("webhook.claim.failed", { error }));
  }

  async #claim(): Promise<void> {
    while (this.#wanted && !this.#isStopping) {
      this.#wanted = false;
      const total = this.#places.total - this.#underWay.size;
      if (total <= 0) return;
      const now = this.parts.now();
      const limits = {
        ...{ total, perSubscription: this.#places.perSubscription },
        resting: this.#resting.at(now),
      };
      const claims = await this.#outbox.claim(this.parts.owner, now, limits);
      for (const together of Map.groupBy(claims, requestOf).values()) this.#take(together);
      // There may be more; once a place is free, whoever frees it looks again.
      if (claims.length > 0) this.#wanted = true;
    }
  }

  /** @param together what one request tells: a delivery, or for a channel several */
  #take(together: ClaimedDelivery[]): void {
    const [first] = together;
    if (!first) return;
    const delivery = this.#deliver(together)
      .catch((error: unknown) => {
        // Its lease ends by itself; until then it is nobody's.
        this.parts.log.error("webhook.attempt.failed", { delivery: first.id, error });
      })
      .finally(() => {
        this.#underWay.delete(keyOf(first));
        this.#wake();
      });
    this.#underWay.set(keyOf(first), delivery);
  }

  async #deliver(together: ClaimedDelivery[]): Promise<void> {
    const { passes } = this.parts;
    for (const claimed of together) await passes?.("claimed", claimed);
    if (this.#isStopping) return this.#outbox.release(together);
    const begun = await this.#begin(together);
    const [first] = begun;
    if (!first) return;
    for (const claimed of begun) await passes?.("begun", claimed);
    const attempted = await this.#send(begun).catch((error: unknown) => this.#unsent(first, error));
    for (const claimed of begun) await passes?.("answered", claimed);
    await Promise.all(begun.map((claimed) => this.#finish(claimed, attempted, claimed === first)));
  }

  /** Those whose attempt may begin. */
  async #begin(together: ClaimedDelivery[]): Promise<ClaimedDelivery[]> {
    const now = this.parts.now();
    const mayBegin = await Promise.all(together.map((claimed) => this.#outbox.began(claimed, now)));
    return together.filter((_, at) => mayBegin[at]);
  }

  async #send(begun: ClaimedDelivery[]): Promise<Attempted> {
    const { courier, now } = this.parts;
    const pace = paceOf(begun);
    if (pace === undefined) return courier.attempt(begun, this.#end.signal);
    this.#resting.until(pace, Number.POSITIVE_INFINITY);
    let asked = 0;
    try {
      const attempted = await courier.attempt(begun, this.#end.signal);
      asked = now() + (askedWaitMs(attempted.answer.retryAfter, now()) ?? 0);
      return attempted;
    } finally {
      const until = Math.max(now() + PACE_MS, asked);
      this.#resting.until(pace, until);
      setTimeout(() => this.#wake(), until - now()).unref();
    }
  }

  /** @param isFirst of those that one request told */
  async #finish(
    claimed: ClaimedDelivery,
    { answer, verdict, requestHeaders }: Attempted,
    isFirst: boolean,
  ): Promise<void> {
    const { now } = this.parts;
    const { outcome, status, durationMs, error, response, retryAfter } = answer;
    const isKept = await this.#outbox.finish(
      claimed,
      {
        ...{ outcome, retry: verdict === "retry", durationMs, error, response, requestHeaders },
        ...{ status, retryAfterMs: askedWaitMs(retryAfter, now()), sharesRequest: !isFirst },
      },
      now(),
    );
    const became = isKept ? verdict : "late";
    this.parts.attempted?.({ outcome, verdict: became, seconds: durationMs / 1_000 });
    this.#tell(claimed, { outcome, status, durationMs, verdict: became });
  }

  /** Something of this process is in the way, such as a key that opens no secrets: a later attempt may go through. */
  #unsent({ id }: ClaimedDelivery, error: unknown): Attempted {
    this.parts.log.error("webhook.unsent", { delivery: id, error });
    const words = error instanceof Error ? error.message : String(error);
    const answer = { status: null, durationMs: 0, error: words, response: null, retryAfter: null };
    return { answer: { outcome: "aborted", ...answer }, verdict: "retry", requestHeaders: {} };
  }

  /** Without the address: for a chat's webhook it is as good as a password. */
  #tell({ id, type, attempt }: ClaimedDelivery, fields: Record<string, unknown>): void {
    const { log } = this.parts;
    const told = { delivery: id, event: type, attempt, ...fields };
    if (fields.verdict === "delivered") log.debug("webhook.delivered", told);
    else log.info("webhook.failed", told);
  }
}

/** Channels that a message was just posted to, or that asked to be left alone. */
class Resting {
  readonly #until = new Map<string, number>();

  until(pace: string, at: number): void {
    this.#until.set(pace, at);
  }

  /** Those that rest at a moment; the others are forgotten. */
  at(now: number): { has(pace: string): boolean } {
    for (const [pace, until] of this.#until) if (until <= now) this.#until.delete(pace);
    return this.#until;
  }
}

/** What is told by one request: deliveries of one subscription, where they go to a channel. */
const requestOf = (claimed: ClaimedDelivery) =>
  "channel" in claimed.to ? (claimed.subscription_id ?? claimed.id) : claimed.id;

function paceOf([first]: ClaimedDelivery[]): string | undefined {
  return first && "channel" in first.to ? first.to.pace : undefined;
}

const keyOf = ({ id, claim }: ClaimedDelivery) => `${id} ${claim}`;
