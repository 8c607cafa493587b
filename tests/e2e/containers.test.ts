import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type ContainerRig, openContainers } from "../control/run/container/rig.ts";
import { freePort } from "../free-port.ts";
import { because, describeUnless, notLong, testUnless } from "../skips.ts";
import { putExecutable } from "../smoke/executable.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { type ImageRegistry, serveImages } from "./image-registry.ts";
import { playManifests } from "./kubernetes/kube-play.ts";
import { traceAnother } from "./other-server.ts";
import { openPodman, type Podman } from "./podman.ts";

const KEY = "a-key-for-containers";
const SECRETS = [
  { name: "MODEL_KEY", value: "sk-never-seen-by-anybody" },
  { name: "CERTIFICATE", value: "-----BEGIN-----\nfirst and 'second' line\n-----END-----\n" },
];

/** How often Berth is killed, at moments between the request and this. */
const ROUNDS = process.env.BERTH_LONG ? 20 : 1;
const LAST_KILL_MS = 1_000;

const opened = await openPodman();
const noContainers = typeof opened === "string" ? `no containers here: ${opened}` : undefined;

type Asked = { id: string; answer: string; env: Record<string, string> };
type Container = {
  Id: string;
  Config: { Labels: Record<string, string>; CreateCommand: string[] };
  HostConfig: {
    Memory: number;
    MemoryReservation: number;
    NanoCpus: number;
    CapDrop: string[];
    SecurityOpt: string[];
  };
};

afterAll(async () => {
  if (typeof opened !== "string") await opened.remove();
});

