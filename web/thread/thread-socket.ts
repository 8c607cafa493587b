import { readFrame, type WireEvent, type WireFilter, type WireFrame } from "./protocol.ts";
import { lastRunOf, NewestRunLog } from "./run-log.ts";
import { EventSubscription } from "./subscription.ts";

/** What is needed of a WebSocket, so that tests can play one. */
export type BrowserSocket = Pick<WebSocket, "send" | "close" | "addEventListener" | "readyState">;

const OPEN = 1;

/** Sends a command, unless the socket is on its way out: browsers complain, and its `close` tells the rest. */
export function sendOver(socket: BrowserSocket, command: object): void {
  if (socket.readyState === OPEN) socket.send(JSON.stringify(command));
}

export type ThreadSocketOptions = {
  /** Opens a socket to the thread's stream. */
  open: () => BrowserSocket;
  /** Asked after a connection was refused: whether a sign-in is what is missing. */
  signedOut?: () => Promise<boolean>;
  now?: () => number;
  /** How much of a run is kept in this tab, in characters. */
  mostChars?: number;
};

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 5000;
/** Silence after which the connection is asked for a sign of life, and the time it has to give one. */
const QUIET_MS = 20_000;
const ANSWER_MS = 10_000;
const CLOSE_DELETED = 4404;
const CLOSE_DENIED = new Set([4401, 4403]);

/** Everything that a chat shows. One subscription feeds all readers of the tab; they filter for themselves. */
const EVERYTHING: WireFilter = {
  channels: ["values", "checkpoints", "lifecycle", "input", "messages", "tools", "custom"],
};
const WHOLE_RUNS: WireFilter = { channels: ["lifecycle"], namespaces: [[]], depth: 0 };

/**
 * A tab's one connection to a thread. It comes back by itself, for ever, and goes on behind the last event that
 * it saw: its listeners get each event once and in order, and never learn that the connection was gone.
 */
export class ThreadSocket {
  readonly log: NewestRunLog;
  #options: ThreadSocketOptions;
  #socket: BrowserSocket | undefined;
  #begun = Promise.withResolvers<void>();
  #hasBegun = false;
  #connection: ThreadConnection = { state: "connecting" };
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #listeners = new Set<(event: WireEvent) => void>();
  #observers = new Set<() => void>();

  constructor(options: ThreadSocketOptions) {
    this.#options = options;
    this.log = new NewestRunLog(options.mostChars);
  }

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

  /** Connects, and stays connected until {@link stop}. */
  start(): void {
    if (!this.#socket) this.#connect();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  /** The network or the reader is back: try now, or make sure that the connection still lives. */
  wake(): void {
    if (this.#connection.state === "reconnecting" && this.#timer) {
      this.#attempt = 0;
      this.#connect();
    } else if (this.#connection.state === "open") this.#askForLife();
  }

  /** Resolves when connected; rejects when it is certain or, after `patienceMs`, likely that it will not be. */
  async connected(patienceMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const decide = () => {
      const { state } = this.#connection;
      if (state === "open") resolve();
      if (state === "deleted") reject(new Error("This conversation was deleted."));
      if (state === "signed-out") reject(new Error("You are signed out."));
    };
    const stopObserving = this.observe(decide);
    const timer = setTimeout(() => reject(new Error("The server does not answer.")), patienceMs);
    decide();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stopObserving();
    }
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const socket = this.#options.open();
    this.#socket = socket;
    let opened = false;
    const subscription = new EventSubscription((command) => sendOver(socket, command));
    const isCurrent = () => this.#socket === socket;
    socket.addEventListener("open", () => {
      opened = true;
      if (isCurrent()) this.#follow(subscription).catch(() => socket.close());
    });
    socket.addEventListener("message", ({ data }) => {
      if (!isCurrent()) return;
      this.#stayAwake();
      const frame = readFrame(String(data));
      if (frame) this.#read(frame, subscription);
    });
    socket.addEventListener("close", ({ code }) => {
      subscription.end();
      if (isCurrent()) this.#lost(code, opened);
    });
  }

  #read(frame: WireFrame, subscription: EventSubscription): void {
    if (frame.kind === "reply") subscription.answered(frame);
    else if (!subscription.takes(frame.event)) this.#publish(frame.event);
  }

  #publish(event: WireEvent): void {
    if (!this.log.add(event)) return;
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Finds where the newest run begins, the first time, and follows everything from there. */
  async #follow(subscription: EventSubscription): Promise<void> {
    if (!this.#hasBegun) {
      const newest = (await subscription.replay(WHOLE_RUNS)).at(-1);
      const run = newest && lastRunOf(newest);
      const since = newest ? newest.seq - (run?.status === "running" ? 1 : 0) : 0;
      this.log.begin(since, run);
    }
    const since = this.log.newest;
    await subscription.open(EVERYTHING, since > 0 ? since : undefined);
    this.#hasBegun = true;
    this.#begun.resolve();
    this.#attempt = 0;
    this.#become({ state: "open" });
    this.#stayAwake();
  }

  #lost(code: number, opened: boolean): void {
    clearTimeout(this.#watch);
    if (code === CLOSE_DELETED) this.#end("deleted");
    else if (CLOSE_DENIED.has(code)) this.#end("signed-out");
    else this.#tryAgain(opened);
  }

  #tryAgain(opened: boolean): void {
    this.#attempt += 1;
    const { now = Date.now } = this.#options;
    const since = this.#connection.state === "reconnecting" ? this.#connection.since : now();
    this.#become({ state: "reconnecting", since, attempt: this.#attempt });
    const delay = Math.min(FIRST_DELAY_MS * 2 ** (this.#attempt - 1), LONGEST_DELAY_MS);
    this.#timer = setTimeout(() => this.#connect(), delay);
    if (!opened) this.#checkSignIn();
  }

  /** A refused upgrade tells no status to a page. */
  #checkSignIn(): void {
    this.#options.signedOut?.().then(
      (signedOut) => signedOut && this.#connection.state === "reconnecting" && this.#end("signed-out"),
      () => {},
    );
  }

  #end(state: "deleted" | "signed-out"): void {
    this.stop();
    this.#become({ state });
  }

  #become(connection: ThreadConnection): void {
    this.#connection = connection;
    for (const observer of [...this.#observers]) observer();
  }

  #stayAwake(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#askForLife(), QUIET_MS);
  }

  /** Any answer will do, so it asks to end a subscription that is not there: the cheapest command there is. */
  #askForLife(): void {
    const socket = this.#socket;
    if (!socket || this.#connection.state !== "open") return;
    clearTimeout(this.#watch);
    const params = { subscription_id: "sign-of-life" };
    sendOver(socket, { id: 0, method: "subscription.unsubscribe", params });
    this.#watch = setTimeout(() => this.#giveUp(socket), ANSWER_MS);
  }

  /** A connection that died in silence may take minutes to say so itself. */
  #giveUp(socket: BrowserSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    socket.close();
    this.#lost(0, true);
  }
}

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
