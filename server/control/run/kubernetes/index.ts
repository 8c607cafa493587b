import type { Clock, Instance } from "@berth/store";
import { ContainerLogs, type ContainerLogsDeps } from "../container/index.ts";
import type { Clusters } from "./clusters.ts";
import { KubernetesDriver, type KubernetesDriverDeps } from "./kubernetes-driver.ts";
import { PodLogs } from "./pod-logs.ts";

export { accessOf, UnusableCredentials } from "./access.ts";
export { Clusters, clusterOf } from "./clusters.ts";

export type KubernetesDeps = Omit<KubernetesDriverDeps, "instances" | "logs"> &
  Omit<ContainerLogsDeps, "sourceOf" | "instances"> & {
    clusters: Clusters;
    instances: KubernetesDriverDeps["instances"] & ContainerLogsDeps["instances"];
    /** Whether this process, of all on the database, reads what pods print. */
    leads: () => boolean;
    clock: Clock;
  };

export type Kubernetes = { driver: KubernetesDriver; logs: ContainerLogs };

/** What runs revisions in clusters. */
export function createKubernetes({ logs: kept, leads, ...deps }: KubernetesDeps): Kubernetes {
  const source = new PodLogs(deps.clusters, leads, deps.clock);
  const sourceOf = ({ driver }: Instance) => (driver === "kubernetes" ? source : undefined);
  const logs = new ContainerLogs({ ...deps, logs: kept, sourceOf });
  return { driver: new KubernetesDriver({ ...deps, logs }), logs };
}
