import { afterAll, beforeAll, expect, test } from "bun:test";
import { accessOf } from "../../../server/control/run/kubernetes/access.ts";
import { Cluster } from "../../../server/control/run/kubernetes/cluster.ts";
import { isChangedByOthers } from "../../../server/control/run/kubernetes/kubernetes-driver.ts";
import { LABELS, manifestsOf, nameOf } from "../../../server/control/run/kubernetes/manifests.ts";
import { PRIVATE_TOO, Reach } from "../../../server/reach/reach.ts";
import { aDeployment, anInstance, aRevision } from "../../control/run/rig.ts";
import { because, describeUnless } from "../../skips.ts";
import { type RealApiServer, startApiServer } from "./real-api-server.ts";

const assets = process.env.KUBEBUILDER_ASSETS;
const NAMESPACE = "default";

describeUnless(because(assets === undefined, "KUBEBUILDER_ASSETS names no API server"))(
  "a real API server, without nodes",
  () => {
    let server: RealApiServer;
    let cluster: Cluster;

    beforeAll(async () => {
      server = await startApiServer(assets ?? "");
      const access = accessOf({ kubeconfig: server.kubeconfig }, {});
      cluster = new Cluster(access, { reach: new Reach(PRIVATE_TOO) });
    });
    afterAll(() => server?.close());

    const launch = () => {
      const spec = { cpu: 0.5, memory_mb: 256, min_scale: 1, max_scale: 4 };
      const deployment = aDeployment({ source: "external_docker" });
      const revision = aRevision(deployment, {
        in_cluster: true,
        settings: { ...deployment.source_config, resource_spec: spec },
        config: { ...deployment.config, image_uri: "registry.example/agent:1" },
      });
      const instance = { ...anInstance(revision), driver: "kubernetes" as const };
      return { deployment, revision, instance, secrets: [], standby: true };
    };
    const manifests = (one: ReturnType<typeof launch>, by: "service" | "node_port" = "node_port") =>
      manifestsOf(one, {
        reach: by === "service" ? { by } : { by, host: "127.0.0.1" },
        environment: { DATABASE_URI: "postgres://elsewhere", STANDBY: "true", CERTIFICATE: "two\nlines" },
        stopGraceSeconds: 30,
      });

    test("it takes every object, twice, and gives it back", async () => {
      const one = launch();
      for (let times = 0; times < 2; times += 1)
        for (const manifest of manifests(one)) await cluster.apply(NAMESPACE, manifest);
      const name = nameOf(one.instance.id);
      const deployment = await cluster.get("Deployment", NAMESPACE, name);
      expect(deployment?.spec).toMatchObject({
        template: { spec: { automountServiceAccountToken: false, terminationGracePeriodSeconds: 30 } },
      });
      // Applied twice without a change, it is the same.
      expect(deployment?.metadata.generation).toBe(1);
      const service = await cluster.get("Service", NAMESPACE, name);
      expect(service?.spec).toMatchObject({ type: "NodePort", ports: [{ nodePort: expect.any(Number) }] });
      const labels = { [LABELS.deployment]: one.deployment.id };
      for (const kind of ["Deployment", "Service", "Secret", "HorizontalPodAutoscaler"] as const)
        expect(await cluster.list(kind, NAMESPACE, labels)).toHaveLength(1);
      // Names and owners, and nothing of what is in a Secret.
      const [secret, ...others] = await cluster.listMetadata("Secret", NAMESPACE, labels);
      expect([secret?.metadata.name, Object.keys(secret ?? {}).toSorted(), others]).toEqual([
        name,
        ["apiVersion", "kind", "metadata"],
        [],
      ]);
    });

    test("what others change is seen, and goes with the next apply; a Secret changes in one field", async () => {
      const one = launch();
      for (const manifest of manifests(one, "service")) await cluster.apply(NAMESPACE, manifest);
      const name = nameOf(one.instance.id);
      const labels = { [LABELS.instance]: one.instance.id };
      const read = async () => {
        const [found] = await cluster.listMetadata("Deployment", NAMESPACE, labels);
        return found ?? expect.unreachable();
      };
      expect(isChangedByOthers(await read())).toBe(false);
      const kubectl = Bun.which("kubectl");
      if (kubectl) {
        await kubectlRun(kubectl, ["set", "image", `deployment/${name}`, "agent=registry.example/agent:2"]);
        expect(isChangedByOthers(await read())).toBe(true);
        for (const manifest of manifests(one, "service")) await cluster.apply(NAMESPACE, manifest);
        expect(isChangedByOthers(await read())).toBe(false);
      }
      await cluster.merge("Secret", NAMESPACE, name, { data: { STANDBY: btoa("false") } });
      const secret = (await cluster.get("Secret", NAMESPACE, name)) as unknown as { data: object };
      expect(secret.data).toMatchObject({ STANDBY: btoa("false"), CERTIFICATE: btoa("two\nlines") });
    });

    test("everything goes, also twice; what is not there is not found", async () => {
      const one = launch();
      for (const manifest of manifests(one)) await cluster.apply(NAMESPACE, manifest);
      const name = nameOf(one.instance.id);
      for (let times = 0; times < 2; times += 1)
        for (const kind of ["HorizontalPodAutoscaler", "Deployment", "Service", "Secret"] as const)
          await cluster.remove(kind, NAMESPACE, name);
      expect(await cluster.get("Secret", NAMESPACE, name)).toBeUndefined();
      expect(await cluster.list("Pod", NAMESPACE, { [LABELS.instance]: one.instance.id })).toEqual([]);
      expect(
        await cluster.askPod(NAMESPACE, { name: "none", port: 8000 }, { method: "GET", path: "/ok" }),
      ).toBeUndefined();
    });

    test("it says what Berth may do", async () => {
      expect(await cluster.fault(NAMESPACE)).toBe("");
    });

    async function kubectlRun(kubectl: string, args: string[]): Promise<void> {
      const child = Bun.spawn([kubectl, "--kubeconfig", server.file, "--namespace", NAMESPACE, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
    }
  },
);
