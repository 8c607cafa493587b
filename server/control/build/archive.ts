import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import { BadArchive, EntryNames, type NameLimits, shown } from "./entry-names.ts";

export type ArchiveLimits = NameLimits & {
  compressedBytes: number;
  unpackedBytes: number;
  /** Beyond `from` bytes, nothing may unpack to more than this many times its size. */
  ratio: { most: number; from: number };
};

export const ARCHIVE_LIMITS: ArchiveLimits = {
  compressedBytes: 200 * 2 ** 20,
  unpackedBytes: 2 ** 30,
  entries: 50_000,
  pathBytes: 1_024,
  depth: 64,
  ratio: { most: 200, from: 64 * 2 ** 20 },
};

/** Where the entries go, in the order of the archive; nothing here waits, so that entries stay in order. */
export type ArchiveSink = {
  folder(path: string): void;
  file(path: string, isExecutable: boolean): FileSink;
};
type FileSink = { write(bytes: Uint8Array): void; end(): void };

export type ArchiveContent = { files: number; bytes: number };

/** The first bytes of gzip. Any other compression is not known to the tools that deploy, so not to us. */
const GZIP = "1f8b";
/** The first bytes of what else people pack with, to be named. */
const OTHERS: [head: string, name: string][] = [
  ["28b52ffd", "zstd"],
  ["425a68", "bzip2"],
  ["fd377a585a00", "xz"],
  ["504b0304", "zip"],
  ["377abcaf271c", "7z"],
];
const HEAD_BYTES = 6;
const FILES = new Set(["File", "OldFile", "ContiguousFile"]);

/**
 * Reads a tar or tar.gz as a stream and hands every file to `sink`, of which it knows that it is a plain file
 * below the root. It stops at the first thing that it would not unpack.
 * @throws BadArchive
 */
export async function readArchive(
  file: string,
  sink: ArchiveSink,
  { signal, limits = ARCHIVE_LIMITS }: { signal?: AbortSignal; limits?: ArchiveLimits } = {},
): Promise<ArchiveContent> {
  const size = (await stat(file)).size;
  if (size > limits.compressedBytes)
    throw new BadArchive(`The archive is larger than ${limits.compressedBytes} bytes`);
  if (size === 0) throw new BadArchive("The archive is empty");
  const reading = new Reading(sink, limits);
  const head = await headOf(file);
  const isZipped = head.startsWith(GZIP);
  const other = OTHERS.find(([bytes]) => head.startsWith(bytes))?.[1];
  if (other !== undefined)
    throw new BadArchive(
      `The archive is packed with ${other}: send a tar or tar.gz (tar -czf project.tar.gz .)`,
    );
  const source = createReadStream(file, { highWaterMark: 65_536 });
  const read = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) reading.take(chunk, source.bytesRead);
  };
  const options = signal ? { signal } : {};
  try {
    if (isZipped) await pipeline(source, createGunzip(), read, options);
    else await pipeline(source, read, options);
    return reading.end();
  } catch (error) {
    throw asBadArchive(error);
  }
}

