import { WAIT_LIMIT_MS } from "../../limits.ts";
import type { Reply } from "./protocol-thread.ts";
import { outline, type WireEvent } from "./wire-event.ts";

/** Everything that came over a socket, in order. */
export type Arrival = WireEvent | Reply;

const isEvent = (arrival: Arrival): arrival is WireEvent => arrival.type === "event";

/** One WebSocket on a thread, as a client without an SDK uses it. */
export class ProtocolSocket {
  readonly arrivals: Arrival[] = [];
  /** Why it closed; undefined while it is open. */
  closed: { code: number; reason: string } | undefined;
  #commands = 0;
  readonly #waiting = new Set<() => void>();

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener("message", ({ data }) => {
      this.arrivals.push(JSON.parse(String(data)));
      this.#wake();
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.closed = { code, reason };
      this.#wake();
    });
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<ProtocolSocket> {
    const socket = new WebSocket(url.replace(/^http/, "ws"), { headers } as unknown as string[]);
    const opened = new ProtocolSocket(socket);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error(`no socket at ${url}`)), { once: true });
    await promise;
    return opened;
  }

  get events(): WireEvent[] {
    return this.arrivals.filter(isEvent);
  }

  sendText(text: string): void {
    this.socket.send(text);
  }

  /** Sends a command and waits for its reply. */
  async command(method: string, params: unknown): Promise<Reply> {
    this.#commands += 1;
    const id = this.#commands;
    this.sendText(JSON.stringify({ id, method, params }));
    return this.reply(id);
  }

  async reply(id: number | null): Promise<Reply> {
    const isIt = (arrival: Arrival): arrival is Reply => !isEvent(arrival) && arrival.id === id;
    await this.until(`the reply to ${id}`, () => this.arrivals.some(isIt));
    const reply = this.arrivals.find(isIt);
    if (!reply) throw new Error("it was there a moment ago");
    return reply;
  }

  async until(what: string, holds: (events: WireEvent[]) => boolean): Promise<WireEvent[]> {
    await this.#until(what, () => holds(this.events));
    return this.events;
  }

  async end(): Promise<{ code: number; reason: string }> {
    await this.#until("the close", () => this.closed !== undefined);
    return this.closed ?? { code: 0, reason: "" };
  }

  close(): void {
    this.socket.close();
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const limit = Date.now() + WAIT_LIMIT_MS;
    while (!holds()) {
      const left = limit - Date.now();
      if (this.closed || left <= 0) {
        const why = this.closed
          ? `closed with ${JSON.stringify(this.closed)}`
          : `not within ${WAIT_LIMIT_MS} ms`;
        throw new Error(`${what}: ${why}; the last events were\n${outline(this.events)}`);
      }
      await this.#change(left);
    }
  }

  #change(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, limitMs);
      this.#waiting.add(wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