const testLong = testUnless(notLong);
describeUnless(noContainers)("containers", () => {
  const podman = opened as Podman;
  let berth: BerthProcess;
  let registry: ImageRegistry;
  const api = new DeploymentApi(() => berth.url, KEY);

  beforeAll(async () => {
    await podman.image("localhost/victim:1", { env: { ANSWER: "one" } });
    await podman.image("localhost/one:1", { env: { ANSWER: "one", AGAIN: "1" } });
    await podman.image("localhost/two:1", { env: { ANSWER: "two" } });
    await podman.image("localhost/failing:1", { env: { FAIL: "3" } });
    await podman.image("localhost/chat:1", { berth: ["serve", "--template", "chat"] });
    registry = serveImages(podman.folder);
    const env = {
      ...podman.env,
      ...registry.env,
      SERVICE_API_KEY: KEY,
      CONTAINER_ENGINE: "podman",
      CONTAINER_NETWORK: "host",
    };
    berth = await start({ env: { ...env, BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "3" } });
  });

  afterAll(async () => {
    // A deletion that is cut short goes on with the next start: only the last deployment is there, and runs.
    const folders = join(berth.data, "deployments");
    await until("the deleted ones to be gone", async () => readdirSync(folders).length === 1);
    // Those that Berth made: trying out the engine, and making images, has others.
    const ours = ["--no-trunc", "--filter", "label=berth.instance", "--format", "{{.Names}} {{.Status}}"];
    expect(await podman.run("ps", ...ours)).not.toBe("");
    expect(await berth.stop()).toBe(0);
    // Told to stop, Berth leaves none behind.
    const left = await podman.run("ps", "--all", ...ours);
    expect(left === "" ? "" : `${left}\n${berth.output()}`).toBe("");
  });

  const create = (name: string, image_uri: string | null, resource_spec: object | null = null) =>
    api.ask<{ id: string; latest_revision_id: string }>("POST", "/v2/deployments", {
      name,
      source: "internal_docker",
      source_config: { ...(resource_spec && { resource_spec }) },
      source_revision_config: { ...(image_uri !== null && { image_uri }) },
      secrets: SECRETS,
    });
  /** Why an image is refused: when the deployment is created, or by its revision. */
  const refusalOf = async (name: string, image_uri: string): Promise<string> => {
    try {
      const { id, latest_revision_id } = await create(name, image_uri);
      const { status, status_message } = await api.settled(id, latest_revision_id);
      await api.delete(id);
      return `${status}: ${status_message}`;
    } catch (error) {
      return String(error);
    }
  };
  const patch = async (id: string, image_uri: string): Promise<string> => {
    const body = { source_revision_config: { image_uri } };
    const changed = await api.ask<{ latest_revision_id: string }>("PATCH", `/v2/deployments/${id}`, body);
    return changed.latest_revision_id;
  };
  const asked = (id: string) => api.ask<Asked>("GET", `/d/${id}/ask`);
  const get = async (path: string) =>
    (await fetch(berth.url + path, { headers: { "x-api-key": KEY } })).text();
  const containers = async (deploymentId: string): Promise<Container[]> => {
    const ids = await podman.run("ps", "--quiet", "--filter", `label=berth.deployment=${deploymentId}`);
    return ids === "" ? [] : JSON.parse(await podman.run("inspect", ...ids.split("\n")));
  };
  const logged = async (id: string, text: string): Promise<string[]> => {
    const query = new URLSearchParams({
      deployment_id: id,
      log_type: "DEPLOY",
      query: text,
      page_size: "100",
    });
    const { items } = await api.ask<{ items: { message: string }[] }>("GET", `/v2/deployment-logs?${query}`);
    return items.map(({ message }) => message);
  };

  test("the image of another server sends its traces with what it was told, and its failures are an issue", () =>
    traceAnother(api, berth.url, "localhost/one:1"));
  testLong("a cluster's objects come up under Podman", () => playManifests(podman, "localhost/chat:1"));
  test("an uploaded image is deployed, replaced, rolled back and deleted", async () => {
    const victim = await podman.run("image", "inspect", "--format", "{{.Id}}", "localhost/victim:1");
    const archive = join(podman.folder, "image.tar");
    await podman.run("save", "--quiet", "--output", archive, "localhost/victim:1");
    // The name in the archive is another image's by now.
    await podman.run("tag", "localhost/two:1", "localhost/victim:1");
    const spec = { cpu: 0.5, memory_mb: 256, memory_limit_mb: 768 };
    const { id } = await create("uploaded", null, spec);
    const place = await api.ask<{ upload_url: string; object_path: string }>(
      "POST",
      `/v2/deployments/${id}/upload-url`,
    );
    expect((await fetch(place.upload_url, { method: "PUT", body: Bun.file(archive) })).status).toBe(200);
    const first = await patch(id, place.object_path);
    expect(await api.settled(id, first)).toMatchObject({ status: "DEPLOYED", status_message: null });

    const { answer, env } = await asked(id);
    expect(answer).toBe("one");
    for (const { name, value } of SECRETS) expect(env[name]).toBe(value);
    expect(env).toMatchObject({ DATA_DIR: "/berth/data", HOST: "127.0.0.1", LANGSMITH_HOST_PROJECT_ID: id });
    expect(Object.keys(env)).not.toContain("SERVICE_API_KEY");
    const now = await podman.run("image", "inspect", "--format", "{{.Id}}", "localhost/victim:1");
    expect(now).not.toBe(victim);

    const [container] = await containers(id);
    expect(container?.HostConfig).toMatchObject({
      Memory: 768 * 2 ** 20,
      MemoryReservation: 256 * 2 ** 20,
      NanoCpus: 1e9,
    });
    expect(container?.HostConfig.SecurityOpt).toContain("no-new-privileges");
    expect(container?.HostConfig.CapDrop.length).toBeGreaterThan(5);
    expect(container?.Config.Labels).toMatchObject({ "berth.deployment": id, "berth.revision": first });
    const command = JSON.stringify(container?.Config.CreateCommand);
    for (const { value } of SECRETS) expect(command).not.toContain(value.slice(0, 12));
    const folder = join(berth.data, "deployments", id);
    const instance = container?.Config.Labels["berth.instance"] ?? "";
    expect(existsSync(join(folder, "instances", instance, "environment"))).toBe(false);

    const [image = ""] = (await podman.run("images", "--quiet", `localhost/berth/${id}`)).split("\n");
    const short = [`berth/${id}:${first}`, `${id}:${first}`];
    const transports = [
      `containers-storage:${image.slice(0, 3)}`,
      `containers-storage:localhost/${short[0]}`,
    ];
    for (const [at, text] of [...short, ...transports, "dir:1", "docker-archive:x"].entries()) {
      expect(await refusalOf(`thief-${at}`, text)).toContain("not the name of an image");
    }

    await get(`/d/${id}/keep?by-the-first`);
    const second = await patch(id, "localhost/two:1");
    expect(await api.settled(id, second)).toMatchObject({ status: "DEPLOYED", status_message: null });
    expect((await asked(id)).answer).toBe("two");
    expect(await get(`/d/${id}/kept`)).toBe("?by-the-first");
    await until("the old container to go", async () => (await containers(id)).length === 1);
    await until("its last words", async () => (await logged(id, "told to stop")).length > 0);

    await api.redeploy(id, first);
    expect((await api.settled(id, first)).status).toBe("DEPLOYED");
    expect((await asked(id)).answer).toBe("one");

    await api.delete(id);
    await until("its folder to go", async () => !existsSync(folder));
    expect(await podman.run("ps", "--all", "--quiet", "--filter", `label=berth.deployment=${id}`)).toBe("");
    expect(await podman.run("images", "--format", "{{.Repository}}")).not.toContain(id);
    // Names that people gave stay.
    expect(await podman.run("images", "--format", "{{.Repository}}")).toContain("localhost/two");
  });

  test("a container outlives a killed Berth, which neither doubles it nor loses a line of it", async () => {
    const { id, latest_revision_id } = await create("adopted", "localhost/two:1");
    await api.settled(id, latest_revision_id);
    const before = await asked(id);
    await get(`/d/${id}/chat`);
    await until("some of its lines", async () => (await logged(id, "line 2.")).length > 0);
    await berth.kill9();
    berth = await berth.restartInPlace();
    expect((await asked(id)).id).toBe(before.id);
    await get(`/d/${id}/say?after`);
    await until("the last line", async () => (await logged(id, "?after")).length === 2);
    await until("the end of its talk", async () => (await logged(id, "line 89.")).length > 0);
    const lines = (await logged(id, "line ")).map((line) => Number(/\d+/.exec(line)?.[0]));
    expect(lines.sort((one, other) => one - other)).toEqual(Array.from({ length: 90 }, (_, line) => line));
    expect(await containers(id)).toHaveLength(1);

    // One that ends by itself is started again.
    await get(`/d/${id}/die`);
    const next = await until(
      "another container",
      () => asked(id).catch(() => before),
      (one) => one.id !== before.id,
    );
    expect(next.answer).toBe("two");
    await until("one container", async () => (await containers(id)).length === 1);
    await api.delete(id);
  });

  testLong("Berth killed at any moment of a deployment leaves one container, and it serves", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, latest_revision_id } = await create(`killed-${round}`, "localhost/two:1");
      await Bun.sleep(((round + 0.5) * LAST_KILL_MS) / ROUNDS);
      await berth.kill9();
      berth = await berth.restartInPlace();
      expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
      expect((await asked(id)).answer).toBe("two");
      const all = ["ps", "--all", "--quiet", "--filter", `label=berth.deployment=${id}`];
      await until("one container", async () => !(await podman.run(...all)).includes("\n"));
      await api.delete(id);
      await until("none", async () => (await podman.run(...all)) === "");
    }
  });

  testLong("a tag that moved brings another image, which the revision names by its digest", async () => {
    const name = `${registry.name}/team/agent:1`;
    const push = async (image: string) => {
      await podman.run("push", "--quiet", "--tls-verify=false", image, name);
      return registry.digest("team/agent", "1");
    };
    const shown = (revision: string) => api.ask<object>("GET", `/v2/deployments/${id}/revisions/${revision}`);
    const one = await push("localhost/one:1");
    const { id, latest_revision_id: first } = await create("moving", name);
    expect(await api.settled(id, first)).toMatchObject({ status: "DEPLOYED" });
    expect((await asked(id)).answer).toBe("one");
    const two = await push("localhost/two:1");
    expect(two).not.toBe(one);
    const second = await patch(id, name);
    expect(await api.settled(id, second)).toMatchObject({ status: "DEPLOYED" });
    expect((await asked(id)).answer).toBe("two");
    expect(await shown(first)).toMatchObject({ image_digest: one });
    expect(await shown(second)).toMatchObject({ image_digest: two });
    // Going back brings the image that it was, and a registry that is away none that nobody knows.
    await api.redeploy(id, first);
    expect((await api.settled(id, first)).status).toBe("DEPLOYED");
    expect((await asked(id)).answer).toBe("one");
    await registry.stop();
    const third = await patch(id, name);
    expect(await api.settled(id, third)).toMatchObject({ status: "DEPLOYED" });
    expect(await shown(third)).toMatchObject({ image_digest: two });
    const query = `deployment_id=${id}&revision_id=${third}&log_type=BUILD&level=WARNING`;
    const { items } = await api.ask<{ items: { message: string }[] }>("GET", `/v2/deployment-logs?${query}`);
    expect(items.map(({ message }) => message).join()).toContain("Berth takes the one that the engine has");
    await api.delete(id);
  });

  test("what cannot run says why", async () => {
    const failing = await create("failing", "localhost/failing:1");
    const failed = await api.settled(failing.id, failing.latest_revision_id);
    expect(failed.status).toBe("DEPLOY_FAILED");
    expect(failed.status_message).toContain("about to give up");
    const missing = await create("missing", "localhost:1/nobody/nothing:1");
    const unknown = await api.settled(missing.id, missing.latest_revision_id);
    expect(unknown.status).toBe("CREATE_FAILED");
    expect(unknown.status_message).toContain("localhost:1/v2/");
    for (const { id } of [failing, missing]) await api.delete(id);
    await until("no container", async () => (await containers(failing.id)).length === 0);
  });

  test("a Berth in a container answers, with its database in the deployment's folder", async () => {
    const { id, latest_revision_id } = await create("chat", "localhost/chat:1");
    expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
    const run = { assistant_id: "chat", input: { messages: [{ role: "user", content: "hello" }] } };
    const answer = await api.ask<object>("POST", `/d/${id}/runs/wait`, run);
    expect(JSON.stringify(answer)).toContain("offline model");
    expect(existsSync(join(berth.data, "deployments", id, "data", "berth.db"))).toBe(true);
    // Its door is its own, not this machine's gateway's alone.
    expect((await fetch(`${berth.url}/d/${id}/info`)).status).toBe(401);
  });
});

