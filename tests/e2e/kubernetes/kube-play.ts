import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClusterObject, manifestsOf } from "../../../server/control/run/kubernetes/manifests.ts";
import { aDeployment, anInstance, aRevision } from "../../control/run/rig.ts";
import { freePort } from "../../free-port.ts";
import { until } from "../condition.ts";
import { PAUSE, type Podman } from "../podman.ts";

/**
 * Has Podman run what Berth would apply to a cluster: the Deployment's pod comes up with the environment of the Secret.
 * Podman takes neither Services nor autoscalers, and these lie in the same file for it to pass over.
 */
export async function playManifests(podman: Podman, image: string): Promise<void> {
  const port = await freePort();
  const deployment = aDeployment({ source: "external_docker" });
  const revision = aRevision(deployment, {
    settings: { ...deployment.source_config, resource_spec: { memory_mb: 256 } },
    config: { ...deployment.config, image_uri: image },
  });
  const instance = { ...anInstance(revision), driver: "kubernetes" as const };
  const environment = {
    ...{ HOST: "127.0.0.1", PORT: String(port), GATEWAY_TOKEN: instance.token, STANDBY: "false" },
    ...{ DATA_DIR: "/berth/data", DATABASE_URL: "sqlite:/berth/data/berth.db" },
  };
  const manifests = manifestsOf(
    { deployment, revision, instance, secrets: [], standby: false },
    { reach: { by: "service" }, environment, stopGraceSeconds: 5 },
  );
  const file = join(podman.folder, "manifests.yaml");
  // On the machine's own network Podman maps no ports, and refuses those that are named.
  const played = manifests.filter(({ kind }) => kind !== "Secret");
  const text = played.map(
    (manifest) => `---\n${JSON.stringify({ ...manifest, ...withoutPorts(manifest) })}\n`,
  );
  writeFileSync(file, text.join(""));
  // Podman 4 reads a Secret as the map that it holds, and its own.
  const secret = manifests.find(({ kind }) => kind === "Secret") ?? expect.unreachable();
  const { data } = secret as unknown as { data: Record<string, string> };
  const secretFile = join(podman.folder, "secret.json");
  writeFileSync(secretFile, JSON.stringify(data));
  await podman.run("secret", "create", secret.metadata.name, secretFile);
  await podman.image(PAUSE, { env: { PORT: "0" } });
  await podman.run("kube", "play", "--network", "host", file);
  try {
    const answer = await until("the pod to answer", () =>
      fetch(`http://127.0.0.1:${port}/ok`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    expect(answer).toBe(true);
    const refused = await fetch(`http://127.0.0.1:${port}/threads`, { method: "POST", body: "{}" });
    expect(refused.status).toBe(401);
    const made = await fetch(`http://127.0.0.1:${port}/threads`, {
      ...{ method: "POST", body: "{}" },
      headers: { "content-type": "application/json", "x-berth-gateway": instance.token },
    });
    expect(made.status).toBe(200);
  } finally {
    await podman.run("kube", "down", file);
  }
}

function withoutPorts({ kind, spec }: ClusterObject): Partial<ClusterObject> {
  if (kind !== "Deployment") return {};
  return { spec: JSON.parse(JSON.stringify(spec, (name, value) => (name === "ports" ? undefined : value))) };
}
