import { Buffer } from "node:buffer";
import type { OutgoingHttpHeaders } from "node:http";
import { Denied, type Fault, Unauthenticated } from "@berth/store";
import type { Socket, SocketEnd } from "../../http/index.ts";

type Frame = string | Uint8Array;

type RelayOptions = {
  /** Where it goes: a port of this machine, or another Berth. */
  to: number | URL;
  path: string;
  headers: OutgoingHttpHeaders;
  protocols: string[];
};

/** Whoever is this far behind is read nothing for until it has caught up. */
const FULL = 1_048_576;
/** One that takes nothing for this long is cut off; it comes back where it was. */
const STUCK_MS = 30_000;
const LOOK_AGAIN_MS = 10;
/** Close codes that are never sent: there was no code, or no close. */
const NO_CODE = 1_005;
const NO_CLOSE = 1_006;
/** 4000 and the status that a request would get. Clients do not come back after these. */
const SIGNED_OUT = 4_401;
const DENIED = 4_403;
/** After this one they do. */
const GOING_AWAY = 1_001;

// The types of the page are in force here, too, and know a browser's WebSocket only.
const Client = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket;

/** A WebSocket of a caller and one to an instance, made one: frames, ends and the pace of each reach the other. */
export class Relay implements SocketEnd {
  readonly #instance: Bun.WebSocket;
  /** Frames that came before the caller was there to have them. */
  readonly #early: Frame[] = [];
  #caller: Socket | undefined;
  #stuck: Timer | undefined;
  #look: Timer | undefined;
  #ended: () => void = () => undefined;

  private constructor({ to, path, headers, protocols }: RelayOptions) {
    const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    this.#instance = new Client(addressOf(to) + path, {
      headers: Object.fromEntries(texts),
      protocols,
      perMessageDeflate: false,
    });
    this.#instance.binaryType = "nodebuffer";
    this.#instance.addEventListener("message", ({ data }) => this.#toCaller(data));
    this.#instance.addEventListener("close", ({ code, reason }) => this.#instanceClosed(code, reason));
  }

  /** Connects to an instance; undefined when that refuses, for whatever reason, or `signal` says that nobody waits. */
  static async connect(options: RelayOptions, signal: AbortSignal): Promise<Relay | undefined> {
    const relay = new Relay(options);
    const leave = () => relay.#instance.terminate();
    signal.addEventListener("abort", leave, { once: true });
    const { promise, resolve } = Promise.withResolvers<Relay | undefined>();
    relay.#instance.addEventListener("open", () => {
      relay.#instance.pause();
      resolve(relay);
    });
    relay.#instance.addEventListener("close", () => resolve(undefined));
    relay.#instance.addEventListener("error", () => resolve(undefined));
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** Whether the caller is not read, because the instance does not keep up. */
  get isPaused(): boolean {
    return this.#look !== undefined;
  }

  /** The protocol that the instance chose. */
  get protocol(): string {
    return this.#instance.protocol;
  }

  /** Calls back when both are closed. */
  onEnd(ended: () => void): void {
    this.#ended = ended;
  }

  opened(caller: Socket): void {
    this.#caller = caller;
    for (const frame of this.#early.splice(0)) this.#toCaller(frame);
    this.#instance.resume();
    if (this.#instance.readyState === WebSocket.CLOSED) caller.terminate();
  }

  received(text: string): void {
    this.#toInstance(text);
  }

  receivedBytes(bytes: Uint8Array): void {
    this.#toInstance(bytes);
  }

  drained(): void {
    if ((this.#caller?.getBufferedAmount() ?? 0) >= FULL) return;
    clearTimeout(this.#stuck);
    this.#stuck = undefined;
    this.#instance.resume();
  }

  closed(code: number, reason: string): void {
    this.#caller = undefined;
    if (code === NO_CLOSE) this.#instance.terminate();
    else if (code === NO_CODE) this.#instance.close();
    else this.#instance.close(code, reason);
    this.#end();
  }

  /** Ends it, and says why. */
  cut(refusal: Fault): void {
    this.#caller?.close(codeOf(refusal), refusal.message);
  }

  /** Gives up a connection that nobody will use. */
  abandon(): void {
    this.#caller?.terminate();
    this.#instance.terminate();
    this.#end();
  }

  #toCaller(frame: Frame): void {
    if (!this.#caller) {
      this.#early.push(frame);
      return;
    }
    this.#caller.send(frame);
    if (this.#caller.getBufferedAmount() < FULL) return;
    this.#instance.pause();
    this.#stuck ??= setTimeout(() => this.#caller?.terminate(), STUCK_MS);
  }

  #toInstance(frame: Frame): void {
    this.#instance.send(typeof frame === "string" ? frame : Buffer.from(frame));
    if (this.#instance.bufferedAmount < FULL || this.#look !== undefined) return;
    this.#caller?.pause();
    // A client's WebSocket does not tell when it has sent what waited.
    this.#look = setInterval(() => {
      if (this.#instance.bufferedAmount >= FULL) return;
      clearInterval(this.#look);
      this.#look = undefined;
      this.#caller?.resume();
    }, LOOK_AGAIN_MS);
  }

  #instanceClosed(code: number, reason: string): void {
    const caller = this.#caller;
    // Without a close the instance has crashed: callers have to see that, and come back.
    if (code === NO_CLOSE) caller?.terminate();
    else if (code === NO_CODE) caller?.close();
    else caller?.close(code, reason);
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#stuck);
    clearInterval(this.#look);
    const ended = this.#ended;
    this.#ended = () => undefined;
    ended();
  }
}

function addressOf(to: RelayOptions["to"]): string {
  if (typeof to === "number") return `ws://127.0.0.1:${to}`;
  return `${to.protocol === "https:" ? "wss" : "ws"}://${to.host}`;
}

function codeOf(refusal: Fault): number {
  if (refusal instanceof Unauthenticated) return SIGNED_OUT;
  return refusal instanceof Denied ? DENIED : GOING_AWAY;
}

/** The protocols that a caller offers. */
export const protocolsOf = ({ headers }: Request): string[] =>
  (headers.get("sec-websocket-protocol") ?? "").split(",").flatMap((name) => name.trim() || []);

/** Each of the two connections shakes hands for itself. */
export const withoutHandshake = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !name.startsWith("sec-websocket-") && name !== "connection" && name !== "upgrade",
    ),
  );
