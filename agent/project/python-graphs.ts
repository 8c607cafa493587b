import { isRecord } from "../record.ts";

const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/i;
/** `package.module`, as Python imports it. */
const MODULE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;

/**
 * Why a project with graphs in Python is not served, in one line; undefined where it has none.
 * @param graphs of the configuration file, whatever it holds
 */
export function pythonGraphFault(graphs: unknown): string | undefined {
  for (const [id, spec] of Object.entries(isRecord(graphs) ? graphs : {})) {
    const path = isRecord(spec) ? spec.path : spec;
    const module = typeof path === "string" ? path.replace(/:[^:/\\]*$/, "") : "";
    if (/\.pyi?$/i.test(module) || (MODULE.test(module) && !SCRIPT.test(module)))
      return `graphs.${id}: ${module} is Python: Python graphs are not supported yet, only TypeScript and JavaScript`;
  }
  return undefined;
}
