import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import {
  BINARY,
  CLOSE,
  FrameError,
  NO_CLOSE,
  NO_CODE,
  PONG,
  SocketFrameReader,
  TEXT,
} from "./socket-frames.ts";
import { begin } from "./upstream.ts";

type Handshake = { path: string; headers: OutgoingHttpHeaders; protocols: string[]; signal: AbortSignal };

type InstanceSocketEvents = {
  message(frame: string | Buffer): void;
  /** All that waited has left. */
  drain(): void;
  /** Once, unless this side has closed it. */
  close(code: number, reason: string): void;
};

/** RFC 6455, 1.3. */
const KEY_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** Pongs that this many bytes wait before are left out. */
const MAX_WAITING_BEFORE_PONG = 65_536;
/** Time limit (ms) for the other side to end the connection after a close. */
const CLOSE_TIMEOUT_MS = 10_000;

/**
 * A WebSocket to an instance. Bun's own client has no maximum size of messages, and replaces the package `ws`, so that
 * a deployment could make Berth buffer 128 MiB for each WebSocket.
 */
export class InstanceSocket {
  readonly #connection: Duplex;
  readonly #reader: SocketFrameReader;
  #head: Buffer;
  #events: InstanceSocketEvents | undefined;
  #isClosed = false;

  private constructor(
    connection: Duplex,
    head: Buffer,
    /** The protocol that the instance chose; empty if none. */
    readonly protocol: string,
  ) {
    this.#connection = connection;
    this.#head = head;
    this.#reader = new SocketFrameReader({
      message: (frame) => this.#events?.message(frame),
      ping: (payload) => {
        if (this.bufferedAmount < MAX_WAITING_BEFORE_PONG) this.#write(PONG, payload);
      },
      close: (code, reason) => this.#end(code, reason),
    });
    connection.on("error", () => undefined);
    connection.on("close", () => this.#lost());
    connection.on("end", () => this.#lost());
    connection.pause();
  }

  /** Resolves with a WebSocket that is not read yet, or with undefined if the instance refuses or `signal` aborts. */
  static connect(
    to: number | URL,
    { path, headers, protocols, signal }: Handshake,
  ): Promise<InstanceSocket | undefined> {
    const { promise, resolve } = Promise.withResolvers<InstanceSocket | undefined>();
    const key = randomBytes(16).toString("base64");
    const request = begin(to, {
      method: "GET",
      path,
      headers: {
        ...headers,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": key,
        ...(protocols.length > 0 && { "sec-websocket-protocol": protocols.join(", ") }),
      },
      agent: false,
    });
    const leave = () => request.destroy();
    signal.addEventListener("abort", leave, { once: true });
    request.on("upgrade", (answer, connection, head) => {
      if (!signal.aborted && isAccepted(answer, key, protocols))
        resolve(new InstanceSocket(connection, head, answer.headers["sec-websocket-protocol"] ?? ""));
      else connection.destroy();
      resolve(undefined);
    });
    request.on("response", (answer) => {
      answer.on("error", () => undefined);
      request.destroy();
      resolve(undefined);
    });
    request.on("error", () => resolve(undefined));
    request.on("close", () => resolve(undefined));
    if (signal.aborted) leave();
    request.end();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** Bytes that wait to leave. */
  get bufferedAmount(): number {
    return this.#connection.writableLength;
  }

  /** Begins to read. */
  listen(events: InstanceSocketEvents): void {
    this.#events = events;
    this.#connection.on("drain", () => events.drain());
    if (this.#connection.destroyed) {
      this.#lost();
      return;
    }
    this.#read(this.#head);
    this.#head = Buffer.alloc(0);
    this.#connection.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#connection.resume();
  }

  send(frame: string | Uint8Array): void {
    if (this.#isClosed) return;
    if (typeof frame === "string") this.#write(TEXT, Buffer.from(frame));
    else this.#write(BINARY, frame);
  }

  pause(): void {
    if (!this.#isClosed) this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  close(code?: number, reason?: string): void {
    this.#events = undefined;
    this.#end(code ?? NO_CODE, reason ?? "");
  }

  terminate(): void {
    this.#isClosed = true;
    this.#connection.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    try {
      this.#reader.read(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#end(error.code, error.message);
    }
  }

  /** Sends a close, to begin one or as the answer to one, and ends the connection. */
  #end(code: number, reason: string): void {
    if (this.#isClosed) return;
    const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(reason)]);
    payload.writeUInt16BE(code);
    this.#write(CLOSE, code === NO_CODE ? Buffer.alloc(0) : payload);
    this.#isClosed = true;
    this.#connection.end();
    // What arrives after a close is read and dropped: the end of the connection is behind it.
    this.#connection.resume();
    const timer = setTimeout(() => this.#connection.destroy(), CLOSE_TIMEOUT_MS);
    this.#connection.once("close", () => clearTimeout(timer));
    this.#events?.close(code, reason);
  }

  #lost(): void {
    this.#connection.destroy();
    if (this.#isClosed || !this.#events) return;
    this.#isClosed = true;
    this.#events.close(NO_CLOSE, "");
  }

  /** Writes a frame; those of a client are masked. */
  #write(opcode: number, payload: Uint8Array): void {
    const { length } = payload;
    const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const frame = Buffer.allocUnsafe(size + 4 + length);
    frame[0] = 0x80 | opcode;
    frame[1] = 0x80 | (size === 2 ? length : size === 4 ? 126 : 127);
    if (size === 4) frame.writeUInt16BE(length, 2);
    if (size === 10) frame.writeBigUInt64BE(BigInt(length), 2);
    const mask = randomBytes(4);
    mask.copy(frame, size);
    for (let at = 0; at < length; at += 1) frame[size + 4 + at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
    this.#connection.write(frame);
  }
}

/** Whether an answer of 101 is one to this handshake: of a WebSocket, with no extension, with a protocol on offer. */
function isAccepted({ headers }: IncomingMessage, key: string, protocols: string[]): boolean {
  const chosen = headers["sec-websocket-protocol"];
  return (
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-accept"] ===
      createHash("sha1")
        .update(key + KEY_SUFFIX)
        .digest("base64") &&
    headers["sec-websocket-extensions"] === undefined &&
    (chosen === undefined || protocols.includes(chosen))
  );
}
