import { closeSync, createReadStream, fsyncSync, openSync, readdirSync } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { create, extract, list } from "tar";
import { BackupError } from "./manifest.ts";

/** Packs what is in a folder into one file (tar.gz), which is on the disk when this resolves. */
export async function pack(folder: string, file: string): Promise<void> {
  await create({ cwd: folder, file, gzip: true, portable: true, mode: 0o600 }, readdirSync(folder).sort());
  const packed = openSync(file, "r+");
  try {
    fsyncSync(packed);
  } finally {
    closeSync(packed);
  }
}

/** Reads an archive from its first byte to its last: how many files are in it. @throws Error it is damaged */
export async function countPacked(file: string): Promise<number> {
  let files = 0;
  const reader = list({
    strict: true,
    onReadEntry: ({ type }) => {
      if (type === "File") files += 1;
    },
  });
  await pipeline(createReadStream(file), createGunzip(), reader);
  return files;
}

/** Unpacks an archive into an empty folder as its bytes come; `name` is for the error. @throws BackupError */
export async function unpack(bytes: Readable, name: string, folder: string): Promise<void> {
  const unpacking = extract({
    cwd: folder,
    strict: true,
    preserveOwner: false,
    // A backup holds nothing else: its links are in its manifest.
    filter: (_, entry) => "type" in entry && (entry.type === "File" || entry.type === "Directory"),
  });
  try {
    await pipeline(bytes, unpacking);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackupError(`${name} cannot be unpacked: ${reason}`);
  }
}

/** Whether a path names an archive rather than a folder. */
export const isArchive = (path: string): boolean => /\.(?:tar\.gz|tgz)$/i.test(path);
