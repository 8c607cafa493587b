import { readFrame, type WireFilter, type WireFrame } from "./protocol.ts";
import { lastRunOf } from "./run-log.ts";
import { EventSubscription } from "./subscription.ts";
import { delayOf, ThreadFeed } from "./thread-feed.ts";

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
export class ThreadSocket extends ThreadFeed {
  #options: ThreadSocketOptions;
  #socket: BrowserSocket | undefined;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ThreadSocketOptions) {
    super(options.mostChars);
    this.#options = options;
  }

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

  /** Tries now, or makes sure that the connection still lives. */
  wake(): void {
    if (this.connection.state === "reconnecting" && this.#timer) {
      this.#attempt = 0;
      this.#connect();
    } else if (this.connection.state === "open") this.#askForLife();
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
    else if (!subscription.takes(frame.event)) this.publish(frame.event);
  }

  /** Finds where the newest run begins, the first time, and follows everything from there. */
  async #follow(subscription: EventSubscription): Promise<void> {
    if (!this.hasBegun) {
      const newest = (await subscription.replay(WHOLE_RUNS)).at(-1);
      const run = newest && lastRunOf(newest);
      const since = newest ? newest.seq - (run?.status === "running" ? 1 : 0) : 0;
      this.log.begin(since, run);
    }
    const since = this.log.newest;
    await subscription.open(EVERYTHING, since > 0 ? since : undefined);
    this.begin();
    this.#attempt = 0;
    this.become({ state: "open" });
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
    const since = this.connection.state === "reconnecting" ? this.connection.since : now();
    this.become({ state: "reconnecting", since, attempt: this.#attempt });
    this.#timer = setTimeout(() => this.#connect(), delayOf(this.#attempt));
    if (!opened) this.#checkSignIn();
  }

  /** A refused upgrade tells no status to a page. */
  #checkSignIn(): void {
    this.#options.signedOut?.().then(
      (signedOut) => signedOut && this.connection.state === "reconnecting" && this.#end("signed-out"),
      () => {},
    );
  }

  #end(state: "deleted" | "signed-out"): void {
    this.stop();
    this.become({ state });
  }

  #stayAwake(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#askForLife(), QUIET_MS);
  }

  /** Any answer will do, so it asks to end a subscription that is not there: the cheapest command there is. */
  #askForLife(): void {
    const socket = this.#socket;
    if (!socket || this.connection.state !== "open") return;
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
