import {
  acrossWorkspaces,
  chatSurroundings,
  closed,
  controlPlane,
  deployment,
  forTests,
  registry,
  sharedDocumentation,
  traceIngest,
} from "./policies.ts";
import type { Policy } from "./policy.ts";

/** The second address of the control plane, which clients of LangGraph Platform have. */
const TWIN = "/api-host";

const ofBoth = (path: string, policy: Policy): [string, Policy][] => [
  [path, policy],
  [TWIN + path, policy],
];

/**
 * Addresses that are a plane's whatever is there: what counts for a path without an operation. A process that does not
 * have the plane keeps them free, so that no project's own app answers there.
 */
export const SURROUNDINGS: readonly (readonly [path: string, policy: Policy])[] = [
  ["/", closed],
  ["/api/threads", chatSurroundings],
  ["/internal/truncate", forTests],
  ["/d", deployment],
  [TWIN, { ...controlPlane, origins: "listed" }],
  [`${TWIN}/d`, { ...acrossWorkspaces, origins: "listed" }],
  [`${TWIN}/docs`, sharedDocumentation],
  [`${TWIN}/openapi.json`, sharedDocumentation],
  ...ofBoth("/langsmith", traceIngest),
  ...ofBoth("/v1", controlPlane),
  ...ofBoth("/v1/workspaces", acrossWorkspaces),
  ...ofBoth("/v2", controlPlane),
  ...ofBoth("/deployments", controlPlane),
  ["/v2/berth", registry],
];
