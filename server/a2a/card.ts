import type { DeclaredSecurity } from "@berth/agent";
import type { Assistant } from "@berth/store";
import { newerSecurity, olderSecurity } from "./card-security.ts";
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
