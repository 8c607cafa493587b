import type { Kysely } from "kysely";
import type { Schema } from "../schema/index.ts";

/** Queries that share one transaction. */
export type Tx = Kysely<Schema>;

/** Runs `body` in a transaction: commits when it resolves, rolls back when it rejects. */
export type Transact = <T>(body: (tx: Tx) => Promise<T>) => Promise<T>;

/** A unit of writing: only queries on `tx`, and safe to run a second time from the start. */
export type Work<T> = (tx: Tx) => Promise<T>;

type Waiting = {
  run: (tx: Tx) => Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
};

const GROUP_LIMIT = 256;

/**
 * Group commit: whatever was asked for in one turn of the event loop shares one transaction, and nobody
 * hears of success before that transaction is committed.
 *
 * When one unit of a group fails, the group is rolled back and every unit runs again in a transaction of
 * its own, so a fault never takes its neighbours with it.
 */
export class GroupWriter {
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #closed = false;

  constructor(private readonly transact: Transact) {}

  write<T>(work: Work<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error("the database is closed"));
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#waiting.push({
        run: async (tx) => {
          result = await work(tx);
        },
        resolve: () => resolve(result),
        reject,
      });
      this.#flushing ??= new Promise<void>((turn) => setImmediate(turn)).then(() => this.#flush());
    });
  }

  /** Waits for what was asked for, then refuses more. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#flushing) await this.#flushing;
  }

  async #flush(): Promise<void> {
    const group = this.#waiting.splice(0, GROUP_LIMIT);
    await this.#commit(group);
    this.#flushing = this.#waiting.length > 0 ? this.#again() : undefined;
  }

  async #again(): Promise<void> {
    // One turn for everything else: a steady stream of writes must not starve reads and sockets.
    await new Promise<void>((turn) => setImmediate(turn));
    await this.#flush();
  }

  async #commit(group: Waiting[]): Promise<void> {
    try {
      await this.transact(async (tx) => {
        for (const unit of group) await unit.run(tx);
      });
    } catch (error) {
      const [only] = group;
      if (group.length === 1 && only) only.reject(error);
      else for (const unit of group) await this.#commit([unit]);
      return;
    }
    for (const unit of group) unit.resolve();
  }
}
