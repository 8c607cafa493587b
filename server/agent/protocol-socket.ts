import type { ProtocolSession, Wire } from "@berth/agent";
import { Denied, NotFound, Signal, Unauthenticated } from "@berth/store";
import { parseJson, type Socket, type SocketEnd } from "../http/index.ts";
import { logger } from "../log/index.ts";

type ProtocolSocketOptions = {
  /** Opens the conversation that this socket carries. */
  open: (wire: Wire) => ProtocolSession;
  /** Throws once the caller may not be here any more: a key is revoked, a sign-in over. */
  admit: () => unknown;
};

const log = logger("protocol");

/** Whoever is this far behind is sent nothing more until it has read some. */
const FULL_CHARS = 1_048_576;
/** One that reads nothing for this long is cut off; it comes back where it was. */
const STUCK_MS = 30_000;
const ADMIT_AGAIN_MS = 30_000;

/** Close codes: 4000 and the status that a request would get. Clients do not come back after a 4xx. */
const GONE = 4_404;
const FAILED = 1_011;

/** A WebSocket that carries one session of the thread protocol, as text frames of JSON. */
export class ProtocolSocket implements SocketEnd, Wire {
  #socket: Socket | undefined;
  #session: ProtocolSession | undefined;
  readonly #room = new Signal();
  #stuck: Timer | undefined;
  #watch: Timer | undefined;

  constructor(private readonly options: ProtocolSocketOptions) {}

  opened(socket: Socket): void {
    this.#socket = socket;
    this.#session = this.options.open(this);
    this.#watch = setInterval(() => void this.mayStay(), ADMIT_AGAIN_MS);
  }

  received(text: string): void {
    const read = parseJson(text);
    if ("fault" in read) this.#session?.refuse(`A frame is one JSON object: ${read.fault.msg}`);
    else this.#session?.receive(read.value);
  }

  drained(): void {
    if ((this.#socket?.getBufferedAmount() ?? 0) < FULL_CHARS) this.#goOn();
  }

  closed(): void {
    this.#socket = undefined;
    clearInterval(this.#watch);
    this.#session?.close();
    this.#goOn();
  }

  send(text: string): Promise<void> | undefined {
    this.#socket?.send(text);
    if ((this.#socket?.getBufferedAmount() ?? 0) < FULL_CHARS) return undefined;
    this.#stuck ??= setTimeout(() => this.#socket?.terminate(), STUCK_MS);
    return this.#room.wait();
  }

  async mayStay(): Promise<boolean> {
    try {
      await this.options.admit();
      return true;
    } catch (error) {
      if (error instanceof Unauthenticated) this.#socket?.close(4_401, error.message);
      else if (error instanceof Denied) this.#socket?.close(4_403, error.message);
      else if (error instanceof NotFound) this.#socket?.close(GONE, error.message);
      else this.failed(error);
      return false;
    }
  }

  threadDeleted(): void {
    this.#socket?.close(GONE, "The thread was deleted");
  }

  failed(error: unknown): void {
    if (!this.#socket) return;
    log.error("session failed", { error });
    this.#socket.close(FAILED, "Internal error");
  }

  #goOn(): void {
    clearTimeout(this.#stuck);
    this.#stuck = undefined;
    this.#room.give();
  }
}
