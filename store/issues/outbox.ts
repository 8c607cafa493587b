import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { Conflict } from "../errors.ts";
import { type SecretBox, WrongSecretsKey } from "../secrets/index.ts";
import {
  anyDue,
  beginAttempt,
  type ClaimedDelivery,
  type DeliveryClaim,
  releaseClaims,
  type Taken,
  takeDue,
} from "./claim.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryFilter,
  getDeliveryRow,
  listAttempts,
  listDeliveries,
  sweepDeliveries,
  toDelivery,
} from "./delivery.ts";
import { deliveryTo, enqueueEvents, insertOne } from "./enqueue.ts";
import type { OutgoingEvent } from "./envelope.ts";
import {
  type AttemptEnd,
  type Backoff,
  finishAttempt,
  LONGEST_WISH_MS,
  MOST_ATTEMPTS,
  reapLease,
} from "./finish.ts";
import { sampleEvent } from "./issue-events.ts";
import type { ClaimLimits } from "./lanes.ts";
import { type Missed, missedBy, type RedeliveryRange, redeliverAll, redeliverOne } from "./redelivery.ts";
import { getSubscriptionRow, openChannel, openHeaders, paceOf } from "./subscription.ts";

export type OutboxSettings = {
  /** The base of the links in events. */
  publicUrl: string;
  backoff: Backoff;
  /** Whether a subscription that only fails is disabled at last; it is when left out. */
  autoDisable?: boolean | undefined;
  /** Told of every subscription that this process disabled, once that is committed. */
  onDisabled?: ((subscriptionId: string) => void) | undefined;
};

type Depth = { queued: number; leased: number; due: number; oldestDueMs: number };

const SLACK_MS = 60_000;
const FARTHEST_LEASE_MS = 600_000;
const REAPED_AT_ONCE = 500;

