import { existsSync } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull, NO_ROOM, type StoredPiece, Unavailable } from "@berth/store";
import { removeOld, type SharedPlace } from "../files/index.ts";

/** So much is read of a file together. */
const READ_BYTES = 1_048_576;

/** Where the pieces of blobs lie: in the data folder, or where every machine finds them. */
export class BlobFiles {
  readonly #folder: string;

  /** @param shared undefined where only this machine needs them */
  constructor(
    dataDir: string,
    private readonly shared: SharedPlace | undefined,
  ) {
    this.#folder = join(dataDir, "registry");
  }

  /**
   * Keeps a piece. When it resolves, a power cut does not take it away; when it throws, nothing of it is here.
   * @param write gives the number of bytes that it wrote; 0 keeps nothing
   * @throws Unavailable
   */
  async keep(name: string, write: (file: FileHandle) => Promise<number>): Promise<number> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#pathOf(name);
    try {
      const file = await open(path, "wx", 0o600);
      const bytes = await written(file, write, this.shared === undefined);
      if (bytes > 0 && this.shared) await this.shared.put(name, path);
      if (bytes > 0 && !this.shared) await this.#settle();
      else await rm(path, { force: true });
      return bytes;
    } catch (error) {
      await this.remove(name).catch(() => undefined);
      throw isDiskFull(error) ? new Unavailable(`${NO_ROOM} for the image`) : error;
    }
  }

  /** The bytes of pieces one behind the other, from one of them on, as they come. @throws Error a piece is not whole */
  async *read(
    pieces: readonly StoredPiece[],
    from = 0,
    to = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (const { name, bytes } of pieces) {
      const start = Math.max(from - at, 0);
      const end = Math.min(to - at, bytes);
      at += bytes;
      if (start < end) yield* this.#readPiece(name, { start, end, bytes });
    }
  }

  /** The file of a blob, where it is one file of this machine. */
  fileOf(pieces: readonly StoredPiece[]): string | undefined {
    const [piece, ...more] = pieces;
    if (this.shared || piece === undefined || more.length > 0) return undefined;
    const path = this.#pathOf(piece.name);
    return existsSync(path) ? path : undefined;
  }

  /** Fine where there is none. */
  async remove(name: string): Promise<void> {
    await this.shared?.remove(name);
    await rm(this.#pathOf(name), { force: true });
  }

  /** What a crash left on this machine of pieces that were on their way to where all find them. */
  async tidy(now: number): Promise<void> {
    if (this.shared) await removeOld(this.#folder, now, () => true);
  }

  async *#readPiece(
    name: string,
    { start, end, bytes }: { start: number; end: number; bytes: number },
  ): AsyncGenerator<Uint8Array> {
    let at = 0;
    for await (const chunk of this.#chunksOf(name, start)) {
      const offset = this.shared ? at : start + at;
      const first = Math.max(start - offset, 0);
      const last = Math.min(end - offset, chunk.byteLength);
      at += chunk.byteLength;
      if (first < last) yield chunk.subarray(first, last);
      if (offset + chunk.byteLength >= end) return;
    }
    throw new Error(`the piece ${name} of an image has fewer than its ${bytes} bytes`);
  }

  /** From `start` on where this machine has the file, else all of them. */
  async *#chunksOf(name: string, start: number): AsyncGenerator<Uint8Array> {
    if (this.shared)
      return yield* this.shared.read(name) as AsyncIterable<Uint8Array> & AsyncGenerator<Uint8Array>;
    const file = await open(this.#pathOf(name), "r");
    try {
      for (let position = start; ; ) {
        const { bytesRead, buffer } = await file.read(
          Buffer.allocUnsafe(READ_BYTES),
          0,
          READ_BYTES,
          position,
        );
        if (bytesRead === 0) return;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }

  #pathOf(name: string): string {
    return join(this.#folder, name);
  }

  /** Has the names in the folder survive a power cut. */
  async #settle(): Promise<void> {
    const folder = await open(this.#folder, "r");
    await folder.sync().finally(() => folder.close());
  }
}

async function written(
  file: FileHandle,
  write: (file: FileHandle) => Promise<number>,
  isLast: boolean,
): Promise<number> {
  try {
    const bytes = await write(file);
    // Whoever is told that it is here must find it here after a power cut as well.
    if (bytes > 0 && isLast) await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}
