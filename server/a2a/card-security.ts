import type { DeclaredSecurity, ProjectAuth } from "@berth/agent";

type Values = Record<string, unknown>;

/** Who lets callers in: keys, the project, or a gateway's keys and then the project. */
export type Doors = {
  readonly asksForKeys: boolean;
  readonly isBehindGateway: boolean;
  readonly hasProjectAuth: boolean;
};

const KEY = { type: "apiKey", in: "header", name: "X-Api-Key" };
const BEARER = { type: "http", scheme: "Bearer" };
/** What `authenticate` wants is not known where the project does not say it; mostly it is this. */
const USUAL: DeclaredSecurity = { securitySchemes: { bearer: BEARER }, security: [{ bearer: [] }] };

/** How callers of an agent prove who they are, as OpenAPI says it; undefined where they do not have to. */
export function cardSecurity(doors: Doors, auth: ProjectAuth | undefined): DeclaredSecurity | undefined {
  if (!doors.hasProjectAuth)
    return doors.asksForKeys
      ? { securitySchemes: { apiKey: KEY, bearer: BEARER }, security: [{ apiKey: [] }, { bearer: [] }] }
      : undefined;
  const own = auth?.declared ?? USUAL;
  if (!doors.isBehindGateway) return own;
  const securitySchemes = { ...own.securitySchemes, berthApiKey: KEY };
  return { securitySchemes, security: own.security.map((one) => ({ ...one, berthApiKey: [] })) };
}

/** The members of a card of protocol 0.3, which has OpenAPI's form. */
export const olderSecurity = (security: DeclaredSecurity | undefined): Values => ({ ...security });

/** The members of a card of protocol 1.0. */
export function newerSecurity(security: DeclaredSecurity | undefined): Values {
  if (!security) return {};
  const schemes = Object.entries(security.securitySchemes);
  return {
    securitySchemes: Object.fromEntries(schemes.map(([name, scheme]) => [name, newer(scheme)])),
    securityRequirements: security.security.map((one) => ({
      schemes: Object.fromEntries(Object.entries(one).map(([name, list]) => [name, { list }])),
    })),
  };
}

function newer({ type, in: location, ...scheme }: Values): Values {
  switch (type) {
    case "apiKey":
      return { apiKeySecurityScheme: { location, ...scheme } };
    case "oauth2":
      return { oauth2SecurityScheme: scheme };
    case "openIdConnect":
      return { openIdConnectSecurityScheme: scheme };
    case "mutualTLS":
      return { mtlsSecurityScheme: scheme };
    default:
      return { httpAuthSecurityScheme: scheme };
  }
}
