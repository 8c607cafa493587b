import type { ClusterReach, JsonObject } from "@berth/store";
import { type Launch, StartFailed } from "../driver.ts";
import { figure, limitsOf } from "../limits.ts";
import type { KubeObject, ObjectKind } from "./cluster.ts";

/** Where what runs in a cluster listens. */
export const PORT = 8_000;

const MANAGED_BY = "app.kubernetes.io/managed-by";
/** What everything that Berth makes has in common. */
export const OURS = { [MANAGED_BY]: "berth" } as const;
const NAME = "app.kubernetes.io/name";

/** Labels of everything that Berth makes in a cluster. */
export const LABELS = {
  instance: "berth/instance",
  deployment: "berth/deployment",
  revision: "berth/revision",
} as const;

/**
 * Names under which other servers look for their database. A Berth looks at `DATABASE_URL`, which is the same in a
 * cluster: in a file of a pod, what it acknowledged would go with the pod.
 */
export const DATABASES: ReadonlySet<string> = new Set(["DATABASE_URI", "POSTGRES_URI"]);

/** What an instance's objects are called. */
export const nameOf = (instanceId: string): string => `berth-${instanceId.toLowerCase()}`;

const labelsOf = ({ deployment, revision, instance }: Launch): Record<string, string> => ({
  ...OURS,
  [NAME]: deployment.name.slice(0, 63).replace(/[^A-Za-z\d]+$/, ""),
  [LABELS.instance]: instance.id,
  [LABELS.deployment]: deployment.id,
  [LABELS.revision]: revision.id,
});

export type ManifestOptions = {
  reach: ClusterReach;
  environment: Readonly<Record<string, string>>;
  /** How long a pod that is ended may take for its runs. */
  stopGraceSeconds: number;
};

export type ClusterObject = KubeObject & { kind: ObjectKind };

/**
 * The objects of an instance, in the order in which they are applied: the Secret with its environment, its pods, the
 * Service that leads to them and, where it may grow, an autoscaler.
 * @throws StartFailed there is no image
 */
export function manifestsOf(launch: Launch, options: ManifestOptions): ClusterObject[] {
  const { settings, config } = launch.revision;
  const image = pinnedImage(config);
  if (image === null) throw new StartFailed("There is no image of this revision");
  const labels = labelsOf(launch);
  const metadata = { name: nameOf(launch.instance.id), labels };
  const scale = scaleOf(settings.resource_spec);
  return [
    secretOf(metadata, options.environment),
    deploymentOf(launch, { metadata, image, scale, options }),
    serviceOf(metadata, options.reach),
    ...(scale.most > scale.least ? [autoscalerOf(metadata, scale)] : []),
  ];
}

/** An image by what its registry said that the tag means, where that is known: a tag may move between two pods. */
export function pinnedImage(config: Launch["revision"]["config"]): string | null {
  const { image_uri: uri, image_digest: digest } = config;
  if (uri === null || digest === null || uri.includes("@")) return uri;
  return `${uri.replace(/:[^/:]*$/, "")}@${digest}`;
}

type Metadata = { name: string; labels: Record<string, string> };
type Scale = { least: number; most: number };

/** How many pods there are: a deployment whose `min_scale` is 0 has one, for nothing wakes it in a cluster. */
export function scaleOf(spec: JsonObject | null): Scale {
  const least = Math.max(1, figure(spec, "min_scale") ?? 1);
  return { least, most: Math.max(least, figure(spec, "max_scale") ?? least) };
}

function secretOf(metadata: Metadata, environment: Readonly<Record<string, string>>): ClusterObject {
  const data = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
  return { apiVersion: "v1", kind: "Secret", metadata, ...{ type: "Opaque", data } };
}

type DeploymentParts = { metadata: Metadata; image: string; scale: Scale; options: ManifestOptions };

function deploymentOf(launch: Launch, { metadata, image, scale, options }: DeploymentParts): ClusterObject {
  const { name, labels } = metadata;
  const selector = { [LABELS.instance]: launch.instance.id };
  const container = {
    name: "agent",
    image,
    ports: [{ name: "http", containerPort: PORT, protocol: "TCP" }],
    envFrom: [{ secretRef: { name } }],
    env: referencedSecrets(launch.deployment.secret_references),
    resources: resourcesOf(launch.revision.settings.resource_spec),
    readinessProbe: {
      httpGet: { path: launch.revision.settings.health_path ?? "/ok", port: PORT },
      ...{ periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 3 },
    },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    volumeMounts: [{ name: "data", mountPath: "/berth/data" }],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      // An autoscaler's number is its own.
      ...(scale.most > scale.least ? {} : { replicas: scale.least }),
      selector: { matchLabels: selector },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: options.stopGraceSeconds,
          securityContext: { seccompProfile: { type: "RuntimeDefault" } },
          containers: [container],
          volumes: [{ name: "data", emptyDir: {} }],
        },
      },
    },
  };
}

/** Secrets of the cluster that a deployment names (`control-plane.md` §3). */
function referencedSecrets(references: readonly JsonObject[] | null): JsonObject[] {
  return (references ?? []).flatMap(({ name, secret_name, secret_key }) =>
    typeof name === "string" && typeof secret_name === "string" && typeof secret_key === "string"
      ? [name, ...(DATABASES.has(name) ? ["DATABASE_URL"] : [])].map((each) => ({
          name: each,
          valueFrom: { secretKeyRef: { name: secret_name, key: secret_key } },
        }))
      : [],
  );
}

/** Requests are what a pod is given in any case; limits, what it may take. */
function resourcesOf(spec: JsonObject | null): JsonObject {
  const { cpus, memoryMb } = limitsOf(spec, undefined, Number.POSITIVE_INFINITY);
  const amounts = (cpu: number | null | undefined, memory: number | null | undefined) => ({
    ...(cpu && { cpu: String(cpu) }),
    ...(memory && { memory: `${memory}Mi` }),
  });
  return {
    requests: amounts(figure(spec, "cpu"), figure(spec, "memory_mb")),
    limits: amounts(cpus, memoryMb),
  };
}

function serviceOf(metadata: Metadata, reach: ClusterReach): ClusterObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: {
      type: reach.by === "service" ? "ClusterIP" : "NodePort",
      selector: { [LABELS.instance]: metadata.labels[LABELS.instance] ?? "" },
      ports: [{ name: "http", port: PORT, targetPort: PORT, protocol: "TCP" }],
    },
  };
}

/** Agents wait for models most of the time: what they use of a processor says when they are too few. */
const CPU_TARGET = 70;

function autoscalerOf(metadata: Metadata, { least, most }: Scale): ClusterObject {
  const target = { type: "Utilization", averageUtilization: CPU_TARGET };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: metadata.name },
      minReplicas: least,
      maxReplicas: most,
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
    },
  };
}
