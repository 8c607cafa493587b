import { ProjectError } from "../project/project-error.ts";
import { isRecord } from "../project/record.ts";

/** How callers prove who they are, as OpenAPI says it: what there is, and which of it they need. */
export type DeclaredSecurity = {
  securitySchemes: Record<string, Record<string, unknown>>;
  /** One of these, each all of its schemes, with the scopes that they need. */
  security: Record<string, string[]>[];
};

/**
 * Reads `auth.openapi` of a configuration file; undefined where it says nothing. Without `security`, each scheme is
 * enough by itself.
 * @throws ProjectError
 */
export function readDeclaredSecurity(where: string, given: unknown): DeclaredSecurity | undefined {
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
