import { join } from "node:path";
import { ARCHIVE_LIMITS } from "./archive.ts";
import { BadArchive, EntryNames } from "./entry-names.ts";
import { type GitSession, git } from "./git-session.ts";
import { BuildFailed } from "./order.ts";

/** Another repository at one of its commits, in the place of a folder. */
export type Submodule = { path: string; commit: string };

/** What a commit holds that is more than files and folders. */
type TreeContent = { links: string[]; submodules: Submodule[]; largeFiles: string[] };

const LINK = "120000";
const SUBMODULE = "160000";
/** As many links as a warning names. */
const MOST_LINKS = 10;
/** What stands in a repository for a file that Git LFS keeps elsewhere is shorter than this. */
const POINTER_BYTES = 1_024;
const POINTER_LINES = ["^version https://git-lfs.github.com/spec/v1$", "^oid sha256:[0-9a-f]\\{64\\}$"];

/** Holds commits that make up one source against the same limits as an archive, before their files are written. */
export class TreeLimits {
  // Repositories with names that differ in case only are common enough, and git itself writes them.
  readonly #names = new EntryNames(ARCHIVE_LIMITS, (path) => path);
  #bytes = 0;

  /**
   * @param folder where the commit's files are to be, below the root of the source
   * @throws BuildFailed
   */
  async check(session: GitSession, commit: string, folder: string): Promise<TreeContent> {
    const content: TreeContent = { links: [], submodules: [], largeFiles: [] };
    const small = new Set<string>();
    const onLine = (line: string) => {
      const [, mode, id, size, path] = /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/.exec(line) ?? [];
      if (mode === undefined || id === undefined || path === undefined) return;
      this.#take(join(folder, path), mode, Number(size) || 0);
      if (Number(size) < POINTER_BYTES) small.add(path);
      // A link is not followed: it becomes a file with its target's name.
      if (mode === LINK && content.links.length < MOST_LINKS) content.links.push(join(folder, path));
      if (mode === SUBMODULE) content.submodules.push({ path, commit: id });
    };
    await git(session, ["ls-tree", "-r", "-l", "--full-tree", commit], { onLine }).catch((error) => {
      throw error instanceof BadArchive
        ? new BuildFailed(error.message.replace("The archive is", "The repository is"))
        : error;
    });
    const pointers = await pointersIn(session, commit);
    const found = pointers.filter((path) => small.has(path));
    return { ...content, largeFiles: found.map((path) => join(folder, path)) };
  }

  #take(path: string, mode: string, size: number): void {
    this.#names.take(path, mode === SUBMODULE);
    this.#bytes += size;
    if (this.#bytes > ARCHIVE_LIMITS.unpackedBytes)
      throw new BuildFailed(`The repository holds more than ${ARCHIVE_LIMITS.unpackedBytes} bytes of files`);
  }
}

/** Files that look like what Git LFS leaves in the place of a large one. */
async function pointersIn(session: GitSession, commit: string): Promise<string[]> {
  const paths: string[] = [];
  const wanted = POINTER_LINES.flatMap((line) => ["-e", line]);
  await git(session, ["grep", "-l", "-I", "--all-match", "--full-name", ...wanted, commit], {
    onLine: (line) => void paths.push(line.slice(commit.length + 1)),
    // 1: there is none.
    fine: [0, 1],
  });
  return paths;
}
