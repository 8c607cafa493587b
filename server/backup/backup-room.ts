import { statfsSync } from "node:fs";
import { sizeText } from "../data-folder/index.ts";
import { BackupError } from "./manifest.ts";

/** Free space (bytes) that a backup leaves on the disk; on small disks, one in `KEPT_SHARE` bytes. */
const KEPT_BYTES = 256 * 1_048_576;
const KEPT_SHARE = 50;

type RoomOptions = {
  /** On the disk that the backup is made on. */
  folder: string;
  /** How often the content is on the disk at once: the archive is made beside the files that it packs. */
  copies: 1 | 2;
  /** Size (bytes) of Berth's own database, which is copied after files of deployments. */
  reserved: number;
};

/** Returns why so many bytes do not fit on the disk of a folder; undefined when they do. */
export function shortageIn(folder: string, needed: number): string | undefined {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const kept = Math.min(KEPT_BYTES, (blocks * bsize) / KEPT_SHARE);
  const free = Math.max(0, bavail * bsize - kept);
  if (needed <= free) return undefined;
  return `a backup needs ${sizeText(needed)} for it, and ${sizeText(free)} are free in ${folder}`;
}

/** The space that a backup may take: a file that does not fit is left out, so that the disk never fills up. */
export class BackupRoom {
  readonly #folder: string;
  readonly #copies: number;
  #reserved: number;
  #stored = 0;

  /** @throws BackupError Berth's own database does not fit */
  constructor({ folder, copies, reserved }: RoomOptions) {
    this.#folder = folder;
    this.#copies = copies;
    this.#reserved = 0;
    const shortage = this.shortage(reserved);
    if (shortage !== undefined) throw new BackupError(`the database does not fit: ${shortage}`);
    this.#reserved = reserved;
  }

  /** Returns why so many more bytes do not fit; undefined when they do. */
  shortage(bytes: number): string | undefined {
    const needed = (bytes + this.#reserved) * this.#copies + this.#stored * (this.#copies - 1);
    return shortageIn(this.#folder, needed);
  }

  /** Counts bytes that the backup has stored. */
  add(bytes: number): void {
    this.#stored += bytes;
  }

  /** Ends the reservation for Berth's own database, which is stored. */
  release(): void {
    this.#reserved = 0;
  }
}
