import { resolve } from "node:path";
import type { ProjectFile } from "../project/config.ts";
import { importExport, readModuleExport } from "../project/module-export.ts";
import { ProjectError } from "../project/project-error.ts";
import { isRecord } from "../project/record.ts";
import { readDeclaredSecurity } from "./declared-security.ts";
import { type AuthHandlers, ProjectAuth } from "./project-auth.ts";

/**
 * The `auth` of a project, of whichever copy of the SDK; undefined where it has none.
 * @throws ProjectError
 */
export async function loadAuth({ file, dir, config }: ProjectFile): Promise<ProjectAuth | undefined> {
  const { auth } = config;
  if (auth === undefined || auth === null) return undefined;
  const where = `${file}: auth.path`;
  // One that cannot be read must not leave the door open.
  if (!isRecord(auth) || typeof auth.path !== "string")
    throw new ProjectError(`${where}: must be "./file.ts:export"`);
  const named = readModuleExport(auth.path, (path) => resolve(dir, path));
  if (!named)
    throw new ProjectError(`${where}: must be "./file.ts:export", not ${JSON.stringify(auth.path)}`);
  const { exported } = await importExport(where, named);
  const handlers = isRecord(exported) ? exported["~handlerCache"] : undefined;
  if (!isHandlers(handlers))
    throw new ProjectError(
      `${where}: the export "${named.exportName}" of ${named.path} is no Auth with authenticate`,
    );
  const declared = readDeclaredSecurity(`${file}: auth.openapi`, auth.openapi);
  return new ProjectAuth(handlers, auth.disable_studio_auth === true, declared);
}

function isHandlers(value: unknown): value is AuthHandlers {
  return isRecord(value) && typeof value.authenticate === "function";
}
