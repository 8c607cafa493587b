import { resolve } from "node:path";
import type { FetchApp } from "../apps/index.ts";
import { importExport, readModuleExport } from "./module-export.ts";
import { ProjectError } from "./project-error.ts";

/** @throws ProjectError it is not named as `./file.ts:export`, cannot be imported, or is no app */
export async function importApp(where: string, dir: string, app: unknown): Promise<FetchApp> {
  const named = typeof app === "string" ? readModuleExport(app, (path) => resolve(dir, path)) : undefined;
  if (!named) throw new ProjectError(`${where}: must be "./file.ts:export", not ${JSON.stringify(app)}`);
  const { exported } = await importExport(where, named);
  if (isApp(exported)) return exported;
  throw new ProjectError(`${where}: the export "${named.exportName}" of ${named.path} has no fetch(request)`);
}

/** Elysia's is an instance of a class, Hono's a function on an object: only `fetch` counts. */
function isApp(value: unknown): value is FetchApp {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  return "fetch" in value && typeof value.fetch === "function";
}
