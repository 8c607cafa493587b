import type { FileHandle } from "node:fs/promises";

/** So much is written together: a request's chunks are a tenth of it, and each write is a way to a thread and back. */
const BATCH_BYTES = 1_048_576;
/** After so much the disk begins to take it for good, so that the end need not wait for all. */
const SETTLE_BYTES = 64 * 1_048_576;

/** Writes chunks behind each other: one batch is on its way to the disk while the next one comes, and no more. */
export class BlobWriter {
  #batch: Uint8Array[] = [];
  #bytes = 0;
  #unsettled = 0;
  #writing: Promise<void> = Promise.resolve();
  #settling: Promise<void> = Promise.resolve();

  constructor(private readonly file: FileHandle) {}

  /**
   * Takes a chunk, which is nobody else's from now on. Waits while the disk is behind.
   * @throws Error an earlier one could not be written
   */
  async take(chunk: Uint8Array): Promise<void> {
    this.#batch.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes >= BATCH_BYTES) await this.#send();
  }

  /** Resolves when all is written. @throws Error */
  async end(): Promise<void> {
    await this.#send();
    await this.#writing;
    await this.#settling;
  }

  /** Resolves when nothing is on its way any more, also where something failed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#settling]);
  }

  async #send(): Promise<void> {
    await this.#writing;
    const batch = this.#batch;
    this.#unsettled += this.#bytes;
    this.#batch = [];
    this.#bytes = 0;
    this.#writing = this.#write(batch);
    // Who waits for it hears of its failure; until then it is nobody's.
    this.#writing.catch(() => undefined);
    if (this.#unsettled < SETTLE_BYTES) return;
    this.#unsettled = 0;
    await this.#settling;
    this.#settling = this.file.datasync();
    this.#settling.catch(() => undefined);
  }

  async #write(batch: readonly Uint8Array[]): Promise<void> {
    const bytes = batch.reduce((sum, { byteLength }) => sum + byteLength, 0);
    let { bytesWritten } = bytes === 0 ? { bytesWritten: 0 } : await this.file.writev(batch);
    // A disk that is nearly full takes a part.
    while (bytesWritten < bytes)
      bytesWritten += (await this.file.write(behind(batch, bytesWritten))).bytesWritten;
    for (const chunk of batch) free(chunk);
  }
}

/** The rest of the chunk in which what was written ends. */
function behind(batch: readonly Uint8Array[], written: number): Uint8Array {
  let at = 0;
  for (const chunk of batch) {
    if (at + chunk.byteLength > written) return chunk.subarray(written - at);
    at += chunk.byteLength;
  }
  throw new Error("more was written than there is");
}

/**
 * Gives a chunk's memory back at once: the garbage of gigabytes that only pass by would be tens of megabytes before a
 * collection finds it worth its while.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
