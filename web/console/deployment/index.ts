// What several screens show of a deployment: what it is, how it is, and what runs on it.

export {
  canDeployAgain,
  chatHref,
  errorRate,
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
  useFigures,
} from "./deployment.ts";
export {
  DeploymentErrors,
  DeploymentLatency,
  DeploymentMemory,
  DeploymentState,
  DeploymentTraffic,
  useRevision,
} from "./deployment-state.tsx";
