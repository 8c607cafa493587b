import { isRecord } from "../record.ts";

const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/i;
const FILE = /\.pyi?$/i;
/** `package.module`, as Python imports it. */
const MODULE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;

/** Where the Python module of a graph is. */
type PythonModule = {
  /** From the folder of the configuration file; of a module that is imported by name, where it most likely is. */
  file: string;
  /** `package.module`, where it is named so. */
  module?: string;
};

/** What a graph's `path` in a configuration file says, where it is Python: `./file.py:graph`, `package.module:graph`. */
export function pythonModuleOf(path: string): PythonModule | undefined {
  const module = path.replace(/:[^:/\\]*$/, "");
  if (FILE.test(module)) return { file: module };
  if (!MODULE.test(module) || SCRIPT.test(module)) return undefined;
  return { file: `${module.replaceAll(".", "/")}.py`, module };
}

/** What of a project is Python, by the keys of its configuration file, whatever that holds: `graphs.agent`, `auth.path` … */
export function pythonParts(config: unknown): string[] {
  if (!isRecord(config)) return [];
  const { graphs, auth, http, store } = config;
  const named = Object.entries(isRecord(graphs) ? graphs : {}).map(([id, spec]): [string, unknown] => [
    `graphs.${id}`,
    isRecord(spec) ? spec.path : spec,
  ]);
  const index = isRecord(store) ? store.index : undefined;
  named.push(["auth.path", isRecord(auth) ? auth.path : undefined]);
  named.push(["http.app", isRecord(http) ? http.app : undefined]);
  named.push(["store.index.embed", isRecord(index) ? index.embed : undefined]);
  return named.flatMap(([key, path]) => (typeof path === "string" && pythonModuleOf(path) ? [key] : []));
}
