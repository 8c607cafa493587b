import { statSync } from "node:fs";
import { Readable } from "node:stream";
import { S3Client } from "bun";
import { BUCKET_ADDRESS, type BucketAccess } from "../settings/index.ts";

/** Storage refuses something, or nobody can reach it; the message is one line that names it. */
export class BucketError extends Error {
  override name = "BucketError";
}

/** Where something is in S3-like storage: `s3://BUCKET/KEY`. */
type Place = { bucket: string; key: string };

/** S3 takes 10,000 parts of one object, each of at least 5 MiB but for the last. */
const MOST_PARTS = 9_000;
const LEAST_PART_BYTES = 16 << 20;
/** Parts that are on their way at once; so many are held in memory. */
const PARTS_AT_ONCE = 2;
const TRIES = 5;

/** Whether a place is in S3-like storage rather than a folder. */
export const isBucketAddress = (place: string): boolean => place.startsWith("s3://");

/** @throws BucketError it is no `s3://BUCKET/KEY` */
export function placeOf(address: string): Place {
  const [, bucket, key = ""] = BUCKET_ADDRESS.exec(address) ?? [];
  if (bucket === undefined) throw new BucketError(`${address} is no s3://BUCKET/KEY`);
  return { bucket, key };
}

/** A bucket of S3-like storage: objects are there whole, or not at all. */
export class Bucket {
  readonly #client: S3Client;

  /** @throws BucketError without a key */
  constructor(
    private readonly name: string,
    private readonly access: BucketAccess,
  ) {
    const { keyId, secret, region, endpoint } = access;
    if (keyId === null || secret === null)
      throw new BucketError("set S3_KEY_ID and S3_SECRET: storage takes nothing without a key");
    this.#client = new S3Client({
      ...{ bucket: name, accessKeyId: keyId, secretAccessKey: secret, region },
      endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    });
  }

  /** Sends a file in parts; afterwards the storage says that it has as many bytes. @throws BucketError */
  async upload(file: string, key: string): Promise<void> {
    const { size } = statSync(file);
    await this.#told(`sending ${key}`, async () => {
      const partSize = Math.max(LEAST_PART_BYTES, Math.ceil(size / MOST_PARTS));
      const object = this.#client.file(key, { type: "application/gzip" });
      const writer = object.writer({ partSize, queueSize: PARTS_AT_ONCE, retry: TRIES });
      for await (const chunk of Bun.file(file).stream()) {
        writer.write(chunk);
        await writer.flush();
      }
      await writer.end();
    });
    const stored = await this.size(key);
    if (stored !== size)
      throw new BucketError(`${this.address(key)} has ${stored ?? 0} bytes where ${size} were sent`);
  }

  /** The bytes of an object, as they come. */
  read(key: string): Readable {
    return Readable.from(this.#client.file(key).stream());
  }

  /** In bytes; undefined for an object that is not there. @throws BucketError */
  size(key: string): Promise<number | undefined> {
    return this.#told(`looking for ${key}`, async () => {
      // Not by HEAD: what is refused there has no reason. Of all names that begin so, the shortest comes first.
      const { contents = [] } = await this.#client.list({ prefix: key, maxKeys: 1 });
      return contents.find((one) => one.key === key)?.size;
    });
  }

  /** All objects below a prefix: the name behind it, the size, and when each was written. @throws BucketError */
  list(prefix: string): Promise<{ name: string; bytes: number; writtenAt: number }[]> {
    return this.#told("listing what is there", async () => {
      const found: { name: string; bytes: number; writtenAt: number }[] = [];
      let continuationToken: string | undefined;
      do {
        const page = await this.#client.list({ prefix, ...(continuationToken && { continuationToken }) });
        for (const { key, size, lastModified } of page.contents ?? []) {
          const writtenAt = Date.parse(lastModified ?? "") || 0;
          found.push({ name: key.slice(prefix.length), bytes: size ?? 0, writtenAt });
        }
        continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
      } while (continuationToken !== undefined);
      return found;
    });
  }

  /** @throws BucketError */
  remove(key: string): Promise<void> {
    return this.#told(`removing ${key}`, () => this.#client.delete(key));
  }

  address(key: string): string {
    return `s3://${this.name}/${key}`;
  }

  /** What the storage answers is said in a line that names it. */
  async #told<T>(what: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof BucketError) throw error;
      const where = this.access.endpoint ?? `region ${this.access.region}`;
      const reason = error instanceof Error ? error.message : String(error);
      const code = codeOf(error);
      throw new BucketError(`s3://${this.name} (${where}), ${what}: ${code ? `${code}: ` : ""}${reason}`);
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
