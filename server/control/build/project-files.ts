import { dirname, join, normalize, relative } from "node:path";
import { packageFiles, pythonParts } from "@berth/agent";
import { isMember, MANIFEST, PNPM_WORKSPACE } from "../../sources/index.ts";
import { refuseIndexMembers } from "./index-members.ts";
import {
  dependenciesIn,
  membersOf,
  type PackageManifest,
  readManifest,
  readWorkspace,
  refuseOutsidePaths,
  type SourcePackage,
  type WorkspaceMembers,
} from "./member-packages.ts";
import { BuildFailed } from "./order.ts";
import { type PythonSource, readPythonSource } from "./python-source.ts";
import { isPlainFile, textInside } from "./source-files.ts";
import { isRecord, parseJsonFile } from "./source-json.ts";
import { foldersUpwards } from "./source-paths.ts";

/** What a build must know of a project before it runs anything of it. */
export type ProjectFiles = {
  /** Absolute folder in which packages are installed, with the lock file found there; null: nothing to install. */
  install: { folder: string; lockFile: string | null } | null;
  /** Absolute folder of the configuration file. */
  configFolder: string;
  /** Null where no graph of it is Python. */
  python: PythonSource | null;
  /** WorkspaceMembers of its workspace that it needs and that are not built, each behind those that it needs itself. */
  unbuilt: Unbuilt[];
  /** Whether packages may run their own programs while they are installed. */
  lifecycleScripts: boolean;
};

/** In the order in which `bun install` prefers them. */
const LOCK_FILES = ["bun.lock", "bun.lockb", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"];

/**
 * Looks a project over.
 * @param root its folder, which nobody changes meanwhile
 * @param configPath of its configuration file below `root`
 * @throws BuildFailed
 */
export async function readProject(root: string, configPath: string): Promise<ProjectFiles> {
  const text = await textInside(root, configPath);
  if (text === undefined) throw new BuildFailed(`${configPath} is not in the source`);
  const config = parseJsonFile(configPath, text);
  const configFolder = dirname(join(root, configPath));
  const hasPython = pythonParts(config).length > 0;
  const place = await installIn(root, configFolder);
  const unbuilt = place ? await readPackages(root, place) : [];
  return {
    install:
      place === undefined
        ? null
        : { folder: join(root, place.folder), lockFile: await lockFileIn(root, place.folder) },
    configFolder,
    python: hasPython ? await readPythonSource(root, configFolder, config) : null,
    unbuilt,
    lifecycleScripts: isRecord(config.berth) && config.berth.lifecycle_scripts === true,
  };
}

/**
 * In the nearest folder with a package.json; where that is the member of a workspace, in the workspace's. Both are
 * relative to the root.
 */
async function installIn(
  root: string,
  configFolder: string,
): Promise<{ own: string; folder: string } | undefined> {
  const folders = foldersUpwards(relative(root, configFolder));
  for (const [at, own] of folders.entries()) {
    if ((await textInside(root, join(own, MANIFEST))) === undefined) continue;
    return { own, folder: (await workspaceOf(root, own, folders.slice(at + 1))) ?? own };
  }
  return undefined;
}

/**
 * Checks the packages of the source that are installed.
 * @returns the members to build
 * @throws BuildFailed
 */
async function readPackages(
  root: string,
  { own, folder }: { own: string; folder: string },
): Promise<Unbuilt[]> {
  const members = await membersOf(root, folder);
  const start = { folder: own, manifest: (await readManifest(root, own)) ?? {} };
  const top = { folder, manifest: (await readManifest(root, folder)) ?? {} };
  for (const one of [top, start, ...members.values()]) refuseOutsidePaths(one);
  await refuseIndexMembers(root, { top, members });
  return unbuiltMembers(root, start, members);
}

/** The nearest of the folders above that takes `member` into its workspace. */
async function workspaceOf(root: string, member: string, above: string[]): Promise<string | undefined> {
  for (const folder of above) {
    const { manifest, globs } = await readWorkspace(root, folder);
    if (!isMember(globs, relative(folder, member))) continue;
    if (manifest === undefined)
      throw new BuildFailed(
        `${join(folder, PNPM_WORKSPACE)} needs a package.json beside it, {"private": true} will do: Bun's package manager installs the workspace`,
      );
    return folder;
  }
  return undefined;
}

async function lockFileIn(root: string, folder: string): Promise<string | null> {
  for (const name of LOCK_FILES) if (await isPlainFile(root, join(folder, name))) return name;
  return null;
}

/** A member of a workspace whose manifest names a file that is not there. */
type Unbuilt = {
  name: string;
  /** Relative to the source, as everything here. */
  folder: string;
  file: string;
};

/** What the runtime tries behind a path without an ending. */
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".json", "/index.js", "/index.ts"];

/**
 * The members that a package of the workspace needs, directly or through others, that have a build script and whose
 * entry files are missing; in the order in which they have to be built.
 */
async function unbuiltMembers(
  root: string,
  start: SourcePackage,
  members: WorkspaceMembers,
): Promise<Unbuilt[]> {
  const found: Unbuilt[] = [];
  const seen = new Set<SourcePackage>();
  const visit = async (manifest: PackageManifest): Promise<void> => {
    for (const [name] of dependenciesIn(manifest)) {
      const member = members.get(name);
      if (!member || seen.has(member) || member.folder === start.folder) continue;
      seen.add(member);
      await visit(member.manifest);
      const file = hasBuild(member.manifest) ? await missingFile(root, member) : undefined;
      if (file !== undefined) found.push({ name, folder: member.folder, file });
    }
  };
  await visit(start.manifest);
  return found;
}

const hasBuild = ({ scripts }: PackageManifest): boolean =>
  isRecord(scripts) && typeof scripts.build === "string";

async function missingFile(root: string, { folder, manifest }: SourcePackage): Promise<string | undefined> {
  for (const named of packageFiles(manifest)) {
    const file = normalize(named);
    // What is not in the package is not made by building it.
    if (file.startsWith("..")) continue;
    const paths = ENDINGS.map((ending) => join(folder, file + ending));
    const there = await Promise.all(paths.map((path) => isPlainFile(root, path)));
    if (!there.includes(true)) return file;
  }
  return undefined;
}
