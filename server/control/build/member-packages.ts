import { join } from "node:path";
import { MANIFEST, memberGlobs, memberMatcher, PNPM_WORKSPACE } from "../../sources/index.ts";
import { memberFolders, refusePatterns } from "./member-folders.ts";
import { BuildFailed } from "./order.ts";
import { textInside } from "./source-files.ts";
import { isRecord, parseJsonFile } from "./source-json.ts";
import { pathInSource } from "./source-paths.ts";

export type PackageManifest = Record<string, unknown>;

/** A package of the source; its folder is relative to the root. */
export type SourcePackage = { folder: string; manifest: PackageManifest };

export type WorkspaceMember = SourcePackage & {
  /** Whether the list that Bun reads has it: that of `package.json`, else that of `pnpm-workspace.yaml`. */
  isListed: boolean;
};

/** The members of a workspace by the names of their packages. */
export type WorkspaceMembers = ReadonlyMap<string, WorkspaceMember>;

/** A folder with a `package.json`, and the patterns of its members; none where it is no workspace. */
type Workspace = { manifest: PackageManifest | undefined; globs: string[]; listed: string[] };

/** The groups of packages that `bun install` installs. */
export const DEPENDENCY_KINDS = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
] as const;

/**
 * Reads which members a folder lists.
 * @throws BuildFailed a pattern could lead out of the source
 */
export async function readWorkspace(root: string, folder: string): Promise<Workspace> {
  const manifest = await readManifest(root, folder);
  const listed = memberGlobs(manifest, undefined);
  const pnpm = memberGlobs(undefined, await textInside(root, join(folder, PNPM_WORKSPACE)));
  refusePatterns(join(folder, MANIFEST), listed);
  refusePatterns(join(folder, PNPM_WORKSPACE), pnpm);
  return { manifest, globs: [...listed, ...pnpm], listed: listed.length > 0 ? listed : pnpm };
}

/** @throws BuildFailed it is no JSON object */
export async function readManifest(root: string, folder: string): Promise<PackageManifest | undefined> {
  const path = join(folder, MANIFEST);
  const text = await textInside(root, path);
  return text === undefined ? undefined : parseJsonFile(path, text);
}

/**
 * Returns the members of a workspace by the names of their packages.
 * @throws BuildFailed
 */
export async function membersOf(root: string, workspace: string): Promise<WorkspaceMembers> {
  const { globs, listed } = await readWorkspace(root, workspace);
  const isListed = memberMatcher(listed);
  const members = new Map<string, WorkspaceMember>();
  const search = { root, workspace, globs, file: MANIFEST, installed: "node_modules" };
  for (const below of await memberFolders(search)) {
    const folder = pathInSource(workspace, below, join(workspace, MANIFEST));
    const manifest = await readManifest(root, folder);
    if (typeof manifest?.name !== "string") continue;
    members.set(manifest.name, { folder, manifest, isListed: isListed(below) });
  }
  return members;
}

/** The packages that a manifest depends on, by name, with what it says of their version or origin. */
export function dependenciesIn(manifest: PackageManifest): [name: string, specifier: string][] {
  return DEPENDENCY_KINDS.flatMap((kind) =>
    isRecord(manifest[kind]) ? Object.entries(manifest[kind]) : [],
  ).filter((entry): entry is [string, string] => typeof entry[1] === "string");
}

/** `file:`, `link:` or `portal:` with a path, and a path alone. `user/repository` is none. */
const LOCAL_PATH = /^(?:(?:file|link|portal):(?:\/\/)?)?((?:~|\.{1,2})?\/.*|\.{1,2}$)|^(?:file|portal):(.+)$/;

/** Returns the path that a specifier names, or undefined where it names no folder or file. */
export function localPathIn(specifier: string): string | undefined {
  const [, path, bare] = LOCAL_PATH.exec(specifier.trim()) ?? [];
  return path ?? bare;
}

/**
 * Refuses packages and patches that a manifest names by a path that leads out of the source.
 * @throws BuildFailed
 */
export function refuseOutsidePaths({ folder, manifest }: SourcePackage): void {
  const { overrides, resolutions, catalog, catalogs, workspaces, patchedDependencies } = manifest;
  const versions = textsIn([
    ...dependenciesIn(manifest),
    overrides,
    resolutions,
    catalog,
    catalogs,
    workspaces,
  ]);
  const paths = versions.map(localPathIn).filter((path) => path !== undefined);
  for (const path of [...paths, ...textsIn(patchedDependencies)]) {
    const where = join(folder, MANIFEST);
    if (path.startsWith("~")) throw new BuildFailed(`${where}: ${path} is not in the source`);
    pathInSource(folder, path, where);
  }
}

/** Groups of versions are at most three levels deep: `workspaces`, `catalogs`, the name of a catalog. */
const MAX_GROUP_DEPTH = 4;

/** The texts in a value, however they are grouped. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > MAX_GROUP_DEPTH) return [];
  return Object.values(value).flatMap((one) => textsIn(one, depth + 1));
}
