import type { SQL } from "bun";
import { Kysely } from "kysely";
import type { Schema } from "../../schema/index.ts";
import { answersDirectly } from "../prepared.ts";
import { CommitUnknown, type Transact, type Tx, type WriteOrder } from "../writer.ts";
import { heldDialect, query } from "./connection.ts";
import { failureOf, sqlState } from "./failure.ts";
import { LIFE, type Outage } from "./outage.ts";
import { Transaction } from "./transaction.ts";

/** A transaction that Postgres asks to try again is tried so often in all. */
const MOST_TRIES = 4;
/** Each try finds one statement that is prepared for the tables as they were. */
const MOST_STALE = 50;
const LONGEST_PAUSE_MS = 20;

const NOT_KNOWN = "The database went away, and nobody knows whether it has written this";
/** SQLSTATE for a transaction number that is none yet. */
const IN_THE_FUTURE = "22023";

/** By which number a transaction wrote, and in which life of the server. */
type Written = { number: string; life: unknown };

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
        if (failure === "stale" && tries < MOST_STALE) continue;
        if (failure === "gone") await this.outage.again(error, how.patienceMs);
        else if (failure === "own" || tries >= MOST_TRIES) throw error;
        else await Bun.sleep(Math.random() * LONGEST_PAUSE_MS * tries);
      }
    }
  }

  async #once<T>({ transaction, tx }: Lane, body: (tx: Tx) => Promise<T>, how: WriteOrder): Promise<T> {
    const { life } = this.outage;
    const reserved = await this.pool.reserve();
    try {
      transaction.begin(reserved, {
        locks: locks(how.scope),
        numbered: how.scope !== undefined && !how.looks,
      });
      const result = await body(tx);
      if (await this.#commit(transaction, life, how.longestPatienceMs ?? how.patienceMs)) this.committed(how);
      return result;
    } catch (failed) {
      const error = transaction.causeOf(failed);
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
   * @param life of the server before the transaction
   * @returns whether it has changed anything
   */
  async #commit(transaction: Transaction, life: unknown, patienceMs?: number): Promise<boolean> {
    const number = await transaction.numberBeforeCommit();
    try {
      await transaction.commit();
    } catch (error) {
      if (failureOf(error) !== "gone" || number === undefined) throw error;
      if (!(await this.#wasCommitted({ number, life }, error, patienceMs))) throw error;
    }
    return transaction.hasWritten;
  }

  /** @throws CommitUnknown nobody can tell */
  async #wasCommitted(written: Written, lost: unknown, patienceMs?: number): Promise<boolean> {
    try {
      await this.outage.again(lost, patienceMs);
      for (;;) {
        const { status, life } = await this.outage.retried(() => this.#statusOf(written.number), patienceMs);
        if (status === "in progress") await Bun.sleep(LONGEST_PAUSE_MS);
        else if (status !== "committed") return false;
        else if (life === written.life) return true;
        else break;
      }
    } catch (cause) {
      throw new CommitUnknown(NOT_KNOWN, { cause });
    }
    // The server crashed: what it had not written down yet it forgot, numbers as well, and gives them to others.
    throw new CommitUnknown(NOT_KNOWN, { cause: lost });
  }

  async #statusOf(number: string): Promise<Record<string, unknown>> {
    const text = `select pg_xact_status($1::text::xid8) as status, ${LIFE} as life`;
    try {
      return (await query(this.pool, text, [number])).rows[0] ?? {};
    } catch (error) {
      // A number that the server has not given to anybody: it forgot the transaction when it crashed.
      if (sqlState(error) === IN_THE_FUTURE) return {};
      throw error;
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
