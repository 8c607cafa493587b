import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import about from "../package.json" with { type: "json" };

/** This Berth's version, as `/info` and `--version` tell it. */
export const VERSION: string = about.version;

/** The Bun that it is made for. */
export const BUN_VERSION: string = about.devDependencies.bun;

/** What `server/build.ts` writes into an executable. */
declare const BERTH_COMMIT: string | undefined;

let asked: string | null | undefined;

/**
 * The commit that this Berth is of, with `-dirty` behind it where files differ from it; null where nobody knows. An
 * executable carries it, sources ask git.
 */
export function commit(): string | null {
  if (typeof BERTH_COMMIT === "string") return BERTH_COMMIT === "" ? null : BERTH_COMMIT;
  if (asked === undefined) asked = commitOf(resolve(import.meta.dir, ".."));
  return asked;
}

/** The commit of a folder that is the root of a git repository; null without git, too. */
export function commitOf(root: string): string | null {
  // One somewhere above is of something else.
  if (!existsSync(join(root, ".git"))) return null;
  const words = ["git", "-C", root, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
  try {
    const { success, stdout } = Bun.spawnSync(words, { stdio: ["ignore", "pipe", "ignore"] });
    return (success && stdout.toString().trim()) || null;
  } catch {
    return null;
  }
}

/** Returns the version, followed by the commit where it is known; the first word is the version. */
export function versionWithCommit(): string {
  const of = commit();
  return of === null ? VERSION : `${VERSION} (commit ${of})`;
}
