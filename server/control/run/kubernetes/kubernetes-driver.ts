import { isRecord } from "@berth/agent";
import type { ClusterReach, Deployment, Instance, Instances, Listeners } from "@berth/store";
import { maskOf } from "@berth/store";
import { CLAIM_PATH, GATEWAY_HEADER } from "../../../http/index.ts";
import { isLoopbackHost } from "../../../reach/index.ts";
import { containerEnvironment } from "../container/index.ts";
import { type Driver, type Launch, StartFailed } from "../driver.ts";
import { type HandOn, secretsOf } from "../environment.ts";
import { FIELD_MANAGER, type KubeObject } from "./cluster.ts";
import { type ClusterPlace, type Clusters, isTold, placeText } from "./clusters.ts";
import { Inventory } from "./inventory.ts";
import { DATABASES, LABELS, manifestsOf, nameOf, PORT } from "./manifests.ts";

export type KubernetesDriverDeps = {
  clusters: Clusters;
  listeners: Pick<Listeners, "open">;
  instances: Pick<Instances, "set">;
  logs: { drain(instance: Instance): Promise<void> };
  /** Says something in a revision's log. */
  say(instance: Instance, message: string): Promise<void>;
  /** Writes down whether a cluster has changed what runs of a revision. */
  noteRemote(revisionId: string, isChanged: boolean): Promise<void>;
  /** Our own address, as others reach it. */
  publicUrl: () => string;
  handOn: HandOn;
  stopGraceSeconds: number;
};

/** In the order in which they are removed: nothing makes pods anew, then nothing leads to them. */
const KINDS = ["HorizontalPodAutoscaler", "Deployment", "Service", "Secret"] as const;

const STOP_EXTRA_MS = 15_000;
const LOOK_EVERY_MS = 500;
/** Why a container does not start that the kubelet tries again and again. */
const HOPELESS = new Set([
  ...["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"],
  ...["CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff"],
]);

/**
 * Runs revisions in clusters: each as a Deployment with its Service and Secret. The cluster keeps its pods alive and
 * their number right; Berth decides which revision serves, and sees whether somebody removed it.
 */
export class KubernetesDriver implements Driver {
  readonly kind = "kubernetes";
  /** Whether a cluster has changed a revision, as it was noted last: each instance is looked at again and again. */
  readonly #changed = new Map<string, boolean>();
  readonly #inventory = new Inventory();

  constructor(private readonly deps: KubernetesDriverDeps) {}

  /** @throws StartFailed */
  async start(launch: Launch): Promise<void> {
    try {
      await this.#start(launch);
    } catch (error) {
      if (!isTold(error)) throw error;
      const mask = maskOf(secretsOf(launch));
      throw new StartFailed(mask(error.message), { cause: error });
    }
  }

  async #start(launch: Launch): Promise<void> {
    const { clusters, instances, stopGraceSeconds } = this.deps;
    const { deployment, instance } = launch;
    refuseFile(launch);
    const { cluster, namespace } = await clusters.ofDeployment(deployment);
    const listenerId = deployment.source_config.listener_id ?? "";
    const reach = (await this.deps.listeners.open(listenerId))?.listener.reach ?? { by: "service" };
    const name = nameOf(instance.id);
    // Before anything is there: whoever finds the row after a crash removes it.
    const container = placeText(listenerId, namespace, name);
    await instances.set(instance.id, { container, place: null });
    const environment = this.#environmentOf(launch);
    for (const manifest of manifestsOf(launch, { reach, environment, stopGraceSeconds }))
      await cluster.apply(namespace, manifest);
    await instances.set(instance.id, await this.#addressOf({ cluster, namespace, name }, reach));
  }