/** The events on their way out: kept until somebody has them, or nobody will. */
export class Outbox {
  readonly #listeners = new Set<() => void>();
  /** The lane that was served last: the next claim begins behind it. */
  #lane = "";
  /** How far ahead something can be due, while nobody sets the clock back. */
  readonly #farthestDueMs: number;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
    readonly settings: OutboxSettings,
  ) {
    const pauses = Array.from({ length: MOST_ATTEMPTS - 1 }, (_, at) => settings.backoff(at + 1));
    this.#farthestDueMs = Math.max(LONGEST_WISH_MS, 2 * Math.max(...pauses)) + SLACK_MS;
  }

  /**
   * Puts events into the outbox, in the transaction of what they tell of; `ring` after its commit.
   * @returns how many deliveries wait because of it
   */
  enqueue(tx: Tx, events: readonly OutgoingEvent[]): Promise<number> {
    return enqueueEvents(tx, this.box, events, this.clock.now());
  }

  /** Tells those who send that something may be due. */
  ring(): void {
    for (const listener of this.#listeners) listener();
  }

  /** @returns takes the listener away again */
  onRing(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Sends a subscription an example of an issue, whatever it subscribed to.
   * @throws NotFound
   * @throws Conflict it is disabled
   */
  async test(workspaceId: string, subscriptionId: string): Promise<Delivery> {
    const now = this.clock.now();
    const row = await this.db.write(async (tx) => {
      const subscription = await getSubscriptionRow(tx, workspaceId, subscriptionId);
      if (subscription.state === "disabled") {
        throw new Conflict("The subscription is disabled: enable it first.");
      }
      const event = await sampleEvent(tx, subscription, this.settings.publicUrl);
      const delivery = { ...deliveryTo(subscription, event, now), test: 1 };
      await insertOne(tx, delivery);
      return delivery;
    });
    this.ring();
    return toDelivery(row);
  }

  /** Leases what is due to a worker, for thirty seconds; each subscription gets its turn. */
  async claim(owner: string, now: number, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
    if (limits.total <= 0 || !(await anyDue(this.db, now))) return [];
    const { taken, lane } = await this.db.write((tx) => takeDue(tx, { owner, now, limits }, this.#lane));
    this.#lane = lane;
    const claimed: ClaimedDelivery[] = [];
    for (const one of taken) {
      const claim = this.#claimed(one, owner);
      if (claim) claimed.push(claim);
      else await this.#giveUp(one, owner, now);
    }
    return claimed;
  }

  /**
   * Writes down that an attempt begins; nothing may be sent before.
   * @returns false when nothing may be sent at all: the lease is over, or the subscription disabled or deleted
   */
  began(claim: DeliveryClaim, now: number): Promise<boolean> {
    return this.db.write((tx) => beginAttempt(tx, claim, now));
  }

  /**
   * Writes down how an attempt ended.
   * @returns false when the lease was over before: then the log says so, and nothing else has changed
   */
  async finish(claim: DeliveryClaim, end: AttemptEnd, now: number): Promise<boolean> {
    const { backoff, autoDisable = true } = this.settings;
    const context = { now, backoff, health: { autoDisable } };
    const { late, disabled } = await this.db.write((tx) => finishAttempt(tx, claim, end, context));
    if (disabled !== undefined) this.settings.onDisabled?.(disabled);
    return !late;
  }

  /** Gives back claims that no attempt was begun for. */
  release(claims: readonly DeliveryClaim[]): Promise<void> {
    const now = this.clock.now();
    return this.db.write((tx) => releaseClaims(tx, claims, now));
  }

  /**
   * Gives back what is leased to workers that no longer answer for it, and what a jump of the clock put far away.
   * @returns how many leases were over
   */
  async reap(now: number): Promise<number> {
    await this.#bringBack(now);
    const rows = await this.db.read
      .selectFrom("deliveries")
      .selectAll()
      .where("state", "=", sql.lit("leased"))
      .where(({ or, eb }) =>
        or([eb("lease_until", "<=", now), eb("lease_until", ">", now + FARTHEST_LEASE_MS)]),
      )
      .limit(REAPED_AT_ONCE)
      .execute();
    if (rows.length === 0) return 0;
    const times = { now, backoff: this.settings.backoff };
    await this.db.write(async (tx) => {
      for (const row of rows) await reapLease(tx, row, times);
    });
    return rows.length;
  }

  /**
   * Sends a delivery once more, now, with the same id and the same bytes.
   * @throws NotFound
   * @throws Conflict it is being sent right now, or its subscription is disabled or gone
   */
  async redeliver(workspaceId: string, id: string): Promise<Delivery> {
    const now = this.clock.now();
    const row = await this.db.write((tx) => redeliverOne(tx, workspaceId, id, now));
    this.ring();
    return toDelivery(row);
  }

  /**
   * The same for everything in a range that did not arrive, the newest 10,000.
   * @param key asked for again under the same key, nothing happens
   * @returns how many are sent again
   */
  async redeliverRange(workspaceId: string, range: RedeliveryRange, key?: string): Promise<number> {
    const now = this.clock.now();
    const queued = await this.db.write((tx) => redeliverAll(tx, workspaceId, range, { now, key }));
    this.ring();
    return queued;
  }

  /**
   * What a subscription did not get, and nobody has asked for again.
   * @throws NotFound
   */
  missed(workspaceId: string, subscriptionId: string): Promise<Missed> {
    return missedBy(this.db, workspaceId, subscriptionId);
  }

  /** @throws NotFound */
  async get(workspaceId: string, id: string): Promise<Delivery> {
    return toDelivery(await getDeliveryRow(this.db.read, workspaceId, id));
  }

  /** A page of the deliveries that match, newest first. */
  list(
    workspaceId: string,
    filter: DeliveryFilter,
    page: { limit: number; offset: number },
  ): Promise<Delivery[]> {
    return listDeliveries(this.db, workspaceId, filter, page);
  }

  /**
   * Every time that a delivery was sent, the last first.
   * @throws NotFound
   */
  async attempts(workspaceId: string, id: string): Promise<DeliveryAttempt[]> {
    await getDeliveryRow(this.db.read, workspaceId, id);
    return listAttempts(this.db, id);
  }

  /** How much waits, and for how long the oldest of what is due has. */
  async depth(now: number): Promise<Depth> {
    const { read } = this.db;
    const count = (state: "queued" | "leased") =>
      read
        .selectFrom("deliveries")
        .select((eb) => [eb.fn.countAll<number>().as("total"), eb.fn.min("due_at").as("first")])
        .where("state", "=", sql.lit(state));
    const queued = await count("queued").executeTakeFirstOrThrow();
    const due = await count("queued").where("due_at", "<=", now).executeTakeFirstOrThrow();
    const leased = await count("leased").executeTakeFirstOrThrow();
    return {
      queued: Number(queued.total),
      leased: Number(leased.total),
      due: Number(due.total),
      oldestDueMs: due.first === null ? 0 : now - Number(due.first),
    };
  }

  /** When the next delivery is due; null while none waits. */
  async nextDue(): Promise<number | null> {
    const row = await this.db.read
      .selectFrom("deliveries")
      .select("due_at")
      .where("state", "=", sql.lit("queued"))
      .orderBy("due_at")
      .limit(1)
      .executeTakeFirst();
    return row?.due_at ?? null;
  }

  /** Forgets deliveries that have been over for thirty days, with their attempts. */
  sweep(now: number): Promise<number> {
    return sweepDeliveries(this.db, now);
  }

  /** A clock that was set back makes what is due wait that much longer. */
  async #bringBack(now: number): Promise<void> {
    const farthest = now + this.#farthestDueMs;
    const far = await this.db.read
      .selectFrom("deliveries")
      .select("id")
      .where("state", "=", sql.lit("queued"))
      .where("due_at", ">", farthest)
      .limit(1)
      .executeTakeFirst();
    if (!far) return;
    await this.db.write((tx) =>
      tx
        .updateTable("deliveries")
        .set({ due_at: now })
        .where("state", "=", sql.lit("queued"))
        .where("due_at", ">", farthest)
        .execute(),
    );
  }

  /** Undefined where its headers do not open with this key. */
  #claimed({ row, subscription }: Taken, owner: string): ClaimedDelivery | undefined {
    try {
      const headers = subscription
        ? openHeaders(this.box, subscription.headers, subscription.id)
        : openHeaders(this.box, row.headers, row.id);
      const channel = subscription && openChannel(this.box, subscription);
      const pace = subscription && paceOf(subscription);
      return {
        id: row.id,
        owner,
        claim: row.claims,
        type: row.type,
        workspace_id: row.workspace_id,
        subscription_id: row.subscription_id,
        to: channel && pace !== undefined ? { channel, pace } : { url: subscription?.url ?? row.url ?? "" },
        headers,
        body: row.body,
        attempt: row.tries + 1,
        manual: row.manual > 0,
        test: row.test === 1,
        created_at: row.created_at,
      };
    } catch (error) {
      if (error instanceof WrongSecretsKey) return undefined;
      throw error;
    }
  }

  async #giveUp({ row }: Taken, owner: string, now: number): Promise<void> {
    const claim = { id: row.id, owner, claim: row.claims };
    const error = "its headers were encrypted with another key";
    if (!(await this.began(claim, now))) return;
    await this.finish(claim, { outcome: "aborted", retry: false, durationMs: 0, error }, now);
  }
}
