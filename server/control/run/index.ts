export { Cgroups } from "./cgroups.ts";
export { createContainers, readReference } from "./container/index.ts";
export { type Driver, fencedDriver, type Launch, StartFailed } from "./driver.ts";
export { type HandedOn, handOn } from "./environment.ts";
export {
  accessOf,
  Clusters,
  clusterOf,
  createKubernetes,
  type Kubernetes,
  UnusableCredentials,
} from "./kubernetes/index.ts";
export { figure, type Limits, limitsOf, processLimits } from "./limits.ts";
export { LogTail } from "./log-tail.ts";
export { ProcessDriver } from "./process-driver.ts";
