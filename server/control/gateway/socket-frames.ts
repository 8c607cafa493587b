import { Buffer } from "node:buffer";

/** Maximum size of a message from an instance, in one frame or in fragments. */
export const MAX_MESSAGE_BYTES = 8 * 1_048_576;

/** Close codes that are never sent: there was no code, or no close. */
export const NO_CODE = 1_005;
export const NO_CLOSE = 1_006;
const PROTOCOL_ERROR = 1_002;
const INVALID_TEXT = 1_007;
const MESSAGE_TOO_BIG = 1_009;

export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;
const FINAL = 0x80;
const MAX_CONTROL_BYTES = 125;
/** Without the mask that only a client has. */
const MAX_HEAD_BYTES = 10;

/** A server has sent what ends a WebSocket, with the close code for that. */
export class FrameError extends Error {
  override name = "FrameError";

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

type FrameListener = {
  message(data: string | Buffer): void;
  ping(payload: Buffer): void;
  close(code: number, reason: string): void;
};

/** Bytes that arrive in pieces. Copies them, so that many small fragments cost no more than their bytes. */
class Payload {
  #bytes: Buffer = Buffer.alloc(0);
  length = 0;

  add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(length, 2 * this.length), MAX_MESSAGE_BYTES));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, this.length);
    this.length = length;
  }

  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length);
    this.#bytes = Buffer.alloc(0);
    this.length = 0;
    return taken;
  }
}

/** Reads the frames that a server sends (RFC 6455, without extensions). Checks a length before it buffers a payload. */
export class SocketFrameReader {
  readonly #message = new Payload();
  readonly #control = new Payload();
  #head: Buffer = Buffer.alloc(0);
  /** The frame whose payload arrives, and how much of that is missing. */
  #frame: { opcode: number; isFinal: boolean } | undefined;
  #missing = 0;
  /** Of the message that is incomplete: text or bytes; 0 if there is none. */
  #opcode = 0;
  #isClosed = false;

  constructor(private readonly listener: FrameListener) {}

  /** @throws FrameError */
  read(chunk: Buffer): void {
    let rest = chunk;
    while (!this.#isClosed && rest.length > 0) {
      rest = this.#frame ? this.#readPayload(this.#frame, rest) : this.#readHead(rest);
      if (this.#frame && this.#missing === 0) this.#endFrame(this.#frame);
    }
  }

  #readHead(chunk: Buffer): Buffer {
    const had = this.#head.length;
    const head = had === 0 ? chunk : Buffer.concat([this.#head, chunk.subarray(0, MAX_HEAD_BYTES - had)]);
    const short = (head[1] ?? 0) & 0x7f;
    const size = head.length < 2 || short < 126 ? 2 : short === 126 ? 4 : MAX_HEAD_BYTES;
    if (head.length < size) {
      this.#head = head;
      return chunk.subarray(chunk.length);
    }
    if (had > 0) this.#head = Buffer.alloc(0);
    const length = size === 2 ? short : size === 4 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    this.#beginFrame(head[0] ?? 0, head[1] ?? 0, length);
    return chunk.subarray(size - had);
  }

  #beginFrame(first: number, second: number, length: number): void {
    const opcode = first & 0x0f;
    const isFinal = (first & FINAL) !== 0;
    const isControl = opcode >= CLOSE;
    const isKnown = opcode <= BINARY || (isControl && opcode <= PONG);
    const isInOrder = isControl
      ? isFinal && length <= MAX_CONTROL_BYTES
      : (opcode === 0) === this.#opcode > 0;
    // Reserved bits belong to extensions, and a server does not mask.
    if ((first & 0x70) !== 0 || second > 0x7f || !isKnown || !isInOrder)
      throw new FrameError(PROTOCOL_ERROR, "The deployment sent an invalid frame");
    if (!isControl && this.#message.length + length > MAX_MESSAGE_BYTES)
      throw new FrameError(MESSAGE_TOO_BIG, `A message has more than ${MAX_MESSAGE_BYTES} bytes`);
    if (!isControl && opcode > 0) this.#opcode = opcode;
    this.#frame = { opcode, isFinal };
    this.#missing = length;
  }

  #readPayload({ opcode }: { opcode: number }, chunk: Buffer): Buffer {
    const piece = chunk.subarray(0, this.#missing);
    (opcode >= CLOSE ? this.#control : this.#message).add(piece);
    this.#missing -= piece.length;
    return chunk.subarray(piece.length);
  }

  #endFrame({ opcode, isFinal }: { opcode: number; isFinal: boolean }): void {
    this.#frame = undefined;
    if (opcode >= CLOSE) this.#endControl(opcode, this.#control.take());
    else if (isFinal) {
      const isText = this.#opcode === TEXT;
      this.#opcode = 0;
      const bytes = this.#message.take();
      this.listener.message(isText ? textOf(bytes) : bytes);
    }
  }

  #endControl(opcode: number, payload: Buffer): void {
    if (opcode === PING) this.listener.ping(payload);
    if (opcode !== CLOSE) return;
    this.#isClosed = true;
    const code = payload.length === 0 ? NO_CODE : payload.length === 1 ? 0 : payload.readUInt16BE();
    if (payload.length > 0 && !isCloseCode(code))
      throw new FrameError(PROTOCOL_ERROR, "The deployment sent an invalid close code");
    this.listener.close(code, textOf(payload.subarray(2)));
  }
}

/** Codes that may be sent; the others of the protocol stand for what was not sent. */
const isCloseCode = (code: number): boolean =>
  (code >= 3_000 && code <= 4_999) ||
  (code >= 1_000 && code <= 1_014 && code !== 1_004 && code !== NO_CODE && code !== NO_CLOSE);

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FrameError(INVALID_TEXT, "The deployment sent text that is not UTF-8");
  }
}
