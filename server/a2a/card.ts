import type { DeclaredSecurity, ProjectAuth } from "@berth/agent";
import type { Assistant } from "@berth/store";
import { HISTORY_SCOPE } from "./history-scope.ts";

type Values = Record<string, unknown>;

export type CardPlace = {
  /** Of this server, without a slash at the end. */
  base: string;
  /** Of Berth. */
  version: string;
  /** How callers prove who they are. */
  security: DeclaredSecurity | undefined;
};

const MODES = ["text/plain", "application/json"];

/** What an assistant tells other agents of itself, as protocol 1.0 has it; an older client finds its wire too. */
export function agentCard(assistant: Assistant, { base, version, security }: CardPlace): Values {
  const url = `${base}/a2a/${assistant.assistant_id}`;
  return {
    ...described(assistant, version),
    supportedInterfaces: ["1.0", "0.3"].map((protocolVersion) => ({
      url,
      protocolBinding: "JSONRPC",
      protocolVersion,
    })),
    capabilities: {
      streaming: true,
      pushNotifications: false,
      // Where nobody has to say who they are, there is nothing to tell them beyond this.
      extendedAgentCard: security !== undefined,
      extensions: [HISTORY_SCOPE],
    },
    ...newerSecurity(security),
  };
}

/** The same as protocol 0.3 has it. */
export function olderCard(assistant: Assistant, { base, version, security }: CardPlace): Values {
  return {
    ...described(assistant, version),
    protocolVersion: "0.3.0",
    url: `${base}/a2a/${assistant.assistant_id}`,
    preferredTransport: "JSONRPC",
    capabilities: {
      streaming: true,
      pushNotifications: false,
      stateTransitionHistory: false,
      extensions: [HISTORY_SCOPE],
    },
    supportsAuthenticatedExtendedCard: security !== undefined,
    ...olderSecurity(security),
  };
}

function described(assistant: Assistant, version: string): Values {
  const { name, assistant_id, graph_id } = assistant;
  const description = assistant.description || `Runs the assistant "${name}"`;
  const inputModes = modesOf(assistant, "input_modes");
  const outputModes = modesOf(assistant, "output_modes");
  return {
    name,
    description,
    version: `${version}+${assistant.version}`,
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    skills: [
      { id: assistant_id, name, description, tags: [graph_id], examples: [], inputModes, outputModes },
    ],
  };
}

/** Told, not enforced. */
function modesOf({ metadata }: Assistant, key: string): string[] {
  const said = metadata.a2a;
  const modes: unknown = typeof said === "object" && said !== null ? Reflect.get(said, key) : undefined;
  return Array.isArray(modes) && modes.length > 0 ? modes.map(String) : MODES;
}

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
const olderSecurity = (security: DeclaredSecurity | undefined): Values => ({ ...security });

/** The members of a card of protocol 1.0. */
function newerSecurity(security: DeclaredSecurity | undefined): Values {
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