  #environmentOf(launch: Launch): Record<string, string> {
    const { deployment, revision } = launch;
    const base = this.deps.publicUrl();
    const publicUrl = revision.settings.custom_url ?? `${base}/d/${deployment.id}`;
    const berthUrl = isLoopbackHost(new URL(base).host) ? null : base;
    const { handOn } = this.deps;
    const environment = containerEnvironment(launch, {
      ...{ host: "0.0.0.0", port: PORT, handOn, publicUrl, berthUrl },
    });
    const own = launch.secrets.find(({ name }) => DATABASES.has(name));
    return launch.database || !own ? environment : { ...environment, DATABASE_URL: own.value };
  }

  async #addressOf(
    { cluster, namespace, name }: ClusterPlace,
    reach: ClusterReach,
  ): Promise<{ port: number; address: string }> {
    if (reach.by === "service") return { port: PORT, address: `http://${name}.${namespace}.svc:${PORT}` };
    const port = nodePortOf(await cluster.get("Service", namespace, name));
    if (port === undefined) throw new StartFailed("The cluster has given the Service no port of its nodes");
    return { port, address: `http://${reach.host}:${port}` };
  }

  /** Whether its objects are all there, and while it starts, whether its pods can come up at all. */
  async isAlive(instance: Instance): Promise<boolean> {
    const place = await this.deps.clusters.placeOf(instance);
    if (!place) return false;
    const { deployment, missing } = await this.#inventory.see(place);
    if (!deployment || missing.length > 0) {
      await this.deps.say(instance, `The cluster does not have its ${missing.join(", ")} any more`);
      return false;
    }
    if (instance.state !== "starting") {
      await this.#noteRemote(instance.revision_id, isChangedByOthers(deployment));
      return true;
    }
    const reason = hopeless(await podsOf(place, instance.id));
    if (reason !== undefined) await this.deps.say(instance, reason);
    return reason === undefined;
  }

  /**
   * Tells every pod of an instance whether to start runs, also those to come, who read it in their Secret.
   * @returns whether all of them know
   */
  async claim(instance: Instance, claim: boolean): Promise<boolean> {
    try {
      const place = await this.deps.clusters.placeOf(instance);
      return place !== undefined && (await this.#claim(place, instance, claim));
    } catch (error) {
      if (isTold(error)) return false;
      throw error;
    }
  }

  async #claim(place: ClusterPlace, { id, token }: Instance, claim: boolean): Promise<boolean> {
    const { cluster, namespace, name } = place;
    const standby = Buffer.from(String(!claim)).toString("base64");
    await cluster.merge("Secret", namespace, name, { data: { STANDBY: standby } });
    const pods = await podsOf(place, id);
    const told = await Promise.all(
      pods.map(({ metadata }) =>
        cluster.askPod(
          namespace,
          { name: metadata.name, port: PORT },
          {
            ...{ method: "POST", path: CLAIM_PATH, body: JSON.stringify({ claim }) },
            headers: { [GATEWAY_HEADER]: token, "content-type": "application/json" },
          },
        ),
      ),
    );
    // What is not a Berth has no runs that could be claimed twice.
    return pods.length > 0 && told.every((answer) => answer?.status === 200 || answer?.status === 404);
  }

  async #noteRemote(revisionId: string, isChanged: boolean): Promise<void> {
    if (this.#changed.get(revisionId) === isChanged) return;
    await this.deps.noteRemote(revisionId, isChanged);
    this.#changed.set(revisionId, isChanged);
  }

  async stop(instance: Instance, graceMs: number): Promise<void> {
    const place = await this.deps.clusters.placeOf(instance);
    // Deployed again, it is as Berth wants it, and what was noted is not.
    this.#changed.delete(instance.revision_id);
    if (!place) return;
    // With a pod its log goes.
    await this.deps.logs.drain(instance);
    for (const kind of KINDS) await place.cluster.remove(kind, place.namespace, place.name);
    const deadline = performance.now() + graceMs + STOP_EXTRA_MS;
    while ((await podsOf(place, instance.id)).length > 0 && performance.now() < deadline)
      await Bun.sleep(LOOK_EVERY_MS);
  }

  /** The cluster counts what its pods take; its limits hold them to that. */
  async memoryBytes(): Promise<null> {
    return null;
  }

  memoryAbove(): undefined {}

  /** A pod that took too much is started again by the cluster. */
  async tookTooMuch(): Promise<boolean> {
    return false;
  }

  /**
   * Nothing: a row names the objects before they are made, and goes after them. A machine that does not lead knows of
   * no instance in a cluster, and would end those of all.
   */
  async sweepOrphans(): Promise<void> {}

  /** What a cluster runs is no machine's. */
  async endStrays(): Promise<void> {}

  async removeAll(deployment: Deployment): Promise<void> {
    if (deployment.source_config.listener_id === null) return;
    // A cluster that is gone, or does not answer, has nothing that could be removed.
    const place = await this.deps.clusters.ofDeployment(deployment).catch(() => undefined);
    if (!place) return;
    const { cluster, namespace } = place;
    const labels = { [LABELS.deployment]: deployment.id };
    for (const kind of KINDS)
      for (const { metadata } of await cluster.list(kind, namespace, labels).catch(() => []))
        await cluster.remove(kind, namespace, metadata.name);
  }
}

/** A pod's disk goes with the pod: what was acknowledged has to be on a server. */
function refuseFile({ database, secrets, deployment }: Launch): void {
  const isNamed = secrets.some(({ name }) => DATABASES.has(name));
  const isReferenced = (deployment.secret_references ?? []).some(({ name }) => DATABASES.has(String(name)));
  if (database || isNamed || isReferenced) return;
  throw new StartFailed(
    "In a cluster a deployment needs a database server, for a pod's disk goes with the pod: run Berth on Postgres (DATABASE_URL), or give the deployment DATABASE_URI as a secret",
  );
}

export const podsOf = (
  { cluster, namespace }: Omit<ClusterPlace, "name">,
  instanceId: string,
): Promise<KubeObject[]> => cluster.list("Pod", namespace, { [LABELS.instance]: instanceId });

function nodePortOf(service: KubeObject | undefined): number | undefined {
  const ports: unknown = service?.spec?.ports;
  const [first]: unknown[] = Array.isArray(ports) ? ports : [];
  return isRecord(first) && typeof first.nodePort === "number" ? first.nodePort : undefined;
}

/** Whether somebody else owns a field of how its pods are to be: they run otherwise than Berth has it. */
export function isChangedByOthers({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return (metadata.managedFields ?? []).some(({ manager, fieldsV1 }) => {
    const spec = fieldsV1?.["f:spec"];
    return manager !== FIELD_MANAGER && isRecord(spec) && "f:template" in spec;
  });
}

/** Why the pods of an instance will not come up, in words; undefined while they may. */
export function hopeless(pods: readonly KubeObject[]): string | undefined {
  for (const { status } of pods)
    for (const container of listIn(status, "containerStatuses")) {
      const waiting = isRecord(container.state) ? container.state.waiting : undefined;
      if (!isRecord(waiting) || !HOPELESS.has(String(waiting.reason))) continue;
      const words = typeof waiting.message === "string" ? `: ${waiting.message}` : "";
      return `The pod does not come up: ${String(waiting.reason)}${words}`;
    }
  return undefined;
}

function listIn(from: Record<string, unknown> | undefined, name: string): Record<string, unknown>[] {
  const list: unknown = from?.[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
