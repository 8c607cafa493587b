import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isMember, memberGlobs, PNPM_WORKSPACE } from "../../sources/index.ts";
import { isFields } from "./answer.ts";
import type { LocalProject } from "./project.ts";

/** What is packed. */
export type ArchiveRoot = {
  root: string;
  /** Absolute ones at or below the root. */
  folders: string[];
  /** The one among them that is a workspace, and the member of it because of which it is packed. */
  workspace: string | undefined;
  member: string | undefined;
};

/**
 * The folder that holds all that a project needs of this machine. Beside its own folder these are the local
 * ones among its dependencies, and the workspace that it or one of those is a member of: that is installed as a whole, by its
 * lock file.
 */
export function archiveRoot({ dir, config }: LocalProject): ArchiveRoot {
  const named = Array.isArray(config.dependencies) ? config.dependencies.filter(isLocalPath) : [];
  const own = [dir, ...named.map((path) => resolve(dir, path))].filter(isFolder);
  const folders = own.flatMap((folder) => [folder, ...packagePaths(folder).filter(isFolder)]);
  // Where the configuration lies beside the package that it names, that one is the member.
  const member = own.find((folder) => workspaceOf(folder) !== undefined);
  const workspace = member && workspaceOf(member);
  if (workspace !== undefined) folders.push(workspace);
  const root = folders.reduce(commonFolder);
  // A folder inside another one is packed with it.
  const outer = folders.filter((folder) => !folders.some((other) => isBelow(folder, other)));
  return { root, folders: [...new Set(outer)].sort(), workspace, member };
}

function isLocalPath(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(".");
}

/** The folders that a package.json names as dependencies. */
function packagePaths(dir: string): string[] {
  const manifest = manifestOf(dir);
  const specifiers = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
    Object.values(isFields(manifest?.[kind]) ? manifest[kind] : {}).filter(
      (value) => typeof value === "string",
    ),
  );
  const local = specifiers.flatMap((specifier) => /^(?:file|link):(.+)$/.exec(specifier)?.[1] ?? []);
  // A packed dependency (`file:./x.tgz`) is a file inside the project and comes along by itself.
  return local.map((path) => resolve(dir, path));
}

function manifestOf(dir: string) {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
    return isFields(manifest) ? manifest : undefined;
  } catch {
    // Without one, or with a broken one: the server says so with the reason.
    return undefined;
  }
}

/** The nearest folder above that takes this one into its workspace. */
function workspaceOf(dir: string): string | undefined {
  if (manifestOf(dir) === undefined) return undefined;
  for (let folder = dirname(dir); dirname(folder) !== folder; folder = dirname(folder)) {
    const pnpmFile = join(folder, PNPM_WORKSPACE);
    const pnpmText = existsSync(pnpmFile) ? readFileSync(pnpmFile, "utf8") : undefined;
    const member = inArchive({ root: folder }, dir);
    if (isMember(memberGlobs(manifestOf(folder), pnpmText), member)) return folder;
  }
  return undefined;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function isBelow(folder: string, other: string): boolean {
  return folder !== other && folder.startsWith(other.endsWith(sep) ? other : other + sep);
}

function commonFolder(a: string, b: string): string {
  let folder = a;
  while (folder !== b && !isBelow(b, folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** A path inside the archive. */
export function inArchive({ root }: Pick<ArchiveRoot, "root">, path: string): string {
  return relative(root, path).split(sep).join("/");
}
