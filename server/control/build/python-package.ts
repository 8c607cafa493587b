import { join, relative } from "node:path";
import { isMember } from "../../sources/index.ts";
import { memberFolders, refusePatterns } from "./member-folders.ts";
import { BuildFailed } from "./order.ts";
import { textInside } from "./source-files.ts";
import { isRecord } from "./source-json.ts";
import { foldersUpwards, pathInSource } from "./source-paths.ts";

/** A folder with a `pyproject.toml`. */
export type PythonPackage = {
  /** Relative to the root of the source. */
  folder: string;
  /** Normalized, as an index compares names. */
  name: string | null;
  /** Undefined where only the package itself says what it needs. */
  dependencies: string[] | undefined;
  /** By extra. */
  optional: Record<string, unknown>;
  /** Where uv takes packages from, by their normalized names. */
  sources: Record<string, unknown>;
  /** Whether it is installed itself: it has a build system and uv is not told otherwise. */
  isPackage: boolean;
  /** What its build needs. */
  buildRequires: string[];
  /** Patterns of the members of its uv workspace; null where it has none. */
  workspace: { members: string[]; exclude: string[] } | null;
  text: string;
};

/** A uv workspace with its members by their normalized names; `top` is one of them where it has a name. */
export type UvWorkspace = { top: PythonPackage; members: ReadonlyMap<string, PythonPackage> };

export const PYPROJECT = "pyproject.toml";
/** Maximum size of a `pyproject.toml`: `Bun.TOML.parse` takes time that is quadratic in it, 0.3 s for so much. */
const MAX_TOML_BYTES = 131_072;

/**
 * Reads the `pyproject.toml` of a folder.
 * @throws BuildFailed it is not TOML
 */
export async function readPythonPackage(root: string, folder: string): Promise<PythonPackage | undefined> {
  const path = join(folder, PYPROJECT);
  const text = await textInside(root, path, MAX_TOML_BYTES);
  if (text === undefined) return undefined;
  const parsed = parseToml(path, text);
  const project = isRecord(parsed.project) ? parsed.project : undefined;
  const tool = isRecord(parsed.tool) ? parsed.tool : {};
  const uv = isRecord(tool.uv) ? tool.uv : {};
  const sources = Object.entries(isRecord(uv.sources) ? uv.sources : {});
  const workspace = isRecord(uv.workspace) ? uv.workspace : undefined;
  return {
    folder,
    name: typeof project?.name === "string" ? normalizedName(project.name) : null,
    dependencies: dependenciesOf(parsed, project),
    optional: isRecord(project?.["optional-dependencies"]) ? project["optional-dependencies"] : {},
    sources: Object.fromEntries(sources.map(([name, source]) => [normalizedName(name), source])),
    isPackage: uv.package === true || (uv.package !== false && "build-system" in parsed),
    buildRequires: isRecord(parsed["build-system"]) ? texts(parsed["build-system"].requires) : [],
    workspace: workspace ? { members: texts(workspace.members), exclude: texts(workspace.exclude) } : null,
    text,
  };
}

/** As PEP 503 says. */
export const normalizedName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, "-");

/**
 * Returns the uv workspace that a folder belongs to: the nearest one at or above it, where it lists the folder.
 * @throws BuildFailed
 */
export async function uvWorkspaceOf(root: string, folder: string): Promise<UvWorkspace | undefined> {
  for (const above of foldersUpwards(folder)) {
    const top = await readPythonPackage(root, above);
    if (!top?.workspace) continue;
    const globs = patternsOf(top, top.workspace);
    if (above !== folder && !isMember(globs, relative(above, folder))) return undefined;
    return { top, members: await membersOf(root, top, globs) };
  }
  return undefined;
}

function patternsOf(
  { folder }: PythonPackage,
  { members, exclude }: { members: string[]; exclude: string[] },
) {
  const globs = [...members, ...exclude.map((pattern) => `!${pattern}`)];
  refusePatterns(join(folder, PYPROJECT), globs);
  return globs;
}

async function membersOf(
  root: string,
  top: PythonPackage,
  globs: readonly string[],
): Promise<Map<string, PythonPackage>> {
  const members = new Map<string, PythonPackage>(top.name === null ? [] : [[top.name, top]]);
  const search = { root, workspace: top.folder, globs, file: PYPROJECT, installed: ".venv" };
  for (const below of await memberFolders(search)) {
    const member = await readPythonPackage(root, pathInSource(top.folder, below, PYPROJECT));
    if (member?.name) members.set(member.name, member);
  }
  return members;
}

/** What `[project]` depends on; undefined where something else says it. */
function dependenciesOf(parsed: Record<string, unknown>, project: Record<string, unknown> | undefined) {
  if (project === undefined) return parsed.tool === undefined || !("build-system" in parsed) ? [] : undefined;
  return texts(project.dynamic).includes("dependencies") ? undefined : texts(project.dependencies);
}

export const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function parseToml(path: string, text: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new BuildFailed(`${path} is not valid TOML: ${error instanceof Error ? error.message : error}`);
  }
}
