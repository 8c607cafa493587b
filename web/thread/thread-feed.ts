import type { WireEvent } from "./protocol.ts";
import { NewestRunLog } from "./run-log.ts";
import { WORDS } from "./words.ts";

/** How the live connection of an open thread is doing. */
export type ThreadConnection =
  | { state: "connecting" }
  | { state: "open" }
  /** Lost and tried again, for ever. `since` is when it was lost (ms since the epoch). */
  | { state: "reconnecting"; since: number; attempt: number }
  /** The thread was deleted; nothing comes back. */
  | { state: "deleted" }
  /** The sign-in has ended. */
  | { state: "signed-out" };

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 5000;

/** How long to wait before a lost connection is tried for the so-manieth time. */
export const delayOf = (attempt: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);

/**
 * What happens in an open thread, however its server tells it: the events of the newest run, each once and in order,
 * and how the connection is doing.
 */
export abstract class ThreadFeed {
  readonly log: NewestRunLog;
  #begun = Promise.withResolvers<void>();
  #hasBegun = false;
  #connection: ThreadConnection = { state: "connecting" };
  #listeners = new Set<(event: WireEvent) => void>();
  #observers = new Set<() => void>();

  /** @param mostChars how much of a run is kept in this tab */
  constructor(mostChars?: number) {
    this.log = new NewestRunLog(mostChars);
  }

  /** Connects, and stays connected until {@link stop}. */
  abstract start(): void;

  abstract stop(): void;

  /** The network or the reader is back. */
  abstract wake(): void;

  /** Resolves once it is known where the thread's newest run begins. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  get connection(): ThreadConnection {
    return this.#connection;
  }

  /** Calls back for each event from now on. */
  listen = (listener: (event: WireEvent) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls back whenever the state of the connection changes. */
  observe = (observer: () => void): (() => void) => {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  };

  /** Resolves when connected; rejects when it is certain or, after `patienceMs`, likely that it will not be. */
  async connected(patienceMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const decide = () => {
      const { state } = this.#connection;
      if (state === "open") resolve();
      if (state === "deleted") reject(new Error(WORDS.conversationDeleted));
      if (state === "signed-out") reject(new Error(WORDS.signedOut));
    };
    const stopObserving = this.observe(decide);
    const timer = setTimeout(() => reject(new Error(WORDS.noAnswer)), patienceMs);
    decide();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stopObserving();
    }
  }

  protected get hasBegun(): boolean {
    return this.#hasBegun;
  }

  protected begin(): void {
    this.#hasBegun = true;
    this.#begun.resolve();
  }

  protected publish(event: WireEvent): void {
    if (!this.log.add(event)) return;
    for (const listener of [...this.#listeners]) listener(event);
  }

  protected become(connection: ThreadConnection): void {
    this.#connection = connection;
    for (const observer of [...this.#observers]) observer();
  }
}
