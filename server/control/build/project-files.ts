import { dirname, join, normalize, relative } from "node:path";
import { packageFiles, pythonParts } from "@berth/agent";
import { isMember, MANIFEST, memberGlobs, PNPM_WORKSPACE } from "../../sources/index.ts";
import { BuildFailed } from "./order.ts";
import { type PythonSource, readPythonSource } from "./python-source.ts";
import { isPlainFile, textInside } from "./source-files.ts";

/** What a build must know of a project before it runs anything of it. */
export type ProjectFiles = {
  /** Absolute folder in which packages are installed, with the lock file found there; null: nothing to install. */
  install: { folder: string; lockFile: string | null } | null;
  /** Absolute folder of the configuration file. */
  configFolder: string;
  /** Null where no graph of it is Python. */
  python: PythonSource | null;
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
  const configFolder = dirname(join(root, configPath));
  const hasPython = pythonParts(config).length > 0;
  const place = await installIn(root, configFolder);
  return {
    install:
      place === undefined
        ? null
        : { folder: join(root, place.folder), lockFile: await lockFileIn(root, place.folder) },
    configFolder,
    python: hasPython ? await readPythonSource(root, configFolder, config) : null,
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

/** A member of a workspace whose manifest names a file that is not there. */
type Unbuilt = {
  name: string;
  /** Relative to the source, as everything here. */
  folder: string;
  file: string;
};

type Member = { folder: string; manifest: Record<string, unknown> };
type Place = { root: string; workspace: string; start: string };

const MOST_MEMBERS = 1_000;
const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
/** What the runtime tries behind a path without an ending. */
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".json", "/index.js", "/index.ts"];

/**
 * The members that a package of the workspace needs, directly or through others, that have a build script and whose
 * entry files are missing; in the order in which they have to be built.
 */
async function unbuiltMembers({ root, workspace, start }: Place): Promise<Unbuilt[]> {
  const members = await membersOf(root, workspace);
  if (members.size === 0) return [];
  const own = parse(join(start, MANIFEST), (await textInside(root, join(start, MANIFEST))) ?? "{}");
  const found: Unbuilt[] = [];
  const seen = new Set<Member>();
  const visit = async (manifest: Record<string, unknown>): Promise<void> => {
    for (const name of dependenciesOf(manifest)) {
      const member = members.get(name);
      if (!member || seen.has(member) || member.folder === start) continue;
      seen.add(member);
      await visit(member.manifest);
      const file = hasBuild(member.manifest) ? await missingFile(root, member) : undefined;
      if (file !== undefined) found.push({ name, folder: member.folder, file });
    }
  };
  await visit(own);
  return found;
}

/** The members by the names of their packages. */
async function membersOf(root: string, workspace: string): Promise<Map<string, Member>> {
  const text = await textInside(root, join(workspace, MANIFEST));
  const manifest = text === undefined ? undefined : parse(join(workspace, MANIFEST), text);
  const globs = memberGlobs(manifest, await textInside(root, join(workspace, PNPM_WORKSPACE)));
  const members = new Map<string, Member>();
  for (const glob of globs.filter((one) => !one.startsWith("!"))) {
    const pattern = `${glob.replace(/^(?:\.?\/)+|\/+$/g, "")}/${MANIFEST}`;
    for await (const path of new Bun.Glob(pattern).scan({ cwd: join(root, workspace), onlyFiles: true })) {
      if (members.size >= MOST_MEMBERS) return members;
      const below = path.slice(0, -MANIFEST.length - 1);
      if (/(?:^|\/)node_modules(?:\/|$)/.test(below) || !isMember(globs, below)) continue;
      const folder = join(workspace, below);
      const own = await textInside(root, join(folder, MANIFEST));
      if (own === undefined) continue;
      const parsed = parse(join(folder, MANIFEST), own);
      if (typeof parsed.name === "string") members.set(parsed.name, { folder, manifest: parsed });
    }
  }
  return members;
}

const dependenciesOf = (manifest: Record<string, unknown>): string[] =>
  KINDS.flatMap((kind) => (isRecord(manifest[kind]) ? Object.keys(manifest[kind]) : []));

const hasBuild = ({ scripts }: Record<string, unknown>): boolean =>
  isRecord(scripts) && typeof scripts.build === "string";

async function missingFile(root: string, { folder, manifest }: Member): Promise<string | undefined> {
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

/** @throws BuildFailed it is no JSON object */
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
