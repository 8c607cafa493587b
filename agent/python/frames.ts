/** Length in front, four bytes, then JSON. */
const HEAD = 4;
/** A frame is no longer; a worker that says so has gone wrong. */
const LONGEST = 1_024 * 1_024 * 1_024;

/** A message as it travels to a worker. */
export function frameOf(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** Puts messages together again from the pieces in which they come. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #length = 0;
  #wanted: number | undefined;

  /** The messages that this piece completes. @throws Error it is no frame */
  read(piece: Buffer): unknown[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const found: unknown[] = [];
    for (;;) {
      if (this.#wanted === undefined) {
        if (this.#length < HEAD) return found;
        this.#wanted = this.#take(HEAD).readUInt32BE();
        if (this.#wanted > LONGEST) throw new Error(`a frame of ${this.#wanted} bytes`);
      }
      if (this.#length < this.#wanted) return found;
      found.push(JSON.parse(this.#take(this.#wanted).toString("utf8")));
      this.#wanted = undefined;
    }
  }

  #take(count: number): Buffer {
    const [first] = this.#pieces;
    const whole = first && first.length >= count ? first : Buffer.concat(this.#pieces);
    const rest = whole.subarray(count);
    const left = whole === first ? this.#pieces.slice(1) : [];
    this.#pieces = rest.length > 0 ? [rest, ...left] : left;
    this.#length -= count;
    return whole.subarray(0, count);
  }
}