describeUnless(noContainers)("the container driver", () => {
  const podman = opened as Podman;
  let rig: ContainerRig;
  const all = (label: string) =>
    podman.run("ps", "--all", "--quiet", "--no-trunc", "--filter", `label=${label}`);
  const answers = (port: number | null) =>
    until(
      "an answer",
      async () => (await fetch(`http://127.0.0.1:${port}/ok`).catch(() => undefined))?.ok === true,
    );

  beforeAll(() => {
    rig = openContainers({ ...process.env, ...podman.env }, { engine: "podman", network: "host" });
  });

  afterAll(() => rig?.remove());

  testLong("a container that no row tells of is swept, or makes way for the next start", async () => {
    const launch = rig.launch("localhost/probe:1");
    const label = `berth.instance=${launch.instance.id}`;
    await rig.driver.start(launch);
    await answers(rig.row(launch).port);
    const first = rig.row(launch).container;
    expect(await rig.driver.memoryBytes(rig.row(launch))).toBeGreaterThan(1e6);
    expect(await rig.driver.isAlive(rig.row(launch))).toBe(true);

    await rig.driver.sweepOrphans([rig.row(launch)]);
    expect(await rig.driver.isAlive(rig.row(launch))).toBe(true);
    // A crash before the row was written.
    await rig.driver.start({ ...launch, instance: { ...launch.instance, container: null } });
    const second = rig.row(launch).container;
    expect(second).not.toBe(first);
    expect(`podman:${await all(label)}`).toBe(second ?? "");
    await rig.driver.sweepOrphans([launch.instance]);
    expect(await all(label)).toBe("");
    expect(await rig.driver.isAlive(rig.row(launch))).toBe(false);
    // What is gone is stopped already.
    await rig.driver.stop(rig.row(launch), 1_000);

    await rig.driver.start(launch);
    await rig.driver.stop(launch.instance, 1_000);
    expect(await all(label)).toBe("");
  });

  testUnless(
    noContainers ?? because((opened as Podman).publishing === undefined, "Podman publishes no port here"),
  )("a port is published on loopback only", async () => {
    const own = openContainers({ ...process.env, ...podman.publishing }, { engine: "podman" });
    const launch = own.launch("localhost/probe:1");
    await own.driver.start(launch);
    const { port, container } = own.row(launch);
    await answers(port);
    const bindings = "{{json .NetworkSettings.Ports}}";
    const id = container?.split(":")[1] ?? "";
    expect(JSON.parse(await podman.run("inspect", "--format", bindings, id))).toEqual({
      "8000/tcp": [{ HostIp: "127.0.0.1", HostPort: String(port) }],
    });
    await own.driver.stop(own.row(launch), 1_000);
    own.remove();
  });
});

