import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Header, Parser, type ReadEntry } from "tar";
import { PrepareFailed } from "../../build/index.ts";

/** What an archive may unpack to; engines have no limit of their own. */
const MOST_BYTES = 4 * 2 ** 30;
const MOST_ENTRIES = 20_000;
/** What says which image an archive holds; more than this it never needs. */
const INDEX_BYTES = 1_048_576;
const BLOCK = 512;
const GZIP = [0x1f, 0x8b];
/** A link belongs to the form that older engines write. */
const KINDS = new Set(["File", "OldFile", "ContiguousFile", "Directory", "SymbolicLink", "Link"]);

type Document = (value: unknown) => unknown;

/** Where names of images stand in the forms that `docker save` and `podman save` write. */
const INDEXES: Record<string, Document> = {
  "manifest.json": (images) =>
    Array.isArray(images) ? images.map((image: object) => ({ ...image, RepoTags: [] })) : images,
  "index.json": (index) =>
    isObject(index) && Array.isArray(index.manifests)
      ? {
          ...index,
          manifests: index.manifests.map((one) => (isObject(one) ? without(one, "annotations") : one)),
        }
      : index,
};
/** Names, and nothing but. */
const NAMES = "repositories";

/**
 * Writes an image's archive anew for the engine: unpacked, and without the names in it. With these an archive could
 * take the place of any image on this machine, another workspace's for instance.
 * @throws PrepareFailed
 */
export async function withoutNames(file: string, target: string, signal: AbortSignal): Promise<void> {
  const fd = openSync(target, "wx", 0o600);
  try {
    const writing = new Rewriting(fd);
    const source = createReadStream(file, { highWaterMark: 262_144 });
    const read = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) writing.take(chunk);
    };
    if (await isGzip(file)) await pipeline(source, createGunzip(), read, { signal });
    else await pipeline(source, read, { signal });
    writing.end();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw code.startsWith("Z_") ? refusal("it is damaged or cut short") : error;
  } finally {
    closeSync(fd);
  }
}

class Rewriting {
  readonly #fd: number;
  readonly #parser: Parser;
  #bytes = 0;
  #entries = 0;
  #hasIndex = false;
  #atEnd = false;
  #fault: unknown;

  constructor(fd: number) {
    this.#fd = fd;
    this.#parser = new Parser({
      zstd: false,
      onwarn: () => this.#guarded(() => this.#refuse("it is damaged, or no tar")),
      onReadEntry: (entry: ReadEntry) => this.#guarded(() => this.#enter(entry)),
    });
    this.#parser.on("ignoredEntry", ({ path }: ReadEntry) =>
      this.#guarded(() => this.#refuse(`${JSON.stringify(path)} is neither a file nor a folder`)),
    );
    this.#parser.on("eof", () => {
      this.#atEnd = true;
    });
  }

  take(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_BYTES) this.#refuse(`it unpacks to more than ${MOST_BYTES} bytes`);
    if (!this.#atEnd) this.#parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (this.#fault) throw this.#fault;
  }

  end(): void {
    if (!this.#atEnd) this.#parser.end();
    if (this.#fault) throw this.#fault;
    if (!this.#hasIndex) this.#refuse("it is not what `docker save` or `podman save` writes");
    this.#write(Buffer.alloc(2 * BLOCK));
  }

  #enter(entry: ReadEntry): void {
    this.#entries += 1;
    if (this.#entries > MOST_ENTRIES) this.#refuse(`it has more than ${MOST_ENTRIES} entries`);
    const parts = entry.path.split("/").filter((part) => part !== "" && part !== ".");
    const name = parts.join("/");
    if (parts.includes("..")) this.#refuse(`${JSON.stringify(name)} leads out of it`);
    const rewrite = INDEXES[name];
    if (!KINDS.has(entry.type)) this.#refuse(`${JSON.stringify(name)} is of the kind ${entry.type}`);
    if (name === NAMES) entry.resume();
    else if (rewrite !== undefined) this.#rewrite(entry, name, rewrite);
    else this.#copy(entry, name);
  }

  #copy(entry: ReadEntry, name: string): void {
    this.#header(entry, name, entry.size);
    entry.on("data", (bytes) => this.#guarded(() => this.#write(bytes)));
    entry.on("end", () => this.#guarded(() => this.#fill(entry.size)));
  }

  #rewrite(entry: ReadEntry, name: string, rewrite: Document): void {
    if (entry.type !== "File" || entry.size > INDEX_BYTES) this.#refuse(`${name} is no small file`);
    const parts: Uint8Array[] = [];
    entry.on("data", (bytes) => void parts.push(bytes));
    entry.on("end", () =>
      this.#guarded(() => {
        const content = Buffer.from(JSON.stringify(rewrite(this.#parsed(Buffer.concat(parts), name))));
        this.#header(entry, name, content.length);
        this.#write(content);
        this.#fill(content.length);
        this.#hasIndex = true;
      }),
    );
  }

  #parsed(bytes: Buffer, name: string): unknown {
    try {
      return JSON.parse(bytes.toString("utf8"));
    } catch {
      return this.#refuse(`${name} is not JSON`);
    }
  }

  #header({ type, linkpath }: ReadEntry, path: string, size: number): void {
    const kind = type === "OldFile" || type === "ContiguousFile" ? "File" : type;
    const header = new Header({ path, mode: 0o644, type: kind, size, mtime: new Date(0), uid: 0, gid: 0 });
    if (linkpath) header.linkpath = linkpath;
    const block = Buffer.alloc(BLOCK);
    if (header.encode(block)) this.#refuse(`the name ${JSON.stringify(path)} is too long`);
    this.#write(block);
  }

  #fill(size: number): void {
    if (size % BLOCK > 0) this.#write(Buffer.alloc(BLOCK - (size % BLOCK)));
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
  }

  #refuse(reason: string): never {
    throw refusal(reason);
  }

  /** Inside the parser's own calls an error would leave it half way: it is kept, and thrown by `take`. */
  #guarded(work: () => void): void {
    if (this.#fault) return;
    try {
      work();
    } catch (error) {
      this.#fault = error;
    }
  }
}

const refusal = (reason: string) => new PrepareFailed(`The image archive is refused: ${reason}`);

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
    return bytesRead === GZIP.length && GZIP.every((byte, at) => buffer[at] === byte);
  } finally {
    await handle.close();
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function without(value: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}
