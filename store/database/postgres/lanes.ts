import type { ReservedSQL, SQL } from "bun";
import { Kysely } from "kysely";
import type { Schema } from "../../schema/index.ts";
import type { Transact, Tx, WriteOrder } from "../writer.ts";
import { HeldConnection, heldDialect, query } from "./connection.ts";
import { failureOf } from "./failure.ts";
import type { Outage } from "./outage.ts";

/** A transaction that Postgres asks to try again is tried so often in all. */
const MOST_TRIES = 4;
const LONGEST_PAUSE_MS = 20;

/** What a lane writes through. */
type Lane = { tx: Tx; connection: WritingConnection };

/** Hears what was committed; nothing where a transaction changed nothing. */
type Committed = (how: WriteOrder) => void;

/** What a statement that changes something begins with. */
const WRITES = /^(?:insert|update|delete|with .*\b(?:insert|update|delete) )/i;

/** A connection that knows whether its transaction has written, and under which number. */
class WritingConnection extends HeldConnection {
  #number: Promise<string> | undefined;
  #failure: unknown;

  hold(reserved: ReservedSQL): void {
    this.current = reserved;
    this.#number = undefined;
    this.#failure = undefined;
  }

  letGo(): void {
    this.current = undefined;
  }

  /** The transaction's number; undefined while it has not written anything. */
  get number(): Promise<string> | undefined {
    return this.#number;
  }

  /** What the first statement failed with; whoever asked may have kept it to himself. */
  get failure(): unknown {
    return this.#failure;
  }

  override async executeQuery<R>(compiled: Parameters<HeldConnection["executeQuery"]>[0]) {
    const answer = super.executeQuery<R>(compiled).catch((error) => {
      this.#failure ??= error;
      throw error;
    });
    if (!this.#number && WRITES.test(compiled.sql)) this.#askNumber();
    return answer;
  }

  /** Is asked behind the first write, without waiting for it: nobody waits once more. */
  #askNumber(): void {
    const { current } = this;
    if (!current) return;
    const asked = query(current, "select pg_current_xact_id()::text as number", []);
    this.#number = asked.then(({ rows }) => String(rows[0]?.number));
    this.#number.catch(() => undefined);
  }
}

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
      const connection = new WritingConnection();
      return { connection, tx: new Kysely<Schema>({ dialect: heldDialect(connection) }) };
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

  async #once<T>(lane: Lane, body: (tx: Tx) => Promise<T>, how: WriteOrder): Promise<T> {
    const { connection, tx } = lane;
    const reserved = await this.pool.reserve();
    connection.hold(reserved);
    let isOpen = true;
    try {
      await reserved.unsafe(beginning(how.scope));
      const result = await body(tx);
      // Postgres does nothing more in such a transaction, and would answer the commit with a rollback.
      if (connection.failure) throw connection.failure;
      const number = await connection.number;
      isOpen = false;
      await this.#commit(reserved, number, how.patienceMs);
      if (number) this.committed(how);
      return result;
    } catch (error) {
      if (isOpen && failureOf(error) !== "gone") await reserved.unsafe("rollback").catch(() => undefined);
      throw error;
    } finally {
      connection.letGo();
      await reserved.release();
    }
  }

  /** A commit whose answer is lost may have happened: Postgres knows by the transaction's number. */
  async #commit(reserved: ReservedSQL, number: string | undefined, patienceMs?: number): Promise<void> {
    try {
      await reserved.unsafe("commit");
    } catch (error) {
      if (failureOf(error) !== "gone" || number === undefined) throw error;
      if (!(await this.#wasCommitted(number, error, patienceMs))) throw error;
    }
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

/** Begins a transaction and takes its locks in one message. */
function beginning(scope: WriteOrder["scope"]): string {
  if (!scope) return `begin; select pg_advisory_xact_lock(${ALL})`;
  const numbers = scope.map(lockNumber).sort((a, b) => (a < b ? -1 : 1));
  const locks = numbers.map((number) => `pg_advisory_xact_lock(${number})`);
  return `begin; select pg_advisory_xact_lock_shared(${ALL})${locks.map((lock) => `; select ${lock}`).join("")}`;
}

/** A lock's number: the first 64 bits of a hash of its name, as Postgres counts them. */
function lockNumber(name: string): bigint {
  return BigInt.asIntN(64, BigInt(Bun.hash(name)));
}
