import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeUnless, notLong } from "../../skips.ts";
import { type Ended, run } from "../../smoke/program.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { openPodman, type Podman } from "../podman.ts";

const KEY = "a-key-for-local-builds";
const opened = await openPodman();
const noContainers = typeof opened === "string" ? `no containers here: ${opened}` : undefined;

afterAll(async () => {
  if (typeof opened !== "string") await opened.remove();
});

describeUnless(noContainers ?? notLong)("berth deploy --local", () => {
  const podman = opened as Podman;
  const env = () => ({ ...podman.env, CONTAINER_ENGINE: "podman" });
  const folder = () => join(podman.folder, "my-agent");
  const executable = () => join(podman.folder, "berth");
  let berth: BerthProcess;
  const api = new DeploymentApi(() => berth.url, KEY);

  beforeAll(async () => {
    // The executable, of which only the base image has a copy here.
    const container = await podman.run("create", "localhost/base:1", "/bin/berth");
    await podman.run("cp", `${container}:/bin/berth`, executable());
    const settings = { CONTAINER_NETWORK: "host", SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0" };
    berth = await start({ env: { ...env(), ...settings, BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "3" } });
  });
  afterAll(async () => {
    expect(await berth.stop()).toBe(0);
  });

  /** A project whose graph brings LangGraph along, in one file: there is no network. */
  const write = async (config: object, answer: string) => {
    mkdirSync(folder(), { recursive: true });
    const entry = join(import.meta.dir, "..", "deploy-project", "agent.ts");
    const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun" });
    const text = ((await outputs[0]?.text()) ?? "").replace('"one"', JSON.stringify(answer));
    const json = { graphs: { agent: "./agent.js:graph" }, env: ".env", ...config };
    const files = {
      ...{ "agent.js": text, "graph.json": JSON.stringify(json) },
      ...{ ".env": "SUFFIX=!\n", "notes.txt": "private", ".dockerignore": "notes.txt\n" },
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder(), name), content);
  };
  const deploy = (...args: string[]): Promise<Ended> =>
    run([executable(), "deploy", "--local", "--no-input", ...args], folder(), {
      ...{ ...env(), SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: berth.url, NO_COLOR: "1" },
    });
  const idIn = (text: string) => /\/d\/([0-9a-f-]{36})/.exec(text)?.[1] ?? "";
  const imageIn = (text: string) => /my-agent@(sha256:[0-9a-f]{64})/.exec(text)?.[1];
  const ask = (id: string) =>
    api.ask("POST", `/d/${id}/runs/wait`, { assistant_id: "agent", input: { said: "" } });

  test("an image of the project's configuration answers, and is replaced by the next", async () => {
    await write({ base_image: "localhost/base:1" }, "one");
    const first = await deploy();
    expect([first.code, first.err]).toEqual([0, ""]);
    const id = idIn(first.out);
    expect(await ask(id)).toEqual({ said: "one!" });
    const { resources } = await api.ask<{ resources: { image_digest: string }[] }>(
      "GET",
      `/v2/deployments/${id}/revisions?limit=1`,
    );
    expect(first.out).toContain(`/berth/${id}/my-agent@${resources[0]?.image_digest}`);

    await write({ base_image: "localhost/base:1" }, "two");
    const second = await deploy();
    expect([second.code, second.err, idIn(second.out)]).toEqual([0, "", id]);
    expect(await ask(id)).toEqual({ said: "two!" });

    // Nothing has changed: every layer is there, in the engine and in the registry.
    const before = readdirSync(join(berth.data, "registry")).sort();
    const began = performance.now();
    const third = await deploy();
    console.log(`deployed again without a change: ${Math.round(performance.now() - began)} ms`);
    expect([third.code, third.err, imageIn(third.out)]).toEqual([0, "", imageIn(second.out)]);
    expect(readdirSync(join(berth.data, "registry")).sort()).toEqual(before);

    const image = "localhost/berth-deploy/my-agent:latest";
    const inspected = await podman.run("image", "inspect", image);
    expect(inspected).toContain('"User": "65532:65532"');
    // What is secret, and what an upload leaves out, is in no layer.
    const container = await podman.run("create", image);
    const copy = join(podman.folder, "copy");
    await podman.run("cp", `${container}:/app`, copy);
    await podman.run("rm", container);
    expect([...new Bun.Glob("**").scanSync({ cwd: copy, dot: true })].sort()).toEqual([
      ...[".dockerignore", "agent.js", "graph.json"],
    ]);
    expect(inspected).not.toContain("SUFFIX");
    // Under the name of the registry nothing stays behind.
    const names = await podman.run("images", "--format", "{{.Repository}}");
    expect(names.split("\n").filter((name) => name.startsWith(new URL(berth.url).host))).toEqual([]);
  });

  test("a base that cannot be had is told in the engine's words, and leaves no deployment", async () => {
    await write({ base_image: "127.0.0.1:1/nobody/base:1" }, "one");
    const failed = await deploy("--name", "baseless");
    expect(failed.code).toBe(1);
    expect(failed.err).toContain("podman could not build the image");
    expect(failed.err).toContain("127.0.0.1:1");
    const { resources } = await api.ask<{ resources: { status: string }[] }>(
      "GET",
      "/v2/deployments?name_contains=baseless",
    );
    expect(resources.filter(({ status }) => status !== "AWAITING_DELETE")).toEqual([]);
  });
});
