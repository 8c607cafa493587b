import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

/** What this process is removing right now. */
const busy = new Set<string>();

/**
 * Removes folders that a project has filled, and may be at work in. Each folder inside is moved out to ours first, where
 * nobody puts a link in its place, and is removed there. Bun's own `rm` opens all that is above a folder for each one
 * that lies deep: some thousand folders, one in the other, keep it busy for minutes, and all of Berth where it is `rmSync`.
 */
export class Trash {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, "trash");
  }

  /** Removes a file or a folder, if it is there: it is gone from its place at once, and from the disk in the end. */
  async remove(path: string): Promise<void> {
    const own = join(this.#folder, randomUUID());
    busy.add(own);
    try {
      await mkdir(own, { recursive: true, mode: 0o700 });
      await removeIn(own, path);
      await rmdir(own);
    } catch (error) {
      await rmdir(own).catch(() => undefined);
      // On another disk it cannot be moved here.
      if (!is(error, "EXDEV")) throw error;
      await rm(path, { recursive: true, force: true });
    } finally {
      busy.delete(own);
    }
  }

  /**
   * Removes what earlier removals left that a crash cut short, or that failed.
   * @throws AggregateError some of it does not go; all else did
   */
  async empty(): Promise<void> {
    const errors: unknown[] = [];
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name);
      if (!busy.has(path)) await this.remove(path).catch((error) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, `${this.#folder} cannot be emptied`);
  }
}

async function removeIn(own: string, path: string): Promise<void> {
  const waiting: string[] = [];
  const take = async (from: string) => {
    const to = join(own, randomUUID());
    if (await moved(from, to)) waiting.push(to);
  };
  await take(path);
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if ((await lstat(each)).isDirectory()) {
      await chmod(each, 0o700);
      for (const entry of await readdir(each, { withFileTypes: true }))
        if (entry.isDirectory()) await take(join(each, entry.name));
    }
    await rm(each, { recursive: true, force: true });
  }
}

/** False when it is not there any more. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to).catch(async (error) => {
      // Who is not root moves no folder that is not to be written to.
      if (!is(error, "EACCES")) throw error;
      await chmod(from, 0o700);
      await rename(from, to);
    });
    return true;
  } catch (error) {
    if (is(error, "ENOENT")) return false;
    throw error;
  }
}

const is = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
