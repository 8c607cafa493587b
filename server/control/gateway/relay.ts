import type { OutgoingHttpHeaders } from "node:http";
import { Denied, type Fault, Unauthenticated } from "@berth/store";
import type { Socket, SocketEnd } from "../../http/index.ts";
import { InstanceSocket } from "./instance-socket.ts";
import { NO_CLOSE, NO_CODE } from "./socket-frames.ts";

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
/** 4000 and the status that a request would get. Clients do not come back after these. */
const SIGNED_OUT = 4_401;
const DENIED = 4_403;
/** After this one they do. */
const GOING_AWAY = 1_001;

/** A WebSocket of a caller and one to an instance, made one: frames, ends and the pace of each reach the other. */
export class Relay implements SocketEnd {
  readonly #instance: InstanceSocket;
  #caller: Socket | undefined;
  #stuck: Timer | undefined;
  #isCallerPaused = false;
  #ended: () => void = () => undefined;

  private constructor(instance: InstanceSocket) {
    this.#instance = instance;
  }

  /** Connects to an instance; undefined when that refuses, for whatever reason, or `signal` says that nobody waits. */
  static async connect(options: RelayOptions, signal: AbortSignal): Promise<Relay | undefined> {
    const { to, path, headers, protocols } = options;
    const instance = await InstanceSocket.connect(to, { path, headers, protocols, signal });
    return instance && new Relay(instance);
  }

  /** Whether the caller is not read, because the instance does not keep up. */
  get isPaused(): boolean {
    return this.#isCallerPaused;
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
    this.#instance.listen({
      message: (frame) => this.#toCaller(frame),
      drain: () => this.#instanceDrained(),
      close: (code, reason) => this.#instanceClosed(code, reason),
    });
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
    if (!this.#caller) return;
    this.#caller.send(frame);
    if (this.#caller.getBufferedAmount() < FULL) return;
    this.#instance.pause();
    this.#stuck ??= setTimeout(() => this.#caller?.terminate(), STUCK_MS);
  }

  #toInstance(frame: Frame): void {
    this.#instance.send(frame);
    if (this.#instance.bufferedAmount < FULL || this.#isCallerPaused) return;
    this.#isCallerPaused = true;
    this.#caller?.pause();
  }

  #instanceDrained(): void {
    if (!this.#isCallerPaused) return;
    this.#isCallerPaused = false;
    this.#caller?.resume();
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
    const ended = this.#ended;
    this.#ended = () => undefined;
    ended();
  }
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
