import type { Operation } from "../../http/index.ts";
import { changeRoutes } from "./changes.ts";
import { deletionRoutes } from "./deletions.ts";
import { deploymentRoutes, figureRoutes, sourceRoutes } from "./deployments.ts";
import type { ControlRoutesDeps } from "./deps.ts";
import { instanceRoutes } from "./instances.ts";
import { integrationRoutes } from "./integrations.ts";
import { keyRoutes } from "./keys.ts";
import { listenerRoutes } from "./listeners.ts";
import { logFollowRoutes, logRoutes } from "./logs.ts";
import { pushHookRoutes } from "./push-hook.ts";
import { revisionRoutes } from "./revisions.ts";
import { uploadRoutes } from "./uploads.ts";
import { workspaceRoutes } from "./workspaces.ts";

export type { NumberedFrame } from "./followers.ts";

/** The API of the control plane; mounted as it is, and once more under `/api-host`. */
export const controlRoutes = (deps: ControlRoutesDeps): Operation[] => [
  ...deploymentRoutes(deps),
  ...revisionRoutes(deps),
  ...sourceRoutes(deps),
  ...logRoutes(deps),
  ...logFollowRoutes(deps),
  ...uploadRoutes(deps),
  ...figureRoutes(deps),
  ...instanceRoutes(deps),
  ...changeRoutes(deps),
  ...listenerRoutes(deps),
  ...integrationRoutes(deps),
  ...pushHookRoutes(deps),
  ...keyRoutes(deps),
  ...deletionRoutes(deps),
  ...workspaceRoutes(deps),
];
