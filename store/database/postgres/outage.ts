import type { SQL } from "bun";
import { Signal } from "../../waiting/index.ts";
import { DatabaseAway } from "../writer.ts";
import { query } from "./connection.ts";
import { failureOf } from "./failure.ts";

/** What is said to whoever asks while the database is away. */
const AWAY = "The database does not answer";
/** So long a request waits for a database that went away; it is answered 503 then. */
const PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 100;

/**
 * When the server's statistics began anew, which they do at each start behind a crash, and on another server: what an
 * older life of it numbered, this one may number again.
 */
export const LIFE = "(select stats_reset::text from pg_stat_bgwriter)";

/** What is done about a database that is away. */
type Watch = {
  /** Asked again and again from the moment on when whoever has no patience of his own is refused. */
  isLate(refusal: DatabaseAway): void;
  /** It answers again after nobody did. */
  isBack(): void;
};

/** Whether the database answers: one look for all who wait for it, so that they go on as soon as it is back. */
export class Outage {
  watch: Watch | undefined;
  /** The server's life as it was last seen; see {@link LIFE}. */
  life: unknown;
  #awaySince: number | undefined;
  #looking = false;
  #closed = false;
  readonly #back = new Signal();

  constructor(private readonly pool: SQL) {}

  /** Asks whose life it is; fails while nobody answers. */
  async look(): Promise<void> {
    const { rows } = await query(this.pool, `select ${LIFE} as life`, []);
    this.life = rows[0]?.life;
  }

  /**
   * Waits after a statement that failed because nobody answered, until somebody does.
   * @param patienceMs from the moment that the database went away
   * @throws DatabaseAway when that is over
   */
  async again(cause: unknown, patienceMs = PATIENCE_MS): Promise<void> {
    const now = performance.now();
    this.#awaySince ??= now;
    const limitMs = this.#awaySince + patienceMs - now;
    if (this.#closed || limitMs <= 0) throw new DatabaseAway(AWAY, { cause });
    const since = this.#back.times;
    void this.#lookOut();
    await this.#back.wait({ since, limitMs });
    if (this.#back.times === since) throw new DatabaseAway(AWAY, { cause });
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

  async #lookOut(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    let tries = 1;
    for (; !this.#closed && !(await this.#answers()); tries += 1) await Bun.sleep(LOOK_EVERY_MS);
    this.#looking = false;
    this.#awaySince = undefined;
    this.#back.give();
    // Where the first look finds it, a single connection broke.
    if (tries > 1 && !this.#closed) this.watch?.isBack();
  }

  async #answers(): Promise<boolean> {
    try {
      await this.look();
      return true;
    } catch (cause) {
      const isLate = performance.now() - (this.#awaySince ?? Number.POSITIVE_INFINITY) >= PATIENCE_MS;
      if (isLate) this.watch?.isLate(new DatabaseAway(AWAY, { cause }));
      return false;
    }
  }
}
