import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { because, describeUnless } from "../../skips.ts";
import { berthProgram } from "../../smoke/program.ts";
import { type BerthProcess, start, template } from "../berth-process.ts";
import { until } from "../condition.ts";
import { type Deployment, DeploymentApi, type Revision } from "../deployment-api.ts";
import { FakeApiServer, type RunningPod } from "./fake-api-server.ts";

const KEY = "a-key-for-clusters";
const noOpenssl = because(Bun.which("openssl") === null, "no openssl here");

/** Runs a pod's Berth as a process of this machine, its disk a folder of its own. */
async function runPod(environment: Record<string, string>): Promise<RunningPod> {
  const folder = mkdtempSync(join(tmpdir(), "berth-pod-"));
  const port = await freePort();
  const env = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replaceAll("/berth/data", folder)]),
  );
  const child = Bun.spawn([...berthProgram(), "serve", "--template", "chat"], {
    cwd: template("chat"),
    env: {
      ...{ PATH: process.env.PATH, ...env, HOST: "127.0.0.1", PORT: String(port), OFFLINE_TOKEN_MS: "0" },
      // No server is at the address that the deployment names.
      DATABASE_URL: `sqlite:${folder}/berth.db`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream)
      for (const line of decoder.decode(bytes).split("\n").filter(Boolean))
        log += `${new Date().toISOString()} ${line}\n`;
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  return {
    port,
    log: () => log,
    end: async () => {
      child.kill();
      await child.exited;
      await reading;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describeUnless(noOpenssl)("a cluster, whose API server and kubelet are fakes", () => {
  let berth: BerthProcess;
  let cluster: FakeApiServer;
  let listener: { id: string };
  const api = new DeploymentApi(() => berth.url, KEY);

  beforeAll(async () => {
    cluster = FakeApiServer.open({ run: runPod });
    berth = await start({
      env: { SERVICE_API_KEY: KEY, BERTH_EDITION: "self_hosted", DEPLOY_SETTLE_SECONDS: "0" },
    });
    listener = await api.ask("POST", "/v2/listeners", {
      ...{ compute_type: "k8s", compute_id: "here", compute_config: { k8s_namespaces: ["agents"] } },
      ...{ credentials: { kubeconfig: cluster.kubeconfig }, reach: { by: "node_port", host: "127.0.0.1" } },
    });
  });

  afterAll(async () => {
    await berth.stop();
    await cluster.close();
  });

  const create = (name: string, extra: { spec?: object; secrets?: object[] } = {}) =>
    api.ask<Deployment>("POST", "/v2/deployments", {
      name,
      source: "external_docker",
      source_config: {
        listener_id: listener.id,
        listener_config: { k8s_namespace: "agents" },
        ...(extra.spec && { resource_spec: extra.spec }),
      },
      source_revision_config: { image_uri: "registry.example/agent:1" },
      secrets: extra.secrets ?? [{ name: "DATABASE_URI", value: "postgres://elsewhere.example/agents" }],
    });
  const ended = async (id: string, revision: string, status = "DEPLOYED"): Promise<Revision> => {
    const settled = await api.settled(id, revision);
    expect(settled).toMatchObject({ status });
    return settled;
  };
  const answered = async (id: string): Promise<string> => {
    const { messages } = await api.ask<{ messages: { content: string }[] }>("POST", `/d/${id}/runs/wait`, {
      assistant_id: "chat",
      input: { messages: [{ role: "user", content: "hello" }] },
    });
    return messages.at(-1)?.content ?? "";
  };
  const madeGood = async (id: string) => {
    await until("its objects to be back", async () =>
      ["Deployment", "Service", "Secret"].every((kind) => cluster.of(kind).length === 1),
    );
    await until("an answer", async () => (await answered(id).catch(() => "")) !== "");
  };
  const gone = (id: string) =>
    until("everything of the deployment to be gone", async () =>
      [...cluster.objects.values(), ...[...cluster.pods.values()].map(({ pod }) => pod)].every(
        ({ metadata }) => metadata.labels["berth/deployment"] !== id,
      ),
    );

  test("a deployment comes up, answers, is replaced, rolled back, found again and deleted", async () => {
    const { id, latest_revision_id: first } = await create("in-a-cluster", {
      spec: { cpu: 0.5, memory_mb: 256, max_scale: 3 },
    });
    await ended(id, first);
    expect(await answered(id)).not.toBe("");
    const [deployment] = cluster.of("Deployment");
    expect(deployment?.metadata.labels).toMatchObject({
      "app.kubernetes.io/managed-by": "berth",
      "berth/deployment": id,
      "berth/revision": first,
    });
    const [container] = deployment?.spec.template.spec.containers ?? [];
    expect(container).toMatchObject({
      image: "registry.example/agent:1",
      resources: { requests: { cpu: "0.5", memory: "256Mi" }, limits: { cpu: "1", memory: "512Mi" } },
      readinessProbe: { httpGet: { path: "/ok", port: 8000 } },
    });
    expect(JSON.stringify(deployment)).not.toContain("elsewhere.example");
    expect(await api.ask<object>("GET", `/v2/deployments/${id}/instances`)).toMatchObject({
      resources: [{ place: "The cluster here, namespace agents", driver: "kubernetes", state: "serving" }],
    });
    const [secret] = cluster.of("Secret");
    expect(atob(secret?.data.DATABASE_URL)).toBe("postgres://elsewhere.example/agents");
    const [autoscaler] = cluster.of("HorizontalPodAutoscaler");
    expect(autoscaler?.spec).toMatchObject({ minReplicas: 1, maxReplicas: 3 });

    // The pods told what to do: those to come read it in their Secret.
    const standby = () =>
      cluster.of("Secret").map(({ data }) => Buffer.from(data.STANDBY, "base64").toString());
    await until("the pods to start runs", async () => standby().join() === "false");

    const patched = await api.ask<Deployment>("PATCH", `/v2/deployments/${id}`, {
      source_revision_config: { image_uri: "registry.example/agent:2" },
    });
    await ended(id, patched.latest_revision_id);
    await until("the first one to be gone", async () => cluster.of("Secret").length === 1);
    expect(cluster.of("Deployment")[0]?.spec.template.spec.containers[0].image).toBe(
      "registry.example/agent:2",
    );

    // Berth is killed: what the cluster runs goes on, and is found again.
    const uid = cluster.of("Deployment")[0]?.metadata.resourceVersion;
    await berth.kill9();
    berth = await berth.restartInPlace();
    await until(
      "the cluster's instance to be found",
      async () => (await answered(id).catch(() => "")) !== "",
    );
    expect(cluster.of("Deployment").map(({ metadata }) => metadata.resourceVersion)).toEqual([uid ?? ""]);

    await api.ask("POST", `/v2/deployments/${id}/revisions/${first}/redeploy`);
    await ended(id, first);
    await until("the image of before", async () =>
      cluster.of("Deployment").every(({ spec }) => spec.template.spec.containers[0].image.endsWith(":1")),
    );

    await api.ask("DELETE", `/v2/deployments/${id}`);
    await gone(id);
  });

  test("what the cluster changes by itself shows, its log is here, and somebody's deletion is made good", async () => {
    const { id, latest_revision_id: revision } = await create("changed");
    await ended(id, revision);
    const read = () =>
      api.ask<Revision & { remote_reconciled: boolean }>(
        "GET",
        `/v2/deployments/${id}/revisions/${revision}`,
      );
    expect((await read()).remote_reconciled).toBe(false);
    const lines = async () => {
      const query = new URLSearchParams({ deployment_id: id, log_type: "DEPLOY", page_size: "100" });
      return (await api.ask<{ items: { message: string }[] }>("GET", `/v2/deployment-logs?${query}`)).items;
    };
    await until("what the pod printed", async () =>
      (await lines()).some(({ message }) => message.includes("ready at")),
    );

    cluster.edit("Deployment", (object) => {
      object.spec.template.spec.containers[0].image = "registry.example/agent:somebody-else";
    });
    await until("the change to be seen", async () => (await read()).remote_reconciled);
    await api.ask("POST", `/v2/deployments/${id}/revisions/${revision}/redeploy`);
    await ended(id, revision);
    await until("it to be as Berth has it", async () => !(await read()).remote_reconciled);

    await cluster.clear();
    await madeGood(id);
    await cluster.clear("Service");
    await madeGood(id);
    await until("the reason to be in the log", async () =>
      (await lines()).some(({ message }) => message === "The cluster does not have its Service any more"),
    );
    await api.ask("DELETE", `/v2/deployments/${id}`);
    await gone(id);
  });

  test("pods that confirmed that they start runs, and were removed at once: those that follow start runs, too", async () => {
    const confirmed = Promise.withResolvers<void>();
    const removed = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<void>();
    cluster.hold = async (asked, way) => {
      if (way === "back" && asked.endsWith("/proxy/internal/claim")) {
        confirmed.resolve();
        await seen.promise;
      }
      if (way === "here" && asked.startsWith("GET ") && asked.includes("/deployments")) {
        // Until a pod has confirmed, Berth looks whether it comes up.
        if (Bun.peek.status(confirmed.promise) === "fulfilled") await removed.promise;
      }
      if (way === "here" && asked.startsWith("DELETE ")) seen.resolve();
    };
    const { id, latest_revision_id: revision } = await create("removed-at-once");
    await confirmed.promise;
    await cluster.clear();
    removed.resolve();
    await seen.promise;
    cluster.hold = undefined;
    await ended(id, revision);
    await madeGood(id);
    await cluster.clear("Secret");
    await madeGood(id);
    await api.ask("DELETE", `/v2/deployments/${id}`);
    await gone(id);
  });

  test("what cannot come up says why, and what a pod would lose is refused", async () => {
    cluster.waiting = "ImagePullBackOff";
    const hopeless = await create("no-image");
    const { status_message } = await ended(hopeless.id, hopeless.latest_revision_id, "DEPLOY_FAILED");
    expect(status_message).toContain("ImagePullBackOff");
    cluster.waiting = undefined;
    const file = await create("on-a-file", { secrets: [] });
    const refused = await ended(file.id, file.latest_revision_id, "DEPLOY_FAILED");
    expect(refused.status_message).toContain("needs a database server");
    expect(cluster.of("Deployment")).toEqual([]);
    for (const { id } of [hopeless, file]) {
      await api.ask("DELETE", `/v2/deployments/${id}`);
      await gone(id);
    }
  });

  test("the health of a cluster is watched; its credentials are shown to nobody", async () => {
    type Listener = { health: string | null; has_credentials: boolean; checked_at: string | null };
    const read = () => api.ask<Listener>("GET", `/v2/listeners/${listener.id}`);
    cluster.denied.add("patch secrets");
    await until("what is lacking", async () => (await read()).health?.includes("patch secrets") === true);
    cluster.denied.clear();
    expect(JSON.stringify(await read())).not.toContain("a-token-of");
    expect((await read()).has_credentials).toBe(true);
  });

  test.each([
    ["is not YAML", ": : :"],
    [
      "certificate-authority",
      JSON.stringify({
        "current-context": "a",
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
        clusters: [
          { name: "a", cluster: { server: "https://10.0.0.1", "certificate-authority": "/etc/passwd" } },
        ],
        users: [{ name: "a", user: { token: "t" } }],
      }),
    ],
    [
      "exec",
      JSON.stringify({
        "current-context": "a",
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
        clusters: [{ name: "a", cluster: { server: "https://10.0.0.1" } }],
        users: [{ name: "a", user: { exec: { command: "sh" } } }],
      }),
    ],
    [
      "https address",
      JSON.stringify({
        "current-context": "a",
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
        clusters: [{ name: "a", cluster: { server: "http://10.0.0.1" } }],
        users: [{ name: "a", user: { token: "t" } }],
      }),
    ],
  ])("a kubeconfig is refused: %s", async (reason, kubeconfig) => {
    const body = {
      compute_type: "k8s",
      compute_id: "other",
      compute_config: {},
      credentials: { kubeconfig },
    };
    await expect(api.ask("POST", "/v2/listeners", body)).rejects.toThrow(reason);
  });

  test("only a key of the organization gives Berth a cluster", async () => {
    const { secret } = await api.ask<{ secret: string }>("POST", "/v1/keys", { name: "of the workspace" });
    const own = new DeploymentApi(() => berth.url, secret);
    const body = { compute_type: "k8s", compute_id: "mine", compute_config: {} };
    const credentials = { kubeconfig: cluster.kubeconfig };
    await expect(own.ask("POST", "/v2/listeners", { ...body, credentials })).rejects.toThrow("403");
    const { id } = await own.ask<{ id: string }>("POST", "/v2/listeners", body);
    await expect(own.ask("PATCH", `/v2/listeners/${id}`, { credentials })).rejects.toThrow("403");
    const wider = { compute_config: { k8s_namespaces: ["kube-system"] } };
    await expect(own.ask("PATCH", `/v2/listeners/${listener.id}`, wider)).rejects.toThrow("403");
    await own.ask("DELETE", `/v2/listeners/${id}`);
  });
});
