import { resolve } from "node:path";
import { type AuthHandlers, type DeclaredSecurity, OwnAuth, type ProjectAuth } from "../auth.ts";
import { isRecord } from "../record.ts";
import type { ProjectFile } from "./config.ts";
import { importExport, readModuleExport } from "./module-export.ts";
import { ProjectError } from "./project-error.ts";

/**
 * The `auth` of a project, of whichever copy of the SDK; undefined where it has none.
 * @param python the handlers of one that is Python
 * @throws ProjectError
 */
export async function loadAuth(
  { file, dir, config }: ProjectFile,
  python?: AuthHandlers,
): Promise<ProjectAuth | undefined> {
  const { auth } = config;
  if (auth === undefined || auth === null) return undefined;
  const where = `${file}: auth.path`;
  // One that cannot be read must not leave the door open.
  if (!isRecord(auth) || typeof auth.path !== "string")
    throw new ProjectError(`${where}: must be "./file.ts:export"`);
  const named = readModuleExport(auth.path, (path) => resolve(dir, path));
  if (!named)
    throw new ProjectError(`${where}: must be "./file.ts:export", not ${JSON.stringify(auth.path)}`);
  const declared = readDeclaredSecurity(`${file}: auth.openapi`, auth.openapi);
  if (python) return new OwnAuth(python, auth.disable_studio_auth === true, declared);
  const { exported } = await importExport(where, named);
  const handlers = isRecord(exported) ? exported["~handlerCache"] : undefined;
  if (!isHandlers(handlers))
    throw new ProjectError(
      `${where}: the export "${named.exportName}" of ${named.path} is no Auth with authenticate`,
    );
  return new OwnAuth(handlers, auth.disable_studio_auth === true, declared);
}

function isHandlers(value: unknown): value is AuthHandlers {
  return isRecord(value) && typeof value.authenticate === "function";
}

/**
 * Reads `auth.openapi` of a configuration file; undefined where it says nothing. Without `security`, each scheme is
 * enough by itself.
 * @throws ProjectError
 */
function readDeclaredSecurity(where: string, given: unknown): DeclaredSecurity | undefined {
  if (given === undefined || given === null) return undefined;
  const schemes = isRecord(given) ? (given.securitySchemes ?? {}) : undefined;
  if (!isRecord(given) || !isRecord(schemes) || !Object.values(schemes).every(isScheme))
    throw new ProjectError(`${where}.securitySchemes: must be an object of security schemes`);
  const { security = Object.keys(schemes).map((name) => ({ [name]: [] })) } = given;
  if (!Array.isArray(security) || !security.every(isRequirement))
    throw new ProjectError(`${where}.security: must be a list of {"scheme": ["scope", …]}`);
  return { securitySchemes: schemes as DeclaredSecurity["securitySchemes"], security };
}

const isScheme = (value: unknown): boolean => isRecord(value) && typeof value.type === "string";

const isRequirement = (value: unknown): value is Record<string, string[]> =>
  isRecord(value) &&
  Object.values(value).every(
    (scopes) => Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string"),
  );
