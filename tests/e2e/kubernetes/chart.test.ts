import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NEEDED } from "../../../server/control/run/kubernetes/cluster.ts";
import { readSettings } from "../../../server/settings/config.ts";
import { VERSION } from "../../../server/version.ts";
import { because, testUnless } from "../../skips.ts";
import { ROOT } from "../../smoke/program.ts";
import { startApiServer } from "./real-api-server.ts";

const CHART = join(ROOT, "docs", "examples", "helm", "berth");
const assets = process.env.KUBEBUILDER_ASSETS;
const noHelm = because(!Bun.which("helm"), "helm is not installed");
const VALUES = [
  ...["image.repository=registry.example/berth", "publicUrl=https://agents.example"],
  ...["serviceApiKey=a-key-of-the-operator", "secretsKey=a-key-that-never-changes"],
  ...["postgres.password=letters", "settings.BERTH_EDITION=self_hosted"],
].flatMap((value) => ["--set", value]);

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] };

test("the chart's Role allows what Berth asks of a cluster, and no more", () => {
  const text = readFileSync(join(CHART, "templates", "access.yaml"), "utf8");
  const [, role = ""] = /rules:\n([\s\S]*?)\n---/.exec(text) ?? [];
  const rules = Bun.YAML.parse(role) as Rule[];
  const allowed = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`)),
    ),
  );
  const needed = NEEDED.map(
    ({ group, resource, subresource, verb }) =>
      `${group} ${resource}${subresource ? `/${subresource}` : ""} ${verb}`,
  );
  expect(allowed.sort()).toEqual(needed.sort());
});

testUnless(noHelm)("helm renders the chart, and says what is missing", () => {
  expect(helm("lint", CHART, ...VALUES)).toContain("0 chart(s) failed");
  const kinds = rendered().flatMap((text) => /^kind: (\w+)$/m.exec(text)?.[1] ?? []);
  expect(kinds.sort()).toEqual([
    ...["PodDisruptionBudget", "Role", "RoleBinding", "Secret", "Service", "Service", "Service"],
    ...["ServiceAccount", "StatefulSet", "StatefulSet"],
  ]);
  expect(() => helm("template", "here", CHART)).toThrow("serviceApiKey");
});

test("the chart's version and default image tag are Berth's version", () => {
  const chart = Bun.YAML.parse(readFileSync(join(CHART, "Chart.yaml"), "utf8"));
  expect(chart).toMatchObject({ version: VERSION, appVersion: VERSION });
});

testUnless(noHelm)("pods do not run as root, and have probes, limits and a place on several nodes", () => {
  for (const name of ["here-berth", "here-postgres"]) {
    const { pod, container } = podOf(objects(), name);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: expect.any(Number) });
    expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false });
    expect(container.resources).toMatchObject({ limits: { memory: expect.any(String) } });
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"])
      expect([name, probe, typeof container[probe]]).toEqual([name, probe, "object"]);
  }
  const { pod, container } = podOf(objects(), "here-berth");
  expect(container.image).toBe(`registry.example/berth:${VERSION}`);
  expect(pod.topologySpreadConstraints).toMatchObject([
    {
      topologyKey: "kubernetes.io/hostname",
      labelSelector: { matchLabels: { "app.kubernetes.io/component": "berth" } },
    },
  ]);
  expect(objects("--set", "replicas=1").some(({ kind }) => kind === "PodDisruptionBudget")).toBe(false);
});

testUnless(noHelm)("a password of any characters arrives as it is", () => {
  const password = "p@ss:w/o rd?#%40\"'";
  const all = objects("--set-literal", `postgres.password=${password}`);
  expect(find(all, "Secret").stringData).toMatchObject({ POSTGRES_PASSWORD: password });
  const { container } = podOf(all, "here-berth");
  const url = container.env.find(({ name }: Env) => name === "DATABASE_URL").value;
  expect(container.env).toContainEqual({
    name: "DATABASE_PASSWORD",
    valueFrom: { secretKeyRef: { name: "here-berth", key: "POSTGRES_PASSWORD" } },
  });
  // What Berth makes of the two.
  const { databaseUrl } = readSettings({}, { DATABASE_URL: url, DATABASE_PASSWORD: password }, ROOT, {
    isTerminal: false,
  });
  expect(decodeURIComponent(new URL(databaseUrl).password)).toBe(password);
  expect(new URL(databaseUrl).host).toBe("here-postgres:5432");
});

testUnless(noHelm)("a Secret of the operator needs only the keys that the chart names", () => {
  const keysIn = (...more: string[]) => {
    const all = objects("--set", "existingSecret=mine", ...more);
    expect(all.some(({ kind }) => kind === "Secret")).toBe(false);
    const refs = all
      .filter(({ kind }) => kind === "StatefulSet")
      .flatMap(({ spec }) => spec.template.spec.containers[0].env)
      .flatMap(({ valueFrom }: Env) => valueFrom?.secretKeyRef ?? []);
    expect(new Set(refs.map(({ name }: { name: string }) => name))).toEqual(new Set(["mine"]));
    return [...new Set<string>(refs.map(({ key }: { key: string }) => key))].sort();
  };
  expect(keysIn()).toEqual(["POSTGRES_PASSWORD", "SECRETS_KEY", "SERVICE_API_KEY"]);
  expect(keysIn("--set", "postgres.enabled=false")).toEqual([
    "DATABASE_URL",
    "SECRETS_KEY",
    "SERVICE_API_KEY",
  ]);
});

testUnless(noHelm)("a changed Secret changes the pods, so that they restart", () => {
  const checksum = (...more: string[]) =>
    podOf(objects(...more), "here-berth").metadata.annotations["checksum/secret"];
  expect(checksum()).toBe(checksum());
  expect(checksum("--set", "serviceApiKey=another-key-of-mine")).not.toBe(checksum());
});

testUnless(noHelm)("an Ingress and network policies come by a value", () => {
  const all = objects(
    ...["--set", "ingress.enabled=true", "--set", "ingress.className=nginx"],
    ...["--set", "ingress.tlsSecret=tls", "--set", "networkPolicy.enabled=true"],
    ...["--set", "networkPolicy.from[0].namespaceSelector.matchLabels.name=ingress"],
  );
  expect(find(all, "Ingress").spec).toMatchObject({
    ingressClassName: "nginx",
    tls: [{ hosts: ["agents.example"], secretName: "tls" }],
    rules: [{ host: "agents.example", http: { paths: [{ backend: { service: { name: "here-berth" } } }] } }],
  });
  const policies = all.filter(({ kind }) => kind === "NetworkPolicy");
  expect(policies.map(({ metadata, spec }) => [metadata.name, spec.ingress[0].from.length])).toEqual([
    ["here-berth", 3],
    ["here-postgres", 2],
  ]);
  expect(policies.map(({ spec }) => spec.ingress[0].ports[0].port)).toEqual([8123, 5432]);
});

testUnless(noHelm ?? because(!assets || !Bun.which("kubectl"), "KUBEBUILDER_ASSETS names no API server"))(
  "an API server takes everything of the chart",
  async () => {
    const server = await startApiServer(assets ?? "");
    try {
      const child = Bun.spawn(
        ["kubectl", "--kubeconfig", server.file, "apply", "--dry-run=server", "--validate=strict", "-f", "-"],
        { stdio: [new Blob([rendered(...EVERYTHING).join("\n---\n")]), "pipe", "pipe"] },
      );
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect({ code: await child.exited, err }).toEqual({ code: 0, err: "" });
      expect(out.trim().split("\n")).toHaveLength(13);
    } finally {
      await server.close();
    }
  },
);

/** Turns on what is off by default. */
const EVERYTHING = ["--set", "ingress.enabled=true", "--set", "networkPolicy.enabled=true"];

type Env = { name: string; valueFrom?: { secretKeyRef: { name: string; key: string } } };
// biome-ignore lint/suspicious/noExplicitAny: the objects of Kubernetes have many shapes
type KubernetesObject = any;

const objects = (...more: string[]): KubernetesObject[] =>
  rendered(...more).map((text) => Bun.YAML.parse(text));

const find = (all: readonly KubernetesObject[], kind: string): KubernetesObject =>
  all.find((one) => one.kind === kind);

function podOf(all: readonly KubernetesObject[], name: string) {
  const set = all.find((one) => one.kind === "StatefulSet" && one.metadata.name === name);
  const { metadata, spec: pod } = set.spec.template;
  return { metadata, pod, container: pod.containers[0] };
}

const rendered = (...more: string[]): string[] =>
  helm("template", "here", CHART, ...VALUES, ...more)
    .split(/^---$/m)
    .filter((text) => text.trim());

function helm(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["helm", ...args]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}
