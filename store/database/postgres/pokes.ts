import type { SQL } from "bun";
import type { WriteOrder } from "../writer.ts";

const CHANNEL = "berth";
/** Commits of so many milliseconds share one poke. */
const TOGETHER_MS = 5;
/** A payload is shorter than 8,000 bytes; a poke that names more says that anything may have changed. */
const MOST_CHARS = 7_000;

/** A connection that hears what others tell. */
type Listener = { sql: SQL; subscription: { unlisten(): Promise<void> } };

async function leave({ sql, subscription }: Listener): Promise<void> {
  await subscription.unlisten().catch(() => undefined);
  await sql.close();
}

/** What others may have changed: names of scopes, or anything. */
export type Changed = ReadonlySet<string> | "anything";

/**
 * Tells the other processes of a database that something was committed, after the commit and off its path, and hears
 * it from them. A poke is a hint, the table is the truth: one may be lost, doubled or late.
 */
export class Pokes {
  /** Counts what was told and heard: what this process and others have committed. */
  changes = 0;
  readonly #heard = new Set<(changed: Changed) => void>();
  readonly #self = crypto.randomUUID().slice(0, 8);
  #told: Set<string> | "anything" | undefined;
  #timer: Timer | undefined;
  #listener: Listener | undefined;
  #closed = false;

  /** @param connectOne a pool of one connection */
  constructor(
    private readonly connectOne: () => SQL,
    private readonly pool: SQL,
  ) {}

  async open(): Promise<void> {
    this.#listener = await this.#listen();
  }

  /**
   * Listens anew after the database was away. The driver does that by itself, but waits ever longer between its tries,
   * up to half a minute.
   */
  async listenAgain(): Promise<void> {
    const listener = await this.#listen();
    const before = this.#listener;
    if (this.#closed) return leave(listener);
    this.#listener = listener;
    if (before) await leave(before);
  }

  async #listen(): Promise<Listener> {
    const sql = this.connectOne();
    const hear = (payload: string) => this.#hear(payload);
    try {
      // Whatever was said while nobody listened is lost: with each connection, anything may have changed.
      const subscription = await sql.listen(CHANNEL, hear, () => this.#give("anything"));
      return { sql, subscription };
    } catch (error) {
      await sql.close();
      throw error;
    }
  }

  /** Hears of what others commit, until the answer is called. */
  listen(heard: (changed: Changed) => void): () => void {
    this.#heard.add(heard);
    return () => this.#heard.delete(heard);
  }

  /** Tells others soon that something in a scope was committed; that anything was, without one. */
  tell({ scope, tells = [], isQuiet = false }: WriteOrder): void {
    if (isQuiet) return;
    this.changes += 1;
    if (!scope) this.#told = "anything";
    else if (this.#told !== "anything") {
      this.#told ??= new Set();
      for (const name of [...scope, ...tells]) this.#told.add(name);
    }
    this.#timer ??= setTimeout(() => void this.#send(), TOGETHER_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#told) await this.#send();
    this.#closed = true;
    if (this.#listener) await leave(this.#listener);
  }

  async #send(): Promise<void> {
    const told = this.#told;
    this.#timer = undefined;
    this.#told = undefined;
    if (!told) return;
    const names = told === "anything" ? "" : [...told].join(" ");
    const payload = `${this.#self} ${names.length > MOST_CHARS ? "" : names}`;
    // The others look by themselves soon.
    await this.pool.unsafe("select pg_notify($1::text, $2::text)", [CHANNEL, payload]).catch(() => undefined);
  }

  #hear(payload: string): void {
    const [sender, ...names] = payload.split(" ");
    if (sender === this.#self) return;
    this.#give(names.join("") === "" ? "anything" : new Set(names));
  }

  #give(changed: Changed): void {
    this.changes += 1;
    for (const heard of this.#heard) heard(changed);
  }
}
