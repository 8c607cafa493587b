import type { SQL } from "bun";
import { Unavailable } from "../../errors.ts";
import { Signal } from "../../waiting/index.ts";
import { failureOf } from "./failure.ts";

/** What is said to whoever asks while the database is away. */
const AWAY = "The database does not answer";
/** So long a request waits for a database that went away; it is answered 503 then. */
const PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 100;

/** Whether the database answers: one look for all who wait for it, so that they go on as soon as it is back. */
export class Outage {
  #awaySince: number | undefined;
  #looking = false;
  #closed = false;
  readonly #back = new Signal();

  constructor(private readonly pool: SQL) {}

  /**
   * Waits after a statement that failed because nobody answered, until somebody does.
   * @param patienceMs from the moment that the database went away
   * @throws Unavailable when that is over
   */
  async again(cause: unknown, patienceMs = PATIENCE_MS): Promise<void> {
    const now = performance.now();
    this.#awaySince ??= now;
    const limitMs = this.#awaySince + patienceMs - now;
    if (this.#closed || limitMs <= 0) throw new Unavailable(AWAY, { cause });
    const since = this.#back.times;
    void this.#look();
    await this.#back.wait({ since, limitMs });
    if (this.#back.times === since) throw new Unavailable(AWAY, { cause });
  }

  /** Does what may be done twice, and waits for a database that went away. */
  async retried<T>(work: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (failureOf(error) !== "gone") throw error;
        await this.again(error, patienceMs);
      }
    }
  }

  close(): void {
    this.#closed = true;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    while (!this.#closed) {
      try {
        await this.pool.unsafe("select 1");
        break;
      } catch {
        await Bun.sleep(LOOK_EVERY_MS);
      }
    }
    this.#looking = false;
    this.#awaySince = undefined;
    this.#back.give();
  }
}