/** As compose.yaml of the documentation has it: nobody's root, nothing to write to but the data and /tmp. */
const HARDENED = [
  ...["--init", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL"],
  ...["--security-opt", "no-new-privileges"],
];

testUnless(noContainers ?? notLong)(
  "the container file of the documentation makes an image that serves, backs up, tells its health and stops",
  async () => {
    const podman = opened as Podman;
    const context = join(podman.folder, "context");
    mkdirSync(join(context, "dist", "data"), { recursive: true });
    await putExecutable(join(context, "dist", "berth"));
    const file = join(import.meta.dir, "..", "..", "docs", "examples", "Containerfile");
    const options = ["--format", "docker", "--build-arg", "BASE=localhost/base:1"];
    await podman.run("build", "--quiet", "--file", file, ...options, "--tag", "localhost/berth:1", context);
    const port = String(freePort());
    const settings = ["--env", `PORT=${port}`, "--env", `SERVICE_API_KEY=${KEY}`];
    const id = await podman.run("run", "--detach", ...HARDENED, ...settings, "localhost/berth:1");
    await until("Berth to be ready in it", async () =>
      (await podman.run("logs", id)).includes("Berth is ready at"),
    );
    expect(await podman.run("exec", id, "berth", "health")).toBe("ok");
    await podman.run("healthcheck", "run", id);
    const who = await podman.run("exec", "--env", "BUN_BE_BUN=1", id, "berth", "-p", WHO);
    expect(JSON.parse(who)).toEqual({ uid: 10_001, first: "podman-init", root: "EROFS", data: 0o700 });
    const told = await podman.run("exec", id, "berth", "backup", "/data/backups/today.tar.gz");
    expect(told).toContain("read back and well");
    await podman.run("stop", id);
    expect(await podman.run("inspect", "--format", "{{.State.ExitCode}}", id)).toBe("0");
  },
);

/** Who it is in there, who is the first process, and whether the root and the data can be written. */
const WHO = `const fs = require("fs");
const said = (act) => { try { return act() } catch ({ code }) { return code } };
JSON.stringify({
  uid: process.getuid(),
  first: fs.readFileSync("/proc/1/comm", "utf8").trim(),
  root: said(() => fs.writeFileSync("/own", "")),
  data: fs.statSync("/data").mode & 0o777,
})`.replaceAll("\n", " ");
