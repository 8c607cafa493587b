import { join, relative } from "node:path";
import { BuildFailed } from "./order.ts";
import { textInside } from "./source-files.ts";
import { pathInSource } from "./source-paths.ts";

/** What a build must know of the Python of a project before it runs anything of it. */
export type PythonSource = {
  /** Absolute folder of the configuration file: the virtual environment is laid there. */
  folder: string;
  /** `3.12`, where the project asks for one. */
  version: string | null;
  /** What `pip install` is told, one call after the other. */
  installs: string[][];
  /** The texts that say which packages there are; others need another installation. */
  texts: string[];
  /** A `uv.lock`, from the root, and the absolute folder that it is in. */
  lockFile: string | null;
  lockFolder: string;
  /** Absolute path of the project's own settings of pip. */
  pipConfig: string | undefined;
};

type Config = Record<string, unknown>;
type Found = Pick<PythonSource, "installs" | "texts" | "lockFile" | "lockFolder">;

const LOCK_FILE = "uv.lock";

/**
 * Reads how the packages of a Python project are installed: `dependencies` of its configuration file names folders
 * (with `requirements.txt`, `pyproject.toml` or `setup.py`) and packages.
 * @param root of the source, which nobody changes meanwhile
 * @throws BuildFailed
 */
export async function readPythonSource(root: string, folder: string, config: Config): Promise<PythonSource> {
  const named = Array.isArray(config.dependencies) ? config.dependencies.map(String) : ["."];
  const own = relative(root, folder);
  const found: Found = { installs: [], texts: [], lockFile: null, lockFolder: root };
  for (const one of named.filter((name) => !isLocal(name))) found.installs.push([one]);
  for (const one of named.filter(isLocal))
    await readFolder(root, pathInSource(own, one, "dependencies"), found);
  const { python_version: version, pip_config_file: pip } = config;
  return {
    ...found,
    folder,
    version: typeof version === "string" && /^3\.\d+$/.test(version) ? version : null,
    pipConfig: typeof pip === "string" ? join(root, pathInSource(own, pip, "pip_config_file")) : undefined,
  };
}

const isLocal = (name: string): boolean => /^\.{1,2}(?:\/|$)/.test(name);

async function readFolder(root: string, folder: string, found: Found): Promise<void> {
  const read = (name: string) => textInside(root, join(folder, name));
  const [lock, requirements, manifest, setup] = [
    await read(LOCK_FILE),
    await read("requirements.txt"),
    await read("pyproject.toml"),
    await read("setup.py"),
  ];
  for (const text of [lock, requirements, manifest, setup]) if (text !== undefined) found.texts.push(text);
  if (lock !== undefined)
    Object.assign(found, { lockFile: join(folder, LOCK_FILE), lockFolder: join(root, folder) });
  if (requirements !== undefined) found.installs.push(["-r", join(root, folder, "requirements.txt")]);
  const listed =
    manifest === undefined ? undefined : dependenciesOf(join(folder, "pyproject.toml"), manifest);
  if (listed && listed.length > 0) found.installs.push(listed);
  if (listed !== undefined || (manifest === undefined && setup === undefined)) return;
  // Only the package itself knows what it needs, so its code is part of what is installed.
  found.installs.push([join(root, folder)]);
  found.texts.push(Bun.randomUUIDv7());
}

/** What `[project]` of a `pyproject.toml` depends on; undefined where something else says it. @throws BuildFailed */
function dependenciesOf(path: string, text: string): string[] | undefined {
  let parsed: Config;
  try {
    parsed = Bun.TOML.parse(text) as Config;
  } catch (error) {
    throw new BuildFailed(`${path} is not valid TOML: ${error instanceof Error ? error.message : error}`);
  }
  const project = parsed.project as Config | undefined;
  if (project === undefined) return parsed.tool === undefined || !("build-system" in parsed) ? [] : undefined;
  const dynamic = Array.isArray(project.dynamic) ? project.dynamic : [];
  if (dynamic.includes("dependencies")) return undefined;
  return Array.isArray(project.dependencies) ? project.dependencies.map(String) : [];
}