async function headOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("hex", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Errors of the unzipping that tell of the archive; all others stay what they are. */
function asBadArchive(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isCut = code === "Z_BUF_ERROR" || (error instanceof Error && /unexpected end/i.test(error.message));
  if (isCut) return new BadArchive("The archive is cut short: its end is missing");
  return /^Z_/.test(code) ? new BadArchive("The archive is damaged: it is not valid gzip") : error;
}

class Reading {
  readonly #sink: ArchiveSink;
  readonly #limits: ArchiveLimits;
  readonly #names: EntryNames;
  readonly #parser: Parser;
  #unpacked = 0;
  #files = 0;
  #bytes = 0;
  #atEnd = false;
  #fault: unknown;

  constructor(sink: ArchiveSink, limits: ArchiveLimits) {
    this.#sink = sink;
    this.#limits = limits;
    this.#names = new EntryNames(limits);
    // Inside the parser's own calls an error would leave it half way: it is kept, and thrown by `take`.
    const guarded =
      <T extends unknown[]>(work: (...given: T) => void) =>
      (...given: T) => {
        if (this.#fault) return;
        try {
          work(...given);
        } catch (error) {
          this.#fault = error;
        }
      };
    this.#parser = new Parser({
      zstd: false,
      onwarn: guarded((_code: string, message: string | Error) => {
        throw new BadArchive(faultOf(message));
      }),
      onReadEntry: guarded((entry: ReadEntry) => this.#enter(entry)),
    });
    this.#parser.on("ignoredEntry", guarded(refuse));
    this.#parser.on("eof", () => {
      this.#atEnd = true;
    });
    this.#parser.on(
      "meta",
      guarded((text: string) => {
        if (/\0(?!$)/.test(text))
          throw new BadArchive("Berth refuses the archive: a name in it contains a NUL");
      }),
    );
  }

  take(chunk: Uint8Array, compressed: number): void {
    const { unpackedBytes, entries, ratio } = this.#limits;
    this.#unpacked += chunk.length;
    // Each entry has a header, and its content is filled up to 512 bytes.
    if (this.#unpacked > unpackedBytes + entries * 2_048)
      throw new BadArchive(`The archive unpacks to more than ${unpackedBytes} bytes`);
    if (this.#unpacked > ratio.from && this.#unpacked > compressed * ratio.most)
      throw new BadArchive(`The archive unpacks to more than ${ratio.most} times its size`);
    // Behind the end the parser would only collect; tools fill an archive up with zeros there.
    if (!this.#atEnd) this.#parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (this.#fault) throw this.#fault;
  }

  end(): ArchiveContent {
    if (!this.#atEnd) this.#parser.end();
    if (this.#fault) throw this.#fault;
    if (this.#files === 0) throw new BadArchive("The archive holds no files");
    return { files: this.#files, bytes: this.#bytes };
  }

  #enter(entry: ReadEntry): void {
    const isFolder = entry.type === "Directory";
    if (!isFolder && !FILES.has(entry.type)) refuse(entry);
    const path = this.#names.take(entry.path, isFolder);
    if (isFolder || path === null) {
      if (!isFolder) throw new BadArchive(`The archive is refused: ${shown(entry.path)} has no name`);
      if (path !== null) this.#sink.folder(path);
      entry.resume();
      return;
    }
    this.#bytes += entry.size;
    if (this.#bytes > this.#limits.unpackedBytes)
      throw new BadArchive(`The archive unpacks to more than ${this.#limits.unpackedBytes} bytes`);
    this.#files += 1;
    this.#receive(entry, this.#sink.file(path, ((entry.mode ?? 0) & 0o111) !== 0));
  }

  #receive(entry: ReadEntry, file: FileSink): void {
    const keep = (work: () => void) => {
      try {
        work();
      } catch (error) {
        this.#fault ??= error;
      }
    };
    entry.on("data", (bytes) => keep(() => file.write(bytes)));
    entry.on("end", () => keep(() => file.end()));
  }
}

function refuse(entry: ReadEntry): never {
  const kind = /Link$/.test(entry.type) ? "a link" : `of the kind ${entry.type}`;
  throw new BadArchive(
    `The archive is refused: ${shown(entry.path)} is ${kind}; only files and folders are unpacked`,
  );
}

function faultOf(message: string | Error): string {
  const text = message instanceof Error ? message.message : message;
  if (/truncated/i.test(text)) return "The archive is cut short: its end is missing";
  if (/unrecognized/i.test(text)) return "The archive is neither a tar nor a tar.gz";
  if (/checksum/i.test(text)) return "The archive is damaged, or neither a tar nor a tar.gz";
  return `The archive is damaged: ${text.slice(0, 200)}`;
}
