import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rawTarGz } from "../control/build/raw-tar.ts";
import { until } from "../e2e/condition.ts";
import { langGraphBundle } from "../e2e/tiny-agent.ts";
import { type Receiver, startReceiver } from "../server/delivery/receiver.ts";
import { describeUnless, notLong, testUnless } from "../skips.ts";
import { type BareRoot, bareRoot, CERTIFICATES, noBareRoot } from "./bare-root.ts";
import { type Berth, type Ended, post as postAs, runAlone, startBerth } from "./program.ts";

const problem = noBareRoot();

const KEY = "the-key-of-a-bare-machine";
const post = (url: string, body: unknown) => postAs(url, body, { "x-api-key": KEY });
const BERTH = "/bin/berth";
const ON_DISK = "/tmp/projects";
const hello = { messages: [{ role: "user", content: "hello" }] };

describeUnless(problem)("on a machine with a C library and nothing else, the executable", () => {
  let root: BareRoot;
  let registry: Receiver;
  let receiver: Receiver;
  let berth: Berth;

  /** Starts it as a service is started, with nothing of this machine's own environment. */
  const served = (env: Record<string, string>) =>
    startBerth(root.command([BERTH], ON_DISK), {
      env: { HOME: "/tmp", SERVICE_API_KEY: KEY, ...env },
      alone: true,
    });

  beforeAll(async () => {
    root = await bareRoot();
    mkdirSync(join(root.path, ON_DISK));
    registry = startRegistry();
    receiver = startReceiver();
    berth = await served({ WEBHOOK_ALLOW: "127.0.0.0/8", npm_config_registry: registry.url });
  });
  afterAll(async () => {
    const code = await berth?.stop();
    registry?.stop();
    receiver?.stop();
    root?.remove();
    expect(code).toBe(0);
  });

  /** Runs `berth` in there to its end. */
  const command = (words: string[], folder = ON_DISK): Promise<Ended> =>
    runAlone(root.command([BERTH, ...words], folder), {
      ...{ HOME: "/tmp", SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: berth.url },
    });

  const deployed = async (words: string[], folder?: string): Promise<string> => {
    const { code, out, err } = await command(["deploy", ...words], folder);
    expect([code, err]).toEqual([0, ""]);
    const url = /https?:\/\/\S+\/d\/[\da-f-]{36}/.exec(out)?.[0];
    expect(url).toBeDefined();
    return url ?? "";
  };

  test("serves the chat, and an agent that answers", async () => {
    const page = await fetch(berth.url, { headers: { "x-api-key": KEY } });
    const html = await page.text();
    const [, script = ""] = /src="((?:\.?\/)?assets\/[^"]+\.js)"/.exec(html) ?? [];
    const answer = await fetch(new URL(script, `${berth.url}/`), { headers: { "accept-encoding": "br" } });
    expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, "br"]);
    const { status, body } = await post(`${berth.url}/runs/wait`, {
      assistant_id: "deep-agent",
      input: hello,
    });
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining("offline model")]);
  });

  test("deploys a template", async () => {
    const url = await deployed(["--template", "chat", "--name", "a-template"]);
    const { status, body } = await post(`${url}/runs/wait`, { assistant_id: "chat", input: hello });
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining("offline model")]);
  });

  test("deploys a project, whose packages it installs itself", async () => {
    const folder = `${ON_DISK}/greeter`;
    await writeProject(join(root.path, folder));
    const url = await deployed(["--name", "greeter"], folder);
    const answer = await post(`${url}/runs/wait`, { assistant_id: "agent", input: {} });
    expect(answer).toEqual({ status: 200, body: { said: "Hello from a package" } });
    expect(registry.received.map(({ path }) => path)).toContain("/berth-greeting/1.0.0.tgz");
  });

  testUnless(notLong)("begins a project, and deploys it with packages of the public registry", async () => {
    // Without a registry of the tests' own, trusting whom the machine trusts.
    expect(await berth.stop()).toBe(0);
    berth = await served({ WEBHOOK_ALLOW: "127.0.0.0/8", NODE_EXTRA_CA_CERTS: CERTIFICATES });
    const made = await command(["new", "my-agent", "--template", "chat"]);
    expect([made.code, made.err]).toEqual([0, ""]);
    const url = await deployed([], `${ON_DISK}/my-agent`);
    const { status, body } = await post(`${url}/runs/wait`, { assistant_id: "chat", input: hello });
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining("offline model")]);
  });

  test("delivers a webhook", async () => {
    const wanted = { url: `${receiver.url}hook`, severity_threshold: 3 };
    const created = await post(`${berth.url}/v1/issue-webhooks`, wanted);
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    const tried = await post(`${berth.url}/v1/issue-webhooks/${id}/test`, {});
    expect(tried.status).toBe(202);
    await until("the delivery", async () => receiver.received.length > 0);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"]);
    expect(receiver.received[0]?.headers.get("x-service-signature")).toMatch(/^sha256=[\da-f]{64}$/);
  });
});

const PACKAGE = "berth-greeting";

/** A registry with one package. */
function startRegistry(): Receiver {
  const json = JSON.stringify({ name: PACKAGE, version: "1.0.0", type: "module", exports: "./index.js" });
  const archive = rawTarGz([
    { name: "package/package.json", content: json },
    { name: "package/index.js", content: 'export const greeting = "Hello from a package";' },
  ]);
  const integrity = `sha512-${new Bun.CryptoHasher("sha512").update(archive).digest("base64")}`;
  const registry = startReceiver(({ path }) => {
    if (path === `/${PACKAGE}/1.0.0.tgz`) return new Response(new Uint8Array(archive));
    if (path !== `/${PACKAGE}`) return 404;
    const dist = { tarball: `${registry.url}${PACKAGE}/1.0.0.tgz`, integrity };
    const versions = { "1.0.0": { name: PACKAGE, version: "1.0.0", dist } };
    return Response.json({ name: PACKAGE, "dist-tags": { latest: "1.0.0" }, versions });
  });
  return registry;
}

async function writeProject(folder: string): Promise<void> {
  mkdirSync(folder);
  const files = {
    "package.json": JSON.stringify({ name: "greeter", dependencies: { [PACKAGE]: "1.0.0" } }),
    "graph.json": JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }),
    "langgraph.js": await langGraphBundle(),
    "agent.ts": `
import { greeting } from "${PACKAGE}";
import { Annotation, StateGraph } from "./langgraph.js";
const State = Annotation.Root({ said: Annotation });
export const graph = new StateGraph(State).addNode("say", () => ({ said: greeting })).addEdge("__start__", "say").compile();
`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
