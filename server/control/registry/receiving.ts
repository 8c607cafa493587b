import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import {
  type ArrivingBlob,
  type ArrivingBlobs,
  BadRequest,
  Conflict,
  type Repository,
  TooLarge,
} from "@berth/store";
import { BLOB_BYTES, bodyPieces } from "../../http/index.ts";
import type { BlobFiles } from "./blob-files.ts";
import { BlobWriter } from "./blob-writer.ts";

/** Digests that go on with the next piece: so many uploads are remembered. */
const MOST_RUNNING = 1_000;

type Running = { pieces: number; hash: Hash };

/** Takes the pieces of blobs, and compares their digests while they come. */
export class Receiving {
  readonly #arriving: ArrivingBlobs;
  readonly #files: BlobFiles;
  /** By upload: what came so far in this process. Another one reads it again. */
  readonly #running = new Map<string, Running>();
  /** Uploads of which a piece is on its way here. */
  readonly #busy = new Set<string>();

  constructor({ arriving, files }: { arriving: ArrivingBlobs; files: BlobFiles }) {
    this.#arriving = arriving;
    this.#files = files;
  }

  /**
   * Takes what a request brings as the next piece; a request without bytes changes nothing.
   * @throws BadRequest it was cut off: nothing of it counts @throws TooLarge | Conflict | Unavailable
   */
  async take(repository: Repository, upload: ArrivingBlob, request: Request): Promise<ArrivingBlob> {
    const declared = Number(request.headers.get("content-length") ?? Number.NaN);
    if (!bringsBytes(request)) return upload;
    if (this.#busy.has(upload.id))
      throw new Conflict("Another piece of this upload is arriving: send one piece after the other", {
        code: "BLOB_UPLOAD_INVALID",
      });
    this.#busy.add(upload.id);
    try {
      return await this.#take(repository, upload, { request, declared });
    } finally {
      this.#busy.delete(upload.id);
    }
  }

  async #take(
    repository: Repository,
    upload: ArrivingBlob,
    { request, declared }: { request: Request; declared: number },
  ): Promise<ArrivingBlob> {
    const most = Math.min(BLOB_BYTES - upload.bytes, await this.#arriving.room(repository));
    const over = () =>
      new TooLarge(
        `There is room for only ${Math.max(0, most)} more bytes: a blob may have ${BLOB_BYTES}, and all images of a workspace ${this.#arriving.mostBytes} (REGISTRY_LIMIT)`,
        { code: "DENIED" },
      );
    if (declared > most) throw over();
    const name = await this.#arriving.announce();
    const hash = this.#hashAfter(upload);
    this.#running.delete(upload.id);
    try {
      const bytes = await this.#files.keep(name, (file) => writeAll(request, file, { most, over, hash }));
      if (!Number.isNaN(declared) && bytes !== declared) throw cutOff();
      if (bytes === 0) {
        await this.#arriving.giveUp(name);
        return upload;
      }
      const next = await this.#arriving.add(repository, upload, { name, bytes });
      if (hash) this.#remember(next, hash);
      return next;
    } catch (error) {
      await this.#files.remove(name).catch(() => undefined);
      // What cannot be removed now, a sweep removes.
      await this.#arriving.giveUp(name).catch(() => undefined);
      throw error;
    }
  }

  /** The SHA-256 of all that was acknowledged. */
  async digestOf(upload: ArrivingBlob): Promise<string> {
    const known = this.#hashAfter(upload);
    if (known) return `sha256:${known.digest("hex")}`;
    const hash = createHash("sha256");
    for await (const chunk of this.#files.read(await this.#arriving.pieces(upload.id))) hash.update(chunk);
    return `sha256:${hash.digest("hex")}`;
  }

  /** An upload is over. @param spare names of its pieces that nobody needs: what stays of them, a sweep removes */
  async over(id: string, spare: readonly string[]): Promise<void> {
    this.#running.delete(id);
    for (const name of spare) await this.#files.remove(name).catch(() => undefined);
  }

  /** Goes on where the pieces so far end; undefined where another process, or an earlier one, took some of them. */
  #hashAfter({ id, pieces }: ArrivingBlob): Hash | undefined {
    if (pieces === 0) return createHash("sha256");
    const known = this.#running.get(id);
    return known?.pieces === pieces ? known.hash.copy() : undefined;
  }

  #remember({ id, pieces }: ArrivingBlob, hash: Hash): void {
    this.#running.set(id, { pieces, hash });
    const [oldest] = this.#running.keys();
    if (this.#running.size > MOST_RUNNING && oldest !== undefined) this.#running.delete(oldest);
  }
}

/**
 * Whether a request has a body. Without a look at `body` where the headers tell: from that look on Bun reads as fast as
 * bytes come, and holds what nobody takes yet.
 */
function bringsBytes(request: Request): boolean {
  const length = request.headers.get("content-length");
  if (length !== null) return Number(length) > 0;
  return request.headers.has("transfer-encoding") || request.body !== null;
}

type Writing = { most: number; over: () => TooLarge; hash: Hash | undefined };

/** Writes a body as it comes, no faster than the disk takes it. */
async function writeAll(request: Request, file: FileHandle, { most, over, hash }: Writing): Promise<number> {
  const writer = new BlobWriter(file);
  let bytes = 0;
  try {
    for await (const piece of bodyPieces(request.body)) {
      bytes += piece.byteLength;
      if (bytes > most) throw over();
      hash?.update(piece);
      await writer.take(piece);
    }
    await writer.end();
    return bytes;
  } catch (error) {
    throw error instanceof BadRequest ? cutOff() : error;
  } finally {
    // The file is about to be closed.
    await writer.settled();
  }
}

const cutOff = () =>
  new BadRequest("The piece was cut off: continue after the last piece that Berth acknowledged", {
    code: "BLOB_UPLOAD_INVALID",
  });
