import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BuildFailed } from "./order.ts";

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
  const configFolder = dirname(join(root, configPath));
  return {
    install: await installIn(root, configFolder),
    configFolder,
    lifecycleScripts: isRecord(config.berth) && config.berth.lifecycle_scripts === true,
  };
}

/** At the root for workspaces, else beside the configuration file, else wherever there is one at the root. */
async function installIn(root: string, configFolder: string): Promise<ProjectFiles["install"]> {
  const rootText = await textInside(root, "package.json");
  const isWorkspace = rootText !== undefined && parse("package.json", rootText).workspaces !== undefined;
  const below = configFolder === root ? "" : `${configFolder.slice(root.length + 1)}/`;
  const ownText = await textInside(root, `${below}package.json`);
  if (rootText === undefined && ownText === undefined) return null;
  const folder = ownText === undefined || isWorkspace ? root : configFolder;
  const prefix = folder === root ? "" : below;
  for (const name of LOCK_FILES)
    if (await isPlainFile(root, `${prefix}${name}`)) return { folder, lockFile: name };
  return { folder, lockFile: null };
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
