import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where the sources lie compiled, below the repository: each state of them in a folder of its own. */
export const AHEAD = { folder: "node_modules/.berth-ahead", main: "main.js" } as const;
/** The module that is the program. */
export const PROGRAM = "server/main.ts";

const FOLDERS = ["store", "agent", "server"];
const STAMP_LENGTH = 20;

/**
 * The program as `bun run compile` left it; undefined where it did not, or where a source has changed since. Only for
 * the program itself: other modules are started by their own name.
 * @param root of the repository
 */
export function compiledAhead(root: string, module: string): string | undefined {
  if (module !== PROGRAM || !existsSync(join(root, AHEAD.folder))) return undefined;
  const path = join(root, AHEAD.folder, stampOf(root), AHEAD.main);
  return existsSync(path) ? path : undefined;
}

/** Changes when a source is written, added or removed, with what is installed, and with Bun. */
export function stampOf(root: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${root}\n${Bun.version}\n`);
  hash.update(readFileSync(join(root, "bun.lock")));
  for (const folder of FOLDERS) addFolder(hash, join(root, folder));
  return hash.digest("hex").slice(0, STAMP_LENGTH);
}

function addFolder(hash: Bun.CryptoHasher, folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") addFolder(hash, path);
    if (!entry.isFile()) continue;
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path}:${mtimeMs}:${size}\n`);
  }
}
