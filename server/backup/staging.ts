import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { copyDatabaseFile, inspectDatabaseFile } from "@berth/store";
import type { BackupRoom } from "./backup-room.ts";
import type { ForeignCopies, Owner } from "./foreign-copies.ts";
import {
  type BackedFile,
  type BackedFolder,
  type BackedLink,
  BackupError,
  type LeftOutFile,
  MAX_LEFT_OUT,
  type Owned,
  type SparseLayout,
} from "./manifest.ts";
import { type Seek, sparseLayout, storedBytes } from "./sparse-file.ts";

const CHUNK_BYTES = 1 << 20;
const DATABASE_HEAD = "SQLite format 3\0";
/** What can be had again, and is often more than all the rest. */
const CACHES = /^data\/deployments\/[^/]+\/home\/\.(?:bun|cache|npm)$/;
const BESIDE_DATABASES = /-(?:wal|shm|journal)$/;

type StagingOptions = {
  foreign: ForeignCopies;
  room: BackupRoom;
  /** Finds the holes of files; without it, they are stored as zeros. */
  seek: Seek | undefined;
};

/**
 * A backup while it is made: a folder that things are copied into, and what is known of them. Whatever agents have
 * written may change meanwhile, or be a link to something else: links are noted and never followed, and the file
 * that was opened is the one whose owner counts.
 */
export class Staging {
  files: BackedFile[] = [];
  folders: BackedFolder[] = [];
  links: BackedLink[] = [];
  /** What could not be taken along as it should, in a line each. */
  readonly notes: string[] = [];
  /** Databases beside the one that was copied, which are in no backup. */
  leftOut: readonly string[] = [];
  /** Files that could not be copied; further ones are only counted. */
  readonly leftOutFiles: LeftOutFile[] = [];
  leftOutCount = 0;

  constructor(
    readonly folder: string,
    private readonly options: StagingOptions,
  ) {}

  /** Copies a database as it is at one moment, and reads the copy through. @throws BackupError */
  database(from: string, path: string): void {
    const to = this.#place(path);
    copyDatabaseFile(from, to);
    this.#add({ path, ...ownedBy(lstatSync(from)), ...digestOf(to), rows: rowsOf(to, from) });
  }

  /** Has the dump of a database written, and notes what is in it. */
  async made(
    path: string,
    rows: Record<string, number>,
    write: (to: string) => Promise<void>,
  ): Promise<void> {
    const to = this.#place(path);
    await write(to);
    chmodSync(to, 0o600);
    this.#add({ path, ...ownedBy(lstatSync(to)), ...digestOf(to), rows });
  }

  /** Copies a file that the backup is worth little without. @throws Error it cannot be copied */
  requiredFile(from: string, path: string): void {
    const copied = this.#copied(from, path);
    if (!copied) throw new BackupError(`${from} is gone`);
    this.#add(copied);
  }

  /** Copies a file, unless it is gone. A file that cannot be read or does not fit is left out and reported. */
  file(from: string, path: string): void {
    try {
      const copied = this.#copied(from, path);
      if (copied) this.#add(copied);
    } catch (error) {
      rmSync(join(this.folder, path), { force: true });
      this.#leaveOut(path, reasonOf(error));
    }
  }

  /**
   * Copies a folder with all that is in it.
   * @param owner of what an agent works in: databases there are copied as they are at one moment, in the owner's
   * name; null for what nobody changes
   */
  tree(from: string, path: string, owner: Owner | null): void {
    const about = lstatSync(from, { throwIfNoEntry: false });
    if (!about?.isDirectory()) return;
    this.folders.push({ path, ...ownedBy(about) });
    mkdirSync(join(this.folder, path), { recursive: true, mode: 0o700 });
    for (const name of this.#namesIn(from, path)) this.#entry(join(from, name), `${path}/${name}`, owner);
  }

  /** Ends the reservation for Berth's own database. */
  releaseRoom(): void {
    this.options.room.release();
  }

  /** Takes something out again that turned out to belong to nothing. */
  drop(path: string): void {
    rmSync(join(this.folder, path), { recursive: true, force: true });
    const isKept = (one: { path: string }) => one.path !== path && !one.path.startsWith(`${path}/`);
    this.files = this.files.filter(isKept);
    this.folders = this.folders.filter(isKept);
    this.links = this.links.filter(isKept);
  }

  #add(file: BackedFile): void {
    this.files.push(file);
    this.options.room.add(file.bytes);
  }

