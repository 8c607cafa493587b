import { dirname, join, relative } from "node:path";
import { pythonGraphFault } from "@berth/agent";
import { isMember, MANIFEST, memberGlobs, PNPM_WORKSPACE } from "../../sources/index.ts";
import { type Unbuilt, unbuiltMembers } from "./members.ts";
import { BuildFailed } from "./order.ts";
import { isPlainFile, isRecord, parse, textInside } from "./source-files.ts";

/** What a build must know of a project before it runs anything of it. */
export type ProjectFiles = {
  /** Absolute folder in which packages are installed, with the lock file found there; null: nothing to install. */
  install: { folder: string; lockFile: string | null } | null;
  /** Absolute folder of the configuration file. */
  configFolder: string;
  /** Members of its workspace that it needs and that are not built, each behind those that it needs itself. */
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
  const config = parse(configPath, text);
  const python = pythonGraphFault(config.graphs);
  if (python !== undefined) throw new BuildFailed(`${configPath}: ${python}`);
  const configFolder = dirname(join(root, configPath));
  const place = await installIn(root, configFolder);
  return {
    install:
      place === undefined
        ? null
        : { folder: join(root, place.folder), lockFile: await lockFileIn(root, place.folder) },
    configFolder,
    unbuilt: place ? await unbuiltMembers({ root, workspace: place.folder, start: place.own }) : [],
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
  const folders = upwards(relative(root, configFolder));
  for (const [at, own] of folders.entries()) {
    if ((await textInside(root, join(own, MANIFEST))) === undefined) continue;
    return { own, folder: (await workspaceOf(root, own, folders.slice(at + 1))) ?? own };
  }
  return undefined;
}

/** The nearest of the folders above that takes `member` into its workspace. */
async function workspaceOf(root: string, member: string, above: string[]): Promise<string | undefined> {
  for (const folder of above) {
    const text = await textInside(root, join(folder, MANIFEST));
    const manifest = text === undefined ? undefined : parse(join(folder, MANIFEST), text);
    const globs = memberGlobs(manifest, await textInside(root, join(folder, PNPM_WORKSPACE)));
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

/** `a/b` itself, `a`, and the root as an empty text. */
function upwards(path: string): string[] {
  const parts = path.split("/").filter(Boolean);
  return [...parts.keys(), parts.length].reverse().map((length) => parts.slice(0, length).join("/"));
}
