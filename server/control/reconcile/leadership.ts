import {
  type Clock,
  CONTROL_LEASE_MS,
  type ControlLease,
  LeadershipLost,
  type LeaseHolder,
  monotonicClock,
} from "@berth/store";
import type { Logger } from "@logtape/logtape";

/** What is done when this process becomes the one that reconciles, and when another one does. */
type Reign = { begin(): Promise<void>; end(): Promise<void> };

/** Another process cannot lead before the lease is over. The margin of 3 s covers slow turns of the event loop. */
const TRUSTED_MS = CONTROL_LEASE_MS - 3_000;

/** Sees to it that one process at a time reconciles a database. */
export class Leadership {
  #leads = false;
  #rests = false;
  /** When this process last took or renewed the lease; undefined while it has none. */
  #renewedAt: number | undefined;
  #turn: Promise<void> | undefined;

  constructor(
    private readonly lease: Pick<ControlLease, "take" | "renew" | "release">,
    private readonly holder: LeaseHolder,
    private readonly reign: Reign,
    private readonly logger: Logger,
    /** Measures durations: monotonic. */
    private readonly clock: Clock = monotonicClock,
    /** How long a renewal is good for before the next; every turn, without. */
    private readonly renewMs = 0,
  ) {}

  /** Whether this process is the one. */
  get leads(): boolean {
    return this.#leads;
  }

  /**
   * Whether the lease is certainly this process's: it was renewed a moment ago. False in a process that was stopped for
   * longer and goes on, before it learns that another one leads.
   */
  get isHeld(): boolean {
    return this.#renewedAt !== undefined && this.clock.now() - this.#renewedAt < TRUSTED_MS;
  }

  /** @throws LeadershipLost unless {@link isHeld} */
  assertHeld(): void {
    if (!this.isHeld) throw new LeadershipLost();
  }

  /** One turn of the timer loop: stays, becomes or stops being the one. */
  once(): Promise<void> {
    this.#turn ??= this.#once().finally(() => {
      this.#turn = undefined;
    });
    return this.#turn;
  }

  /** Does not become the one any more; one that it is it stays until it resigns. */
  async rest(): Promise<void> {
    this.#rests = true;
    // It may just be about to begin.
    await this.#turn?.catch(() => undefined);
  }

  async #once(): Promise<void> {
    if (this.#leads) {
      if (await this.#renew()) return;
      this.#forget();
      this.logger.error("control.lost", { holder: this.holder.id });
      return this.reign.end();
    }
    if (this.#rests) return;
    const now = this.clock.now();
    if (!(await this.lease.take(this.holder))) return;
    this.#renewedAt = now;
    this.#leads = true;
    try {
      await this.reign.begin();
    } catch (error) {
      // The next turn begins again.
      this.#forget();
      throw error;
    }
  }

  /** Whether this process may go on; throws while it may although the database does not take the renewal. */
  async #renew(): Promise<boolean> {
    const now = this.clock.now();
    const sinceMs = now - (this.#renewedAt ?? Number.NEGATIVE_INFINITY);
    if (sinceMs < this.renewMs) return true;
    try {
      const renewed = await this.lease.renew(this.holder);
      if (renewed) this.#renewedAt = now;
      return renewed;
    } catch (error) {
      if (sinceMs < TRUSTED_MS) throw error;
      this.logger.error("control.lease", { error });
      return false;
    }
  }

  /** Lets another process be the one at once, and is it never again. */
  async resign(): Promise<void> {
    await this.rest();
    if (!this.#leads) return;
    this.#forget();
    await this.lease.release(this.holder);
  }

  /**
   * Leads for one piece of work, which may take longer than a lease, and never again.
   * @returns false where another process leads, and the work was not done
   */
  async during(work: () => Promise<void>): Promise<boolean> {
    const now = this.clock.now();
    if (!(await this.lease.take(this.holder))) return false;
    this.#renewedAt = now;
    this.#leads = true;
    const renew = () => void this.#renew().catch((error) => this.logger.error("control.lease", { error }));
    const timer = setInterval(renew, Math.max(this.renewMs, 1_000));
    try {
      await work();
    } finally {
      clearInterval(timer);
      await this.resign();
    }
    return true;
  }

  #forget(): void {
    this.#leads = false;
    this.#renewedAt = undefined;
  }
}
