import { join, relative } from "node:path";
import type { UvLock } from "../../sources/index.ts";
import { BuildFailed } from "./order.ts";
import {
  normalizedName,
  PYPROJECT,
  type PythonPackage,
  readPythonPackage,
  type UvWorkspace,
  uvWorkspaceOf,
} from "./python-package.ts";
import {
  type Needed,
  Requirements,
  refuseListedMembers,
  refuseOutside,
  requirementIn,
} from "./python-requirements.ts";
import { textInside } from "./source-files.ts";
import { isRecord } from "./source-json.ts";
import { pathInSource } from "./source-paths.ts";

/** What a build must know of the Python of a project before it runs anything of it. */
export type PythonSource = {
  /** Absolute folder of the configuration file: the virtual environment is laid there. */
  folder: string;
  /** `3.12`, where the project asks for one. */
  version: string | null;
  /** What `pip install` is told, one call after the other. */
  installs: string[][];
  /** Hash of the texts that say which packages there are: others need another installation. */
  digest: string;
  /** A `uv.lock`, with what is installed by it. */
  lock: UvLock | null;
  /** Why only the lock file can be followed; null where it need not be. */
  needsLock: string | null;
  /** Absolute path of the project's own settings of pip. */
  pipConfig: string | undefined;
};

type Config = Record<string, unknown>;

const LOCK_FILE = "uv.lock";

/**
 * Reads how the packages of a Python project are installed: `dependencies` of its configuration file names folders
 * (with `requirements.txt`, `pyproject.toml` or `setup.py`) and packages; `source` names a package of a uv workspace.
 * @param root of the source
 * @throws BuildFailed
 */
export async function readPythonSource(root: string, folder: string, config: Config): Promise<PythonSource> {
  const own = relative(root, folder);
  const reading = new Reading(root);
  const target = await uvTarget(root, own, config.source);
  if (target !== undefined) await reading.add(target, true);
  const named = Array.isArray(config.dependencies)
    ? config.dependencies.map(String)
    : target === undefined
      ? ["."]
      : [];
  for (const one of named.filter(isLocal)) await reading.add(pathInSource(own, one, "dependencies"), false);
  for (const one of named.filter((name) => !isLocal(name))) reading.addPackage(own, one);
  const { python_version: version, pip_config_file: pip } = config;
  const { installs, digest, lock, needsLock } = reading.end();
  return {
    folder,
    version: typeof version === "string" && /^3\.\d+$/.test(version) ? version : null,
    installs,
    digest,
    lock,
    needsLock,
    pipConfig: typeof pip === "string" ? join(root, pathInSource(own, pip, "pip_config_file")) : undefined,
  };
}

const isLocal = (name: string): boolean => /^\.{1,2}(?:\/|$)/.test(name);

/**
 * The folder of the package that `source` of a configuration file names: `{"kind": "uv", "root": …, "package": …}`.
 * Other kinds have no effect.
 */
async function uvTarget(root: string, own: string, source: unknown): Promise<string | undefined> {
  if (!isRecord(source) || source.kind !== "uv") return undefined;
  const folder = pathInSource(own, typeof source.root === "string" ? source.root : ".", "source.root");
  const top = await readPythonPackage(root, folder);
  if (!top) throw new BuildFailed(`source.root: there is no ${join(folder, PYPROJECT)}`);
  if (typeof source.package !== "string") return folder;
  const name = normalizedName(source.package);
  if (top.name === name) return folder;
  const member = (await uvWorkspaceOf(root, folder))?.members.get(name);
  if (!member)
    throw new BuildFailed(
      `source.package: "${source.package}" is no member of the uv workspace in ${join(folder, PYPROJECT)}`,
    );
  return member.folder;
}

/** Collects what is installed. */
class Reading {
  readonly #named: string[][] = [];
  readonly #calls: string[][] = [];
  readonly #workspaces: UvWorkspace[] = [];
  readonly #texts: string[] = [];
  #lock: UvLock | null = null;
  #needsLock: string | null = null;

  constructor(private readonly root: string) {}

  /** @param isWhole whether a package in the folder is installed itself, and not only what it needs */
  async add(folder: string, isWhole: boolean): Promise<void> {
    const workspace = await uvWorkspaceOf(this.root, folder);
    if (workspace) this.#workspaces.push(workspace);
    const manifest = await readPythonPackage(this.root, folder);
    const needed =
      manifest && (await Requirements.of(this.root, manifest, workspace, isWhole && manifest.isPackage));
    const requirements = await this.#read(join(folder, "requirements.txt"));
    const setup = await this.#read(join(folder, "setup.py"));
    this.#texts.push(...(needed?.texts ?? []));
    await this.#addLock(folder, { manifest, workspace, needed });
    this.#needsLock ??= needed?.needsLock ?? null;
    const list = join(folder, "requirements.txt");
    if (requirements !== undefined && workspace) await refuseListedMembers(this.root, list, workspace);
    const words = needed ? [...needed.requirements, ...this.#absolute(needed.locals)] : [];
    if (!needed && requirements === undefined && setup !== undefined) words.push(join(this.root, folder));
    const listed = requirements === undefined ? [] : ["-r", join(this.root, list)];
    // In one call, so that what the list needs finds the packages of the source; pip does not mix it with hashes.
    if (words.length > 0 && needed?.locals.length && !requirements?.includes("--hash"))
      this.#calls.push([...listed, ...words]);
    else this.#calls.push(listed, words);
    // The code of the source is part of what is installed.
    if (needed?.locals.length || (!needed && words.length > 0)) this.#texts.push(Bun.randomUUIDv7());
  }

  /** A package that the configuration file names itself. */
  addPackage(own: string, text: string): void {
    refuseOutside(own, text, "dependencies");
    const { name } = requirementIn(text);
    const member = this.#workspaces.map(({ members }) => members.get(name ?? "")).find(Boolean);
    if (member)
      throw new BuildFailed(
        `dependencies: "${text}" is a member of the uv workspace: name its folder, ./${relative(own, member.folder) || "."}`,
      );
    this.#named.push([text]);
  }

  end(): Pick<PythonSource, "installs" | "digest" | "lock" | "needsLock"> {
    const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(this.#texts)).digest("hex");
    const installs = [...this.#named, ...this.#calls].filter((words) => words.length > 0);
    return { installs, digest, lock: this.#lock, needsLock: this.#needsLock };
  }

  async #addLock(folder: string, { manifest, workspace, needed }: Read): Promise<void> {
    for (const place of workspace ? [workspace.top.folder, folder] : [folder]) {
      const file = join(place, LOCK_FILE);
      if ((await this.#read(file)) === undefined) continue;
      this.#lock = {
        file,
        folder: join(this.root, place),
        package: workspace ? (manifest?.name ?? null) : null,
        locals: this.#absolute(needed?.locals ?? []),
      };
      return;
    }
  }

  async #read(path: string): Promise<string | undefined> {
    const text = await textInside(this.root, path);
    if (text !== undefined) this.#texts.push(text);
    return text;
  }

  #absolute(locals: readonly string[]): string[] {
    return locals.map((path) => join(this.root, path));
  }
}

type Read = {
  manifest: PythonPackage | undefined;
  workspace: UvWorkspace | undefined;
  needed: Needed | undefined;
};
