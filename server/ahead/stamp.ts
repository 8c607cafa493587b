import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where the sources lie compiled, and what says of which state of them; below the repository. */
export const AHEAD = { folder: "node_modules/.berth-ahead", stamp: "stamp", main: "main.js" } as const;

const FOLDERS = ["store", "agent", "server"];

/**
 * The program as `bun run compile` left it; undefined where it did not, or where a source has changed since. Only for
 * the program itself: other modules are started by their own name.
 * @param root of the repository
 */
export function compiledAhead(root: string, module: string): string | undefined {
  const stamp = join(root, AHEAD.folder, AHEAD.stamp);
  if (module !== "server/main.ts" || !existsSync(stamp)) return undefined;
  return readFileSync(stamp, "utf8") === stampOf(root) ? join(root, AHEAD.folder, AHEAD.main) : undefined;
}

/** Changes when a source is written, added or removed, with what is installed, and with Bun. */
export function stampOf(root: string): string {
  const hash = createHash("sha256").update(`${root}\n${Bun.version}\n`);
  hash.update(readFileSync(join(root, "bun.lock")));
  for (const folder of FOLDERS) addFolder(hash, join(root, folder));
  return hash.digest("hex");
}

function addFolder(hash: ReturnType<typeof createHash>, folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") addFolder(hash, path);
    if (!entry.isFile()) continue;
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path}:${mtimeMs}:${size}\n`);
  }
}
