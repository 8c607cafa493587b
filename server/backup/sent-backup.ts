import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { Bucket, placeOf } from "../bucket/index.ts";
import type { BucketAccess } from "../settings/index.ts";
import { isArchive } from "./archive.ts";
import { type BackupOrder, type BackupResult, makeBackup } from "./backup.ts";
import { removeLeftOvers } from "./left-overs.ts";
import { BackupError } from "./manifest.ts";
import type { ArchiveElsewhere } from "./restore.ts";

const FOLDER = /^\.upload-(\d+)$/;

/**
 * Makes a backup and sends it to S3-like storage. It is made in the data folder, whole and read back, before its first
 * byte is sent: the storage has all of it, or nothing under its name.
 * @throws BackupError | BucketError
 */
export async function sendBackup(order: BackupOrder, access: BucketAccess): Promise<BackupResult> {
  const { bucket: name, key } = placeOf(order.to);
  if (!isArchive(key))
    throw new BackupError(`${order.to}: storage takes one file, whose name ends with .tar.gz`);
  const bucket = new Bucket(name, access);
  if ((await bucket.size(key)) !== undefined) throw new BackupError(`${order.to} is there already`);
  const { dataDir } = order.settings;
  removeLeftOvers(dataDir, FOLDER);
  const folder = join(dataDir, `.upload-${process.pid}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
    const made = await makeBackup({ ...order, to: join(folder, basename(key)) });
    await bucket.upload(made.path, key);
    return { ...made, path: order.to };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A backup in S3-like storage; it is unpacked as it comes. @throws BackupError it is not there | BucketError */
export async function archiveIn(address: string, access: BucketAccess): Promise<ArchiveElsewhere> {
  const { bucket: name, key } = placeOf(address);
  const bucket = new Bucket(name, access);
  if ((await bucket.size(key)) === undefined) throw new BackupError(`there is no ${address}`);
  return { name: address, open: () => bucket.read(key) };
}
