import { realpath } from "node:fs/promises";
import { join, parse, relative } from "node:path";
import { BuildFailed } from "./order.ts";
import { readPythonPackage, uvWorkspaceOf } from "./python-package.ts";
import { Requirements } from "./python-requirements.ts";
import { isRecord } from "./source-json.ts";

/** What a Python project needs of this machine, by absolute paths. */
export type PythonFolders = {
  /** The uv workspace that it belongs to. */
  workspace: string | undefined;
  /** Folders and files that its packages, and those of the workspace, name by a path. */
  locals: string[];
};

/**
 * Finds what must be sent along with a Python project. A fault of its files is left to the build, which names it.
 * @param dir of the configuration file
 * @param named folders among its dependencies, absolute
 */
export async function pythonFolders(
  dir: string,
  named: readonly string[],
  config: Record<string, unknown>,
): Promise<PythonFolders> {
  const found: PythonFolders = { workspace: undefined, locals: [] };
  const source = isRecord(config.source) && config.source.kind === "uv" ? config.source : undefined;
  const root = typeof source?.root === "string" ? [join(dir, source.root)] : [];
  for (const folder of [...root, dir, ...named]) {
    const one = await foldersOf(folder).catch((error) => {
      if (error instanceof BuildFailed || isMissing(error)) return undefined;
      throw error;
    });
    found.workspace ??= one?.workspace;
    found.locals.push(...(one?.locals ?? []));
  }
  return found;
}

async function foldersOf(folder: string): Promise<PythonFolders> {
  // Files are read by their real paths, and named by the path that the caller knows.
  const real = await realpath(folder);
  const { root } = parse(real);
  const own = relative(root, real);
  const asNamed = (path: string) => join(folder, relative(own, path));
  const workspace = await uvWorkspaceOf(root, own);
  const manifest = await readPythonPackage(root, own);
  const needed = manifest && (await Requirements.of(root, manifest, workspace, false));
  return {
    workspace: workspace && asNamed(workspace.top.folder),
    locals: (needed?.locals ?? []).map(asNamed),
  };
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
