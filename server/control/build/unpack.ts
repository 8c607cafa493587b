import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ArchiveContent, type ArchiveSink, readArchive } from "./archive.ts";

/**
 * Unpacks an archive into `folder`, which is there afterwards as a whole or not at all.
 * @throws BadArchive
 */
export async function unpackArchive(
  file: string,
  folder: string,
  signal: AbortSignal,
): Promise<ArchiveContent> {
  const fresh = `${folder}.part`;
  await rm(fresh, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true, mode: 0o700 });
  const writing = new FolderWriter(fresh);
  try {
    const content = await readArchive(file, writing, { signal });
    await rename(fresh, folder);
    return content;
  } catch (error) {
    writing.close();
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** What an archive says of its entries' modes is not taken over, but for whether a file can be executed. */
const MODE = { file: 0o644, executable: 0o755, folder: 0o755 };

class FolderWriter implements ArchiveSink {
  readonly #root: string;
  readonly #folders = new Set<string>();
  #open: number | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  folder(path: string): void {
    if (this.#folders.has(path)) return;
    mkdirSync(join(this.#root, path), { recursive: true, mode: MODE.folder });
    this.#folders.add(path);
  }

  file(path: string, isExecutable: boolean) {
    if (path.includes("/")) this.folder(dirname(path));
    // "wx": a file that is there already would be a way around the rules for names.
    const target = openSync(join(this.#root, path), "wx", isExecutable ? MODE.executable : MODE.file);
    this.#open = target;
    return {
      write: (bytes: Uint8Array) => {
        for (let at = 0; at < bytes.length; ) at += writeSync(target, bytes, at);
      },
      end: () => this.close(),
    };
  }

  /** Also where an archive ends in the middle of a file. */
  close(): void {
    if (this.#open !== undefined) closeSync(this.#open);
    this.#open = undefined;
  }
}
