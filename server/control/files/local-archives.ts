import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Upload } from "@berth/store";

/** An archive that arrived: its name, and what is known of its bytes. */
export type KeptArchive = Pick<Upload, "id" | "bytes" | "sha256">;

/** Where uploaded archives are. */
export type Archives = {
  /** Where archives are written while they arrive, and read from. */
  readonly folder: string;
  /** Keeps a file of {@link folder} that is whole, under its name: whoever is told that it is here finds it again. */
  keep(id: string): Promise<void>;
  /** The path of an archive on this machine; undefined where nobody has it any more. */
  fileOf(archive: KeptArchive, signal?: AbortSignal): Promise<string | undefined>;
  /** Removes an archive for good; fine where there is none. */
  remove(id: string): Promise<void>;
  /** Removes what nobody needs on this machine any more. */
  tidy(now: number): Promise<void>;
};

/** How long a transfer may take: an upload's address is good for much less. */
const PART_MS = 3_600_000;

/** Archives in the data folder. */
export class LocalArchives implements Archives {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, "uploads");
  }

  async keep(id: string): Promise<void> {
    await rename(join(this.folder, `${id}.part`), join(this.folder, id));
    await settle(this.folder);
  }

  async fileOf({ id }: KeptArchive): Promise<string | undefined> {
    const file = join(this.folder, id);
    return existsSync(file) ? file : undefined;
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.folder, id), { force: true });
  }

  /** What a crash left of uploads that nobody finishes any more. */
  tidy(now: number): Promise<void> {
    return removeOld(this.folder, now, (name) => name.endsWith(".part"));
  }
}

/** Removes files that nobody has written for an hour. */
export async function removeOld(
  folder: string,
  now: number,
  isMeant: (name: string) => boolean,
): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter(isMeant)) {
    const path = join(folder, name);
    // Somebody else may tidy here, too.
    const found = await stat(path).catch(() => undefined);
    if (found && now - found.mtimeMs > PART_MS) await rm(path, { force: true });
  }
}

/** Has the names in a folder survive a power cut. */
async function settle(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const directory = await open(folder, "r");
  await directory.sync().finally(() => directory.close());
}
