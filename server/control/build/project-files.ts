import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pythonGraphFault } from "@berth/agent";
import { BuildFailed } from "./order.ts";
import { isMember, memberGlobs, PNPM_WORKSPACE } from "./workspaces.ts";

/** What a build must know of a project before it runs anything of it. */
export type ProjectFiles = {
  /** Absolute folder in which packages are installed, with the lock file found there; null: nothing to install. */
  install: { folder: string; lockFile: string | null } | null;
  /** Absolute folder of the configuration file. */
  configFolder: string;
  /** Whether packages may run their own programs while they are installed. */
  lifecycleScripts: boolean;
};

const MOST_BYTES = 2 ** 20;
const MANIFEST = "package.json";
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
  return {
    install: await installIn(root, configFolder),
    configFolder,
    lifecycleScripts: isRecord(config.berth) && config.berth.lifecycle_scripts === true,
  };
}

/** In the nearest folder with a package.json; where that is the member of a workspace, in the workspace's. */
async function installIn(root: string, configFolder: string): Promise<ProjectFiles["install"]> {
  const folders = upwards(relative(root, configFolder));
  for (const [at, own] of folders.entries()) {
    if ((await textInside(root, join(own, MANIFEST))) === undefined) continue;
    const folder = (await workspaceOf(root, own, folders.slice(at + 1))) ?? own;
    return { folder: join(root, folder), lockFile: await lockFileIn(root, folder) };
  }
  return null;
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

/** The text of a small plain file; undefined where there is none, and for a link in its place. */
async function textInside(root: string, path: string): Promise<string | undefined> {
  const handle = await openInside(root, path);
  if (!handle) return undefined;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return undefined;
    if (stat.size > MOST_BYTES) throw new BuildFailed(`${path} is larger than ${MOST_BYTES} bytes`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

async function isPlainFile(root: string, path: string): Promise<boolean> {
  const handle = await openInside(root, path);
  const stat = await handle?.stat();
  await handle?.close();
  return stat?.isFile() ?? false;
}

// Read with Berth's own rights, so by its real path only: a link could lead anywhere.
async function openInside(root: string, path: string) {
  const wanted = join(await realpath(root), path);
  const real = await realpath(wanted).catch(() => undefined);
  if (real !== wanted) return undefined;
  return open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
}

function parse(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BuildFailed(`${path} is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isRecord(value)) throw new BuildFailed(`${path} must be a JSON object`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
