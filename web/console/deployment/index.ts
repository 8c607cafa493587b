// What several screens show of a deployment: what it is, how it is, and what runs on it.

export {
  canDeployAgain,
  chatHref,
  hasAddress,
  hasFailed,
  hasServed,
  isUnderWay,
  keepsEnding,
  originOf,
  pathOf,
  SOURCE_WORDS,
  type Source,
  tookMs,
} from "./deployment.ts";
export {
  DeploymentErrors,
  DeploymentLatency,
  DeploymentMemory,
  DeploymentTraffic,
} from "./deployment-cells.tsx";
export { DeploymentState } from "./deployment-state.tsx";
export { errorRate, useFigures } from "./figures.ts";
export { useRevision } from "./use-revision.ts";
