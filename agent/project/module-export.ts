import { importFile } from "./langgraph-copy.ts";
import { explainMissing, MissingModule } from "./missing-module.ts";
import { ProjectError, reason } from "./project-error.ts";

/** A module of a project, and an export in it. */
type ModuleExport = { path: string; exportName: string };

/**
 * Reads `./file.ts:export`; without an export the default one is meant.
 * @param absolute makes an absolute path of the module's
 */
export function readModuleExport(text: string, absolute: (path: string) => string): ModuleExport | undefined {
  // The last colon: a Windows path has one of its own.
  const [, module, exportName] = /^(.+):([^:/\\]*)$/.exec(text) ?? [];
  return module === undefined ? undefined : { path: absolute(module), exportName: exportName || "default" };
}

/**
 * Imports what a configuration file names.
 * @param where how the error message names it: file and key
 * @throws ProjectError when the module or its export is missing, or throws
 */
export async function importExport(
  where: string,
  { path, exportName }: ModuleExport,
): Promise<{ exported: unknown }> {
  if (!(await Bun.file(path).exists())) throw new ProjectError(`${where}: ${path} does not exist`);
  const module: Record<string, unknown> = await importFile(path).catch((error) => {
    const what = `${where}: ${path} cannot be loaded`;
    const explained = explainMissing(error);
    if (explained) throw new MissingModule(what, explained, { cause: error });
    throw new ProjectError(`${what}: ${reason(error)}`, { cause: error });
  });
  if (!(exportName in module)) {
    throw new ProjectError(`${where}: ${path} has no export "${exportName}"`);
  }
  // In an object: a promise would be waited for here, and its failure is not ours to tell.
  return { exported: module[exportName] };
}
