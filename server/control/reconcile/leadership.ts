import type { ControlLease, LeaseHolder } from "@berth/store";
import type { Logger } from "@logtape/logtape";

/** What is done when this process becomes the one that reconciles, and when another one does. */
export type Reign = { begin(): Promise<void>; end(): Promise<void> };

/** Sees to it that one process at a time reconciles a database. */
export class Leadership {
  #leads = false;

  constructor(
    private readonly lease: Pick<ControlLease, "take" | "renew" | "release">,
    private readonly holder: LeaseHolder,
    private readonly reign: Reign,
    private readonly logger: Logger,
  ) {}

  /** One turn of the timer loop: stays, becomes or stops being the one. */
  async once(): Promise<void> {
    if (this.#leads) {
      if (await this.lease.renew(this.holder)) return;
      this.#leads = false;
      this.logger.error("control.lost", { holder: this.holder.id });
      return this.reign.end();
    }
    if (!(await this.lease.take(this.holder))) return;
    this.#leads = true;
    try {
      await this.reign.begin();
    } catch (error) {
      // The next turn begins again.
      this.#leads = false;
      throw error;
    }
  }

  /** Lets another process be the one at once. */
  async resign(): Promise<void> {
    if (!this.#leads) return;
    this.#leads = false;
    await this.lease.release(this.holder);
  }
}
