import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  writeSync,
} from "node:fs";
import { openCLibrary } from "../machine/index.ts";
import { BackupError, type SparseLayout } from "./manifest.ts";

/** Bytes in a unit of `Stats.blocks` (stat(2)). */
const BLOCK_BYTES = 512;
/** Holes below this size are stored as zeros, because each range takes room in the manifest. */
const MIN_HOLE_BYTES = 1 << 20;
/** Maximum number of ranges of a file; the manifest has them all, and is read into memory. */
const MAX_RANGES = 100_000;
const CHUNK_BYTES = 1 << 20;
/** `whence` of lseek(2): the next byte of data, and the next hole. */
const [SEEK_DATA, SEEK_HOLE] = process.platform === "darwin" ? [4, 3] : [3, 4];

/** lseek(2). */
export type Seek = (file: number, offset: bigint, whence: number) => bigint;

/** Returns `lseek`, which Bun's file API lacks; undefined where the C library cannot be loaded. */
export async function loadSeek(): Promise<Seek | undefined> {
  const lseek = { args: ["i32", "i64", "i32"], returns: "i64" } as const;
  return (await openCLibrary({ lseek }))?.lseek;
}

/**
 * Returns the layout of an open file; undefined for a file without large holes, which is stored as it is.
 * @throws BackupError it has too many holes
 */
export function sparseLayout(file: number, seek: Seek | undefined): SparseLayout | undefined {
  const about = fstatSync(file);
  if (seek === undefined || about.size - dataBytes(about) < MIN_HOLE_BYTES) return undefined;
  const data: [number, number][] = [];
  for (let end = 0; end < about.size; ) {
    const offset = Number(seek(file, BigInt(end), SEEK_DATA));
    // No more data (ENXIO), or a file system that does not know.
    if (offset < 0 || offset >= about.size) break;
    end = Math.min(Number(seek(file, BigInt(offset), SEEK_HOLE)), about.size);
    if (end <= offset) return undefined;
    const last = data.at(-1);
    if (last && offset - (last[0] + last[1]) < MIN_HOLE_BYTES) last[1] = end - last[0];
    else data.push([offset, end - offset]);
    if (data.length > MAX_RANGES) throw new BackupError(`it has more than ${MAX_RANGES} holes`);
  }
  return { bytes: about.size, data };
}

/** Returns how many bytes of a file are on the disk, at most its size. */
const dataBytes = ({ size, blocks }: Stats): number => Math.min(size, blocks * BLOCK_BYTES);

/** Number of bytes that a backup stores of a file with this layout. */
export const storedBytes = ({ data }: SparseLayout): number =>
  data.reduce((total, [, bytes]) => total + bytes, 0);

/** Makes a file that holds only the stored bytes what it was, with its holes. @throws BackupError */
export function expandSparse(path: string, layout: SparseLayout): void {
  assertLayout(path, layout);
  const draft = `${path}.${process.pid}.sparse`;
  const source = openSync(path, "r");
  const target = openSync(draft, "wx", 0o600);
  try {
    ftruncateSync(target, layout.bytes);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (const [offset, bytes] of layout.data)
      for (let done = 0; done < bytes; ) {
        const length = readSync(source, chunk, 0, Math.min(chunk.length, bytes - done), null);
        if (length === 0) throw new BackupError(`${path} is shorter than its manifest says`);
        for (let at = 0; at < length; ) at += writeSync(target, chunk, at, length - at, offset + done + at);
        done += length;
      }
  } finally {
    closeSync(source);
    closeSync(target);
  }
  renameSync(draft, path);
}

function assertLayout(path: string, { bytes, data }: SparseLayout): void {
  let end = 0;
  for (const [offset, length] of data) {
    if (!(offset >= end && length > 0)) throw new BackupError(`${path} has a layout that is none`);
    end = offset + length;
  }
  if (end > bytes) throw new BackupError(`${path} has a layout that is none`);
}
