import type { ReservedSQL } from "bun";
import type { CompiledQuery, QueryResult } from "kysely";
import type { StatementTarget } from "../prepared.ts";
import { HeldConnection, query } from "./connection.ts";

/** What a statement that changes something begins with, and what makes it give rows. */
const WRITES = /^(?:insert|update|delete|with .*\b(?:insert|update|delete) )/i;
const GIVES_ROWS = / returning |^with /i;
const NUMBER = "select pg_current_xact_id()::text as number";

/**
 * One write transaction at a time. Statements are sent one behind the other, and waited for only where somebody needs
 * their rows: the beginning, and writes that give none, cost no round trip of their own.
 */
export class Transaction extends HeldConnection implements StatementTarget {
  #sent: Promise<unknown>[] = [];
  #number: Promise<string | undefined> | undefined;
  #failure: unknown;
  hasWritten = false;

  /** @param options `numbered`: it will write, so that its number can be had with its locks */
  begin(reserved: ReservedSQL, { locks, numbered }: { locks: string[]; numbered: boolean }): void {
    this.current = reserved;
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
    this.#note(compiled.sql);
    return this.#kept(super.executeQuery<R>(compiled));
  }

  /** @returns nothing for a write that gives no rows: it is on its way */
  async query(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    const writes = this.#note(text);
    const answer = this.#kept(query(this.#held(), text, parameters));
    if (!writes || GIVES_ROWS.test(text)) return (await answer).rows;
    this.#send(answer);
    return [];
  }

  /** What it is called in Postgres; undefined where it has written nothing. */
  numberBeforeCommit(): Promise<string | undefined> {
    return this.#number ?? Promise.resolve(undefined);
  }

  /** @throws what the first statement failed with, whoever asked may have kept it to himself */
  async commit(): Promise<void> {
    const [committed] = await Promise.allSettled([this.#held().unsafe("commit"), ...this.#sent]);
    if (this.#failure) throw this.#failure;
    if (committed.status === "rejected") throw committed.reason;
  }

  async rollBack(): Promise<void> {
    await Promise.allSettled([this.#held().unsafe("rollback"), ...this.#sent]);
  }

  end(): void {
    this.current = undefined;
  }

  #held() {
    if (!this.current) throw new Error("no transaction is under way on this connection");
    return this.current;
  }

  /** Asks for the number behind the first write of a transaction that was only to look. */
  #note(text: string): boolean {
    const writes = WRITES.test(text);
    if (!writes || this.hasWritten) return writes;
    this.hasWritten = true;
    this.#number ??= this.#askNumber();
    return true;
  }

  #askNumber(): Promise<string | undefined> {
    // In the next turn, so that it is sent behind the write.
    const asked = Promise.resolve()
      .then(() => this.#held().unsafe(NUMBER))
      .then(numberIn);
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
