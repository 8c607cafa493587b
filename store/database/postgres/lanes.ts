import type { SQL } from "bun";
import { Kysely } from "kysely";
import type { Schema } from "../../schema/index.ts";
import { answersDirectly } from "../prepared.ts";
import type { Transact, Tx, WriteOrder } from "../writer.ts";
import { heldDialect, query } from "./connection.ts";
import { failureOf } from "./failure.ts";
import type { Outage } from "./outage.ts";
import { Transaction } from "./transaction.ts";

/** A transaction that Postgres asks to try again is tried so often in all. */
const MOST_TRIES = 4;
const LONGEST_PAUSE_MS = 20;

/** What a lane writes through. */
type Lane = { tx: Tx; transaction: Transaction };

/** Hears what was committed; nothing where a transaction changed nothing. */
type Committed = (how: WriteOrder) => void;

/**
 * Write transactions on Postgres. Each takes the locks of its scope before anything else, in one order, so that no two
 * units that share a scope are ever under way at once, in any process.
 */
export class Lanes {
  readonly #free: Lane[];

  constructor(
    private readonly pool: SQL,
    private readonly outage: Outage,
    private readonly committed: Committed,
    lanes: number,
  ) {
    this.#free = Array.from({ length: lanes }, () => {
      const transaction = new Transaction();
      const tx = new Kysely<Schema>({ dialect: heldDialect(transaction) });
      answersDirectly(tx, transaction);
      return { transaction, tx };
    });
  }

  readonly transact: Transact = async (body, how) => {
    const lane = this.#free.pop();
    if (!lane) throw new Error("more transactions at once than there are lanes");
    try {
      return await this.#tried(lane, body, how);
    } finally {
      this.#free.push(lane);
    }
  };

  async #tried<T>(lane: Lane, body: (tx: Tx) => Promise<T>, how: WriteOrder): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#once(lane, body, how);
      } catch (error) {
        const failure = failureOf(error);
        if (failure === "gone") await this.outage.again(error, how.patienceMs);
        else if (failure === "own" || tries >= MOST_TRIES) throw error;
        else await Bun.sleep(Math.random() * LONGEST_PAUSE_MS * tries);
      }
    }
  }

  async #once<T>({ transaction, tx }: Lane, body: (tx: Tx) => Promise<T>, how: WriteOrder): Promise<T> {
    const reserved = await this.pool.reserve();
    try {
      transaction.begin(reserved, {
        locks: locks(how.scope),
        numbered: how.scope !== undefined && !how.looks,
      });
      const result = await body(tx);
      if (await this.#commit(transaction, how.patienceMs)) this.committed(how);
      return result;
    } catch (error) {
      // Where nobody answers, there is nothing to roll back.
      if (failureOf(error) !== "gone") await transaction.rollBack();
      throw error;
    } finally {
      transaction.end();
      await reserved.release();
    }
  }

  /**
   * Commits. A commit whose answer is lost may have happened: Postgres knows by the transaction's number.
   * @returns whether it has changed anything
   */
  async #commit(transaction: Transaction, patienceMs: number | undefined): Promise<boolean> {
    const number = await transaction.numberBeforeCommit();
    try {
      await transaction.commit();
    } catch (error) {
      if (failureOf(error) !== "gone" || number === undefined) throw error;
      if (!(await this.#wasCommitted(number, error, patienceMs))) throw error;
    }
    return transaction.hasWritten;
  }

  async #wasCommitted(number: string, lost: unknown, patienceMs?: number): Promise<boolean> {
    await this.outage.again(lost, patienceMs);
    for (;;) {
      const { rows } = await this.outage.retried(
        () => query(this.pool, "select pg_xact_status($1::text::xid8) as status", [number]),
        patienceMs,
      );
      const status = rows[0]?.status;
      if (status !== "in progress") return status === "committed";
      await Bun.sleep(LONGEST_PAUSE_MS);
    }
  }
}

const ALL = lockNumber("all");

/** The statements that take the locks of a scope, always in the same order. */
function locks(scope: WriteOrder["scope"]): string[] {
  if (!scope) return [`select pg_advisory_xact_lock(${ALL})`];
  const numbers = scope.map(lockNumber).sort((a, b) => (a < b ? -1 : 1));
  return [
    `select pg_advisory_xact_lock_shared(${ALL})`,
    ...numbers.map((number) => `select pg_advisory_xact_lock(${number})`),
  ];
}

/** A lock's number: the first 64 bits of a hash of its name, as Postgres counts them. */
export function lockNumber(name: string): bigint {
  return BigInt.asIntN(64, BigInt(Bun.hash(name)));
}
