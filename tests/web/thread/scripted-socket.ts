import type { BrowserSocket } from "../../../web/thread/thread-socket.ts";

type Sent = { id: number; method: string; params: Record<string, unknown> };

/** The server's end of a page's WebSocket, played by a test. */
export class ScriptedSocket implements BrowserSocket {
  /** What the page has sent and nobody has looked at. */
  readonly #sent: Sent[] = [];
  #wanted: PromiseWithResolvers<void> | undefined;
  readonly #events = new EventTarget();
  closed = false;

  get readyState() {
    return this.closed ? WebSocket.CLOSED : WebSocket.OPEN;
  }

  addEventListener = this.#events.addEventListener.bind(this.#events);

  send(text: string): void {
    if (this.closed) throw new Error("the page sent something over a socket that is closed");
    this.#sent.push(JSON.parse(text));
    this.#wanted?.resolve();
  }

  close(): void {
    this.drop(1000);
  }

  opened(): void {
    this.#events.dispatchEvent(new Event("open"));
  }

  /** The connection is gone, for the reason of a close code. */
  drop(code = 1006): void {
    if (this.closed) return;
    this.closed = true;
    this.#events.dispatchEvent(new CloseEvent("close", { code }));
  }

  /** The next command of the page. */
  async command(): Promise<Sent> {
    if (this.#sent.length === 0) {
      this.#wanted = Promise.withResolvers();
      await this.#wanted.promise;
    }
    const [command] = this.#sent.splice(0, 1);
    if (!command) throw new Error("nothing was sent");
    return command;
  }

  /** Answers a command, and lets the page read the answer. */
  async answer({ id }: Sent, result: object = {}): Promise<void> {
    await this.say({ type: "success", id, result });
  }

  async refuse({ id }: Sent, error: string, message: string): Promise<void> {
    await this.say({ type: "error", id, error, message });
  }

  async say(frame: object): Promise<void> {
    this.#events.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
    await settled();
  }
}

/** Lets everything run that needs nothing from outside. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The sockets that a page opens, one after the other. */
export class Dialled {
  readonly all: ScriptedSocket[] = [];
  #next = Promise.withResolvers<ScriptedSocket>();

  open = (): ScriptedSocket => {
    const socket = new ScriptedSocket();
    this.all.push(socket);
    this.#next.resolve(socket);
    return socket;
  };

  /** The next socket that is opened, or the one that has not been asked for yet; it is connected. */
  async next(): Promise<ScriptedSocket> {
    const socket = await this.#next.promise;
    this.#next = Promise.withResolvers();
    socket.opened();
    await settled();
    return socket;
  }
}

type EventFields = { seq: number; method?: string; namespace?: string[]; data?: object; run?: string };

/** An event of a thread, as the server sends it. */
export function eventFrame({ seq, method = "messages", namespace = [], data = {}, run = "r1" }: EventFields) {
  const event_id =
    method === "lifecycle" && namespace.length === 0 ? `synth:${run}:x:${seq}` : `${run}-${seq}`;
  return { type: "event", seq, event_id, method, params: { namespace, timestamp: 1, data } };
}

export const running = (seq: number, run = "r1") =>
  eventFrame({ seq, run, method: "lifecycle", data: { event: "running" } });

export const ended = (seq: number, event = "completed", run = "r1") =>
  eventFrame({ seq, run, method: "lifecycle", data: { event } });

/** Plays the first conversation on a new socket: what is stored about whole runs, then everything from there. */
export async function begin(
  socket: ScriptedSocket,
  lifecycle: object[] = [],
): Promise<Record<string, unknown>> {
  const narrow = await socket.command();
  await socket.answer(narrow, { subscription_id: "narrow", replayed_events: lifecycle.length });
  for (const frame of lifecycle) await socket.say(frame);
  await socket.answer(await socket.command());
  return await resume(socket);
}

/** Answers the subscription that stays. @returns what it asked for */
export async function resume(socket: ScriptedSocket): Promise<Record<string, unknown>> {
  const wide = await socket.command();
  await socket.answer(wide, { subscription_id: "wide", replayed_events: 0 });
  return wide.params;
}
