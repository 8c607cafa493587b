import type { Deployment, Instance, Listeners } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import type { Texts } from "../../../settings/index.ts";
import { accessOf, UnusableCredentials } from "./access.ts";
import { Cluster, ClusterFailed, type ClusterOptions } from "./cluster.ts";

export type ClustersDeps = ClusterOptions & {
  listeners: Pick<Listeners, "open" | "clusters" | "noteHealth">;
  /** Berth's own environment. */
  environment: Texts;
  logger: Logger;
};

/** Where an instance's objects are. */
export type ClusterPlace = { cluster: Cluster; namespace: string; name: string };

const PREFIX = "kubernetes";
const NAMESPACE = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

/** The clusters that Berth deploys into. */
export class Clusters {
  /** By listener: one that has not changed is not opened again. */
  readonly #known = new Map<string, { changedAt: number; cluster: Cluster }>();

  constructor(private readonly deps: ClustersDeps) {}

  /** @throws ClusterFailed | UnusableCredentials there is no such cluster, or no way in */
  async of(listenerId: string): Promise<{ cluster: Cluster; namespaces: string[] | null }> {
    const found = await this.deps.listeners.open(listenerId);
    if (!found?.credentials) throw new ClusterFailed("The deployment's cluster is gone");
    const { listener, credentials } = found;
    const known = this.#known.get(listenerId);
    const cluster =
      known?.changedAt === listener.updated_at
        ? known.cluster
        : new Cluster(accessOf(credentials, this.deps.environment), this.deps);
    this.#known.set(listenerId, { changedAt: listener.updated_at, cluster });
    return { cluster, namespaces: listener.compute_config.k8s_namespaces };
  }

  /** The cluster of a deployment, and the namespace in it. @throws ClusterFailed | UnusableCredentials */
  async ofDeployment({
    source_config,
  }: Pick<Deployment, "source_config">): Promise<Omit<ClusterPlace, "name">> {
    const { listener_id: listenerId, listener_config: config } = source_config;
    if (listenerId === null) throw new ClusterFailed("The deployment has no cluster");
    const { cluster, namespaces } = await this.of(listenerId);
    const wanted = config?.k8s_namespace;
    const namespace = typeof wanted === "string" ? wanted : (namespaces?.[0] ?? cluster.namespace);
    // It becomes a part of an address.
    if (!NAMESPACE.test(namespace)) throw new ClusterFailed(`${JSON.stringify(namespace)} is no namespace`);
    return { cluster, namespace };
  }

  /** Where an instance is, by what its row says; undefined where it says nothing. @throws ClusterFailed | UnusableCredentials */
  async placeOf(instance: Pick<Instance, "container">): Promise<ClusterPlace | undefined> {
    const at = clusterOf(instance);
    return at && { cluster: (await this.of(at.listenerId)).cluster, namespace: at.namespace, name: at.name };
  }

  /** A job of the one that leads: looks how each cluster is, and writes it down. */
  async watch(leads: boolean): Promise<void> {
    if (!leads) return;
    const all = await this.deps.listeners.clusters();
    await Promise.all(all.map(({ id, health, compute_config }) => this.#look(id, health, compute_config)));
  }

  async #look(id: string, before: string | null, config: { k8s_namespaces: string[] | null }): Promise<void> {
    const health = await this.#faultOf(id, config.k8s_namespaces);
    if (health !== "" && health !== before) this.deps.logger.warn("cluster.unwell", { listener: id, health });
    await this.deps.listeners.noteHealth(id, health);
  }

  async #faultOf(id: string, namespaces: string[] | null): Promise<string> {
    try {
      const { cluster } = await this.of(id);
      for (const namespace of namespaces ?? [cluster.namespace]) {
        const fault = await cluster.fault(namespace);
        if (fault !== "") return fault;
      }
      return "";
    } catch (error) {
      if (isTold(error)) return error.message;
      throw error;
    }
  }
}

/** What an instance's row says of where it is. */
export const placeText = (listenerId: string, namespace: string, name: string): string =>
  [PREFIX, listenerId, namespace, name].join(":");

/** What {@link placeText} wrote in an instance's row; undefined where that is not known yet. */
export function clusterOf({
  container,
}: Pick<Instance, "container">): { listenerId: string; namespace: string; name: string } | undefined {
  const [prefix, listenerId, namespace, name] = (container ?? "").split(":");
  if (prefix !== PREFIX || !listenerId || !namespace || !name) return undefined;
  return { listenerId, namespace, name };
}

/** Whether an error's message is for whoever deploys. */
export const isTold = (error: unknown): error is Error =>
  error instanceof ClusterFailed || error instanceof UnusableCredentials;