  #leaveOut(path: string, reason: string): void {
    this.leftOutCount += 1;
    if (this.leftOutFiles.length < MAX_LEFT_OUT) this.leftOutFiles.push({ path, reason });
  }

  #namesIn(folder: string, path: string): string[] {
    try {
      return readdirSync(folder).sort();
    } catch (error) {
      if (existsSync(folder)) this.#leaveOut(path, reasonOf(error));
      return [];
    }
  }

  #entry(from: string, path: string, owner: Owner | null): void {
    const about = lstatSync(from, { throwIfNoEntry: false });
    if (about === undefined || CACHES.test(path)) return;
    if (about.isSymbolicLink()) this.#link(from, path, about);
    else if (about.isDirectory()) this.tree(from, path, owner);
    else if (!about.isFile()) return;
    else if (owner === null) this.file(from, path);
    else this.#found(from, path, owner);
  }

  #found(from: string, path: string, owner: Owner): void {
    const base = from.replace(BESIDE_DATABASES, "");
    // What is in those comes along with their database.
    if (base !== from && isDatabase(base)) return;
    if (isDatabase(from)) this.#foreignDatabase(from, path, owner);
    else this.file(from, path);
  }

  #link(from: string, path: string, { uid, gid }: Stats): void {
    try {
      this.links.push({ path, target: readlinkSync(from), uid, gid });
    } catch {
      // It is gone, or something else by now.
    }
  }

  /** A database that an agent keeps: one that is not to be read as such is copied byte by byte. */
  #foreignDatabase(from: string, path: string, owner: Owner): void {
    try {
      const { mode } = ownedBy(lstatSync(from));
      const copy = this.options.foreign.copy(from, owner);
      const copied = this.#copied(copy, path);
      this.options.foreign.remove(copy);
      if (!copied) throw new Error("it is gone");
      this.#add({ ...copied, mode, rows: rowsOf(join(this.folder, path), from) });
    } catch (error) {
      // With its deployment, a moment ago.
      if (!existsSync(from)) return;
      rmSync(join(this.folder, path), { force: true });
      const before = this.leftOutCount;
      this.file(from, path);
      if (this.leftOutCount === before && this.notes.length < MAX_LEFT_OUT)
        this.notes.push(`${path} was copied byte by byte: ${reasonOf(error)}`);
    }
  }

  /** What was opened is what is copied, and whose owner counts. */
  #copied(from: string, path: string): BackedFile | undefined {
    const source = openPlain(from);
    if (source === undefined) return undefined;
    try {
      const about = fstatSync(source);
      const sparse = sparseLayout(source, this.options.seek);
      const shortage = this.options.room.shortage(sparse ? storedBytes(sparse) : about.size);
      if (shortage !== undefined) throw new BackupError(shortage);
      // No more than the file had when it was opened, because it may grow faster than it is copied.
      const layout = sparse ?? { bytes: about.size, data: [[0, about.size]] };
      const digest = copy(source, layout, this.#place(path));
      if (sparse && digest.bytes !== storedBytes(sparse))
        throw new BackupError("it became shorter while it was copied");
      return { path, ...ownedBy(about), ...digest, ...(sparse && { sparse }) };
    } finally {
      closeSync(source);
    }
  }

  #place(path: string): string {
    const to = join(this.folder, path);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    return to;
  }
}

/** Of a database that was copied. @throws BackupError it is damaged */
function rowsOf(copy: string, from: string): Record<string, number> {
  const { faults, rows } = inspectDatabaseFile(copy);
  if (faults.length > 0) throw new BackupError(`${from} is damaged: ${faults[0]}`);
  return rows;
}

const ownedBy = ({ mode, uid, gid }: Stats): Owned => ({ mode: mode & 0o7777, uid, gid });

/** A file that is there, and no link or pipe; undefined for everything else. */
function openPlain(path: string): number | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "ELOOP" && code !== "ENXIO") throw error;
  }
  return undefined;
}

function isDatabase(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openPlain(path);
  if (file === undefined) return false;
  try {
    const head = Buffer.alloc(DATABASE_HEAD.length);
    readSync(file, head, 0, head.length, 0);
    return head.toString("latin1") === DATABASE_HEAD;
  } finally {
    closeSync(file);
  }
}

type Digest = Pick<BackedFile, "bytes" | "sha256">;

/** Copies the data of a file without its holes. */
function copy(source: number, { data }: SparseLayout, to: string): Digest {
  const target = openSync(to, "wx", 0o600);
  try {
    const digest = new FileDigest();
    for (const [offset, bytes] of data)
      for (const part of readRange(source, offset, bytes)) {
        digest.add(part);
        for (let at = 0; at < part.length; ) at += writeSync(target, part, at);
      }
    fsyncSync(target);
    return digest.end();
  } finally {
    closeSync(target);
  }
}

/** Size and SHA-256 of a file. */
export function digestOf(path: string): Digest {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const digest = new FileDigest();
    for (const part of readRange(file, 0, Number.POSITIVE_INFINITY)) digest.add(part);
    return digest.end();
  } finally {
    closeSync(file);
  }
}

class FileDigest {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  add(part: Buffer): void {
    this.#hash.update(part);
    this.#bytes += part.length;
  }

  end(): Digest {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}

/** Yields the bytes of a range up to the end of the file; each part is valid until the next one. */
function* readRange(file: number, offset: number, bytes: number): Generator<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let done = 0; done < bytes; ) {
    const length = readSync(file, chunk, 0, Math.min(chunk.length, bytes - done), offset + done);
    if (length === 0) return;
    yield chunk.subarray(0, length);
    done += length;
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
