import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isFields } from "./answer.ts";
import type { LocalProject } from "./project.ts";

/** What is packed: these folders, by their paths below `root`. */
export type ArchiveRoot = { root: string; folders: string[] };

/**
 * The folder that holds all that a project needs of this machine. Beside its own folder these are the local
 * ones among its dependencies; of a workspace, which is installed as a whole, it is the workspace.
 */
export function archiveRoot({ dir, config }: LocalProject): ArchiveRoot {
  const needed = packageNeeds(dir);
  const named = Array.isArray(config.dependencies) ? config.dependencies.filter(isLocalPath) : [];
  const folders = [dir, ...named.map((path) => resolve(dir, path)), ...needed.paths].filter(isFolder);
  const workspace = needed.workspace ? workspaceOf(dir) : undefined;
  if (workspace !== undefined) folders.push(workspace);
  const root = folders.reduce(commonFolder);
  // A folder inside another one is packed with it.
  const outer = folders.filter((folder) => !folders.some((other) => isBelow(folder, other)));
  return { root, folders: [...new Set(outer)].sort() };
}

function isLocalPath(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(".");
}

function packageNeeds(dir: string): { paths: string[]; workspace: boolean } {
  const manifest = manifestOf(dir);
  const specifiers = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
    Object.values(isFields(manifest?.[kind]) ? manifest[kind] : {}).filter(
      (value) => typeof value === "string",
    ),
  );
  const local = specifiers.flatMap((specifier) => /^(?:file|link):(.+)$/.exec(specifier)?.[1] ?? []);
  return {
    // A packed dependency (`file:./x.tgz`) is a file inside the project and comes along by itself.
    paths: local.map((path) => resolve(dir, path)),
    workspace: specifiers.some((specifier) => specifier.startsWith("workspace:")),
  };
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

function workspaceOf(dir: string): string | undefined {
  for (let folder = dir; dirname(folder) !== folder; folder = dirname(folder))
    if (manifestOf(folder)?.workspaces !== undefined) return folder;
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
export function inArchive({ root }: ArchiveRoot, path: string): string {
  return relative(root, path).split(sep).join("/");
}
