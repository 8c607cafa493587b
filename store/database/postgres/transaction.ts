import type { ReservedSQL } from "bun";
import type { CompiledQuery, QueryResult } from "kysely";
import type { StatementTarget } from "../prepared.ts";
import { HeldConnection, query } from "./connection.ts";
import { sqlState } from "./failure.ts";

/** What a statement that changes something begins with, and what makes it give rows. */
const WRITES = /^(?:insert|update|delete|with .*\b(?:insert|update|delete) )/is;
const GIVES_ROWS = / returning /i;
/** SQLSTATE of every statement behind the one that failed. */
const ABORTED = "25P02";
const NUMBER = "select pg_current_xact_id()::text as number";

/**
 * One write transaction at a time. Statements are sent one behind the other, and waited for only where somebody needs
 * their rows: the beginning, and writes that give none, cost no round trip of their own.
 */
export class Transaction extends HeldConnection implements StatementTarget {
  #connection: ReservedSQL | undefined;
  #sent: Promise<unknown>[] = [];
  #number: Promise<string | undefined> | undefined;
  #failure: unknown;
  hasWritten = false;

  /** @param options `numbered`: it will write, so that its number can be had with its locks */
  begin(reserved: ReservedSQL, { locks, numbered }: { locks: string[]; numbered: boolean }): void {
    this.current = reserved;
    this.#connection = reserved;
    this.#sent = [];
    this.#number = undefined;
    this.#failure = undefined;
    this.hasWritten = false;
    const begun = reserved.unsafe(["begin", ...locks, ...(numbered ? [NUMBER] : [])].join("; "));
    this.#send(begun);
    if (numbered) this.#number = begun.then(numberIn);
    this.#number?.catch(() => undefined);
  }

  override async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const answer = await this.#kept(super.executeQuery<R>(compiled));
    if (WRITES.test(compiled.sql) && (answer.numAffectedRows ?? 0n) > 0n) this.#noteWrite();
    return answer;
  }

  /** @returns nothing for a write that gives no rows: it is on its way */
  async query(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    const answer = this.#kept(query(this.#held(), text, parameters));
    if (!WRITES.test(text)) return (await answer).rows;
    if (GIVES_ROWS.test(text)) {
      const { rows, count } = await answer;
      if (rows.length + count > 0) this.#noteWrite();
      return rows;
    }
    this.#send(answer);
    this.#noteWrite();
    return [];
  }

  /** What it is called in Postgres; undefined where it has written nothing. */
  numberBeforeCommit(): Promise<string | undefined> {
    return this.#number ?? Promise.resolve(undefined);
  }

  /** Why it failed, where a later statement was told only that it has. */
  causeOf(error: unknown): unknown {
    return sqlState(error) === ABORTED ? (this.#failure ?? error) : error;
  }

  /** @throws what the first statement failed with, whoever asked may have kept it to himself */
  async commit(): Promise<void> {
    // Not by `unsafe`: what has no parameters is sent there only when all before it was answered.
    const [committed] = await Promise.allSettled([this.#reserved()`commit`, ...this.#sent]);
    if (this.#failure) throw this.#failure;
    if (committed.status === "rejected") throw committed.reason;
  }

  async rollBack(): Promise<void> {
    await Promise.allSettled([this.#held().unsafe("rollback"), ...this.#sent]);
  }

  end(): void {
    this.current = undefined;
    this.#connection = undefined;
  }

  #reserved(): ReservedSQL {
    if (!this.#connection) throw new Error("no transaction is under way on this connection");
    return this.#connection;
  }

  #held() {
    if (!this.current) throw new Error("no transaction is under way on this connection");
    return this.current;
  }

  #noteWrite(): void {
    if (this.hasWritten) return;
    this.hasWritten = true;
    this.#number ??= this.#askNumber();
  }

  #askNumber(): Promise<string | undefined> {
    const asked = this.#held().unsafe(NUMBER).then(numberIn);
    asked.catch(() => undefined);
    return asked;
  }

  #send(answer: Promise<unknown>): void {
    answer.catch(() => undefined);
    this.#sent.push(this.#kept(answer));
    this.#sent.at(-1)?.catch(() => undefined);
  }

  #kept<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error) => {
      this.#failure ??= error;
      throw error;
    });
  }
}

/** The number in the last answer of a message. */
function numberIn(answers: unknown): string | undefined {
  const last = Array.isArray(answers) ? answers.at(-1) : undefined;
  const row = Array.isArray(last) ? last.at(-1) : last;
  return row?.number === undefined ? undefined : String(row.number);
}
