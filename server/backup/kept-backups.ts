import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Bucket, isBucketAddress, placeOf } from "../bucket/index.ts";
import type { BackupSettings } from "../settings/index.ts";
import { removeLeftOvers } from "./left-overs.ts";

/** A backup that the schedule has made, by its name, and when it was whole. */
type KeptBackup = { name: string; bytes: number; writtenAt: number };

/** Where the backups of a schedule are kept. Whatever else lies there is nobody's to touch. */
export type KeptBackups = {
  /** The oldest first. */
  list(): Promise<KeptBackup[]>;
  /** What `berth backup` takes for one of this name. */
  address(name: string): string;
  remove(name: string): Promise<void>;
};

const NAME = /^berth-\d{8}-\d{6}\.tar\.gz$/;
const DRAFT = /^\.berth-\d{8}-\d{6}\.tar\.gz\.(\d+)\.partial$/;

/** @throws BackupError storage without a key, or an address that is none */
export function keptBackups({ place, bucket }: BackupSettings): KeptBackups {
  return isBucketAddress(place) ? inBucket(place, bucket) : inFolder(place);
}

function inFolder(folder: string): KeptBackups {
  return {
    async list() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      removeLeftOvers(folder, DRAFT);
      const names = readdirSync(folder).filter((name) => NAME.test(name));
      return names.sort().map((name) => {
        const { size, mtimeMs } = statSync(join(folder, name));
        return { name, bytes: size, writtenAt: mtimeMs };
      });
    },
    address: (name) => join(folder, name),
    async remove(name) {
      rmSync(join(folder, name), { force: true });
    },
  };
}

function inBucket(place: string, access: BackupSettings["bucket"]): KeptBackups {
  const { bucket: name, key } = placeOf(place);
  const bucket = new Bucket(name, access);
  const prefix = key === "" ? "" : `${key}/`;
  return {
    async list() {
      const found = await bucket.list(`${prefix}berth-`);
      const named = found.map((one) => ({ ...one, name: `berth-${one.name}` }));
      const kept = named.filter((one) => NAME.test(one.name));
      return kept.sort((one, other) => (one.name < other.name ? -1 : 1));
    },
    address: (file) => bucket.address(`${prefix}${file}`),
    remove: (file) => bucket.remove(`${prefix}${file}`),
  };
}

/** A moment in the name of a backup: `20261122-051458`. */
export const stamp = (now: Date): string =>
  now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
