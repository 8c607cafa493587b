import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { templates } from "../../agent/templates/index.ts";
import { asked, openRig, type Rig, type Started, started } from "../control/run/rig.ts";
import { berthProgram, run } from "../smoke/program.ts";
import { until } from "./condition.ts";
import { type Frame, readFrames } from "./crash-http.ts";

type Run = { run_id: string; thread_id: string; status: string };
type Created = { run: Run; at: number };

let rig: Rig;
/** What serves, and what is to take its place: two revisions on one database. */
let before: Started;
let after: Started;

const pidOf = ({ instance }: Started) => rig.row(instance.id).pid ?? 0;
const headersOf = ({ instance }: Started) => ({ "x-berth-gateway": instance.token });
const pathOf = ({ thread_id, run_id }: Run) => `/threads/${thread_id}/runs/${run_id}`;

async function read<T>(from: Started, path: string): Promise<T> {
  const response = await fetch(from.url + path, { headers: headersOf(from) });
  expect(response.status).toBe(200);
  return response.json() as Promise<T>;
}

async function create(at: Started, input: object, more: object = {}): Promise<Run> {
  const { thread_id } = await asked<{ thread_id: string }>(at, "/threads", {});
  const wanted = { assistant_id: "steps", input, config: { recursion_limit: 1_000 }, ...more };
  return asked<Run>(at, `/threads/${thread_id}/runs`, wanted);
}

const pidsOf = async (at: Started, { thread_id }: Run) => {
  const { values } = await read<{ values: { pids?: number[] } }>(at, `/threads/${thread_id}/state`);
  return [...new Set(values.pids)];
};

const succeeded = (at: Started, run: Run) =>
  until(
    "the run to succeed",
    () => read<Run>(at, pathOf(run)),
    ({ status }) => status === "success",
  );

const claim = (at: Started, wanted: boolean) =>
  asked<{ claiming: boolean }>(at, "/internal/claim", { claim: wanted });

beforeAll(async () => {
  rig = openRig();
  before = await started(rig);
  after = await started(rig, { deployment: before.deployment, standby: true });
});

afterAll(async () => {
  await rig.driver.stop(rig.row(after.instance.id), 10_000);
  await rig.driver.removeAll(before.deployment);
  rig.remove();
});

test("what cannot be served is told in one line", async () => {
  const refused = async (words: string[], env: Record<string, string> = {}) => {
    const where = ["--port", "0", "--data", join(rig.dataDir, "none")];
    const { code, err } = await run([...berthProgram(), "serve", ...words, ...where], rig.dataDir, env);
    expect(code).toBe(1);
    return err.trim();
  };
  const told = await Promise.all([
    refused(["--template", "nope"]),
    refused(["--template", "chat", "--project", "."]),
    refused(["--template", "chat"], { STANDBY: "1" }),
    refused(["--template", "chat"], { GATEWAY_TOKEN: "guess-me" }),
  ]);
  expect(told).toEqual([
    `berth: no template "nope": there are ${Object.keys(templates).join(", ")}`,
    "berth: --project and --template do not go together",
    "berth: STANDBY needs GATEWAY_TOKEN: only the gateway can end it",
    'berth: GATEWAY_TOKEN must have at least 16 characters, not "***"',
  ]);
});

describe("a project with authentication and routes of its own", () => {
  let guarded: Started;
  const ask = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(guarded.url + path, { ...init, headers: { ...headersOf(guarded), ...headers } });
  const ada = { authorization: "Bearer ada" };

  beforeAll(async () => {
    guarded = await started(rig, { more: join(import.meta.dir, "..", "control", "run", "guarded") });
  });
  afterAll(() => rig.driver.removeAll(guarded.deployment));

  test("decides who may call, and never sees the token", async () => {
    const refused = await ask("/threads", {}, { method: "POST", body: "{}" });
    expect(refused.status).toBe(401);
    const { detail } = (await refused.json()) as { detail: string };
    expect(detail).toStartWith("Who are you?");
    expect(detail).not.toContain("gateway");
    expect((await ask("/threads", ada, { method: "POST", body: "{}" })).status).toBe(200);
    const seen = await ask("/custom/headers", ada);
    expect(JSON.stringify(await seen.json())).not.toContain("gateway");
    const body = JSON.stringify({ assistant_id: "probe", input: {} });
    const { configurable, env } = (await (await ask("/runs/wait", ada, { method: "POST", body })).json()) as {
      configurable: string[];
      env: object;
    };
    expect(configurable).toContain("host");
    expect(JSON.stringify({ configurable, env })).not.toContain("gateway");
    expect(JSON.stringify(env)).not.toContain(guarded.instance.token);
  });

  test("is asked about whom the gateway does not know, and nothing else is open to them", async () => {
    const nobody = { "x-berth-nobody": "1" };
    const statusOf = async (path: string, headers: Record<string, string>, body = "{}") =>
      (await ask(path, { ...nobody, ...headers }, { method: "POST", body })).status;
    expect([await statusOf("/threads", {}), await statusOf("/threads", ada)]).toEqual([401, 200]);
    expect(await statusOf("/threads", { "x-auth-scheme": "langsmith" })).toBe(401);
    for (const path of [
      "/internal/claim",
      "/internal/claim/",
      "/internal/rest",
      "/v1/issues",
      "/v2/x",
      "/d/x",
      "/internal/other",
    ])
      expect([path, await statusOf(path, ada, '{"claim":false}')]).toEqual([path, 401]);
  });

  test("limits wrong tokens at its sign-in for each client that the gateway names", async () => {
    const signIn = async (token: string, client: string) => {
      const headers = {
        "x-berth-nobody": "1",
        "x-forwarded-for": client,
        "content-type": "application/json",
      };
      return (await ask("/sign-in", headers, { method: "POST", body: JSON.stringify({ api_key: token }) }))
        .status;
    };
    for (let n = 0; n < 10; n += 1) expect(await signIn(`wrong-${n}`, "10.0.0.1")).toBe(401);
    expect([await signIn("one-more", "10.0.0.1"), await signIn("wrong", "10.0.0.2")]).toEqual([429, 401]);
    expect(await signIn("ada", "10.0.0.2")).toBe(200);
  });

  test("reaches its own server by a client without an address", async () => {
    expect(await (await ask("/custom/threads", ada)).json()).toHaveProperty("thread_id");
    expect((await ask("/custom/threads", { authorization: "Bearer eve" })).status).not.toBe(200);
  });

  test("has no part in what is between Berth and the process", async () => {
    const told = await ask("/internal/claim", {}, { method: "POST", body: '{"claim":true}' });
    expect(await told.json()).toEqual({ claiming: true });
    const rest = await (await ask("/internal/rest", {})).json();
    expect(rest).toEqual({
      busy: false,
      next_at: null,
      last_request_at: expect.any(Number),
      idle_ms: expect.any(Number),
    });
    const passedOn = await ask("/internal/rest", { "x-forwarded-for": "10.0.0.1" });
    expect(passedOn.status).toBe(404);
    expect(await (await ask("/internal/other", {})).text()).toBe("mine");
  });
});

describe("two revisions of a deployment on one database", () => {
  test("one that stands by answers, and leaves the runs to the other", async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, () => create(after, { total: 2, pause: 1 })));
    for (const run of runs) {
      await succeeded(after, run);
      expect(await pidsOf(after, run)).toEqual([pidOf(before)]);
    }
    const waited = await asked<{ pids: number[] }>(after, "/runs/wait", {
      assistant_id: "steps",
      input: { total: 1, pause: 1 },
    });
    expect(waited.pids).toEqual([pidOf(before)]);
  });

  test("only Berth itself says who takes up runs", async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${after.url}/internal/claim`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: '{"claim":true}',
      });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ "x-berth-gateway": before.instance.token })).status).toBe(401);
    // What a caller of the deployment sends comes through the gateway, token and all.
    expect((await ask({ ...headersOf(after), "x-forwarded-for": "10.0.0.1" })).status).toBe(404);
    const run = await create(after, { total: 1, pause: 1 });
    await succeeded(after, run);
    expect(await pidsOf(after, run)).toEqual([pidOf(before)]);
  });

  test("a switch under load loses no run, and every run that comes later is the new one's", async () => {
    const long = await create(
      before,
      { total: 30, pause: 60 },
      { stream_mode: ["custom"], stream_resumable: true },
    );
    const readers = await Promise.all(
      [before, after].map(async (from) => {
        const headers = { ...headersOf(from), "last-event-id": "-1" };
        const frames: Frame[] = [];
        const response = await fetch(`${from.url}${pathOf(long)}/stream`, { headers });
        return { frames, ended: readFrames(response, frames) };
      }),
    );
    const created: Created[] = [];
    let serving = before;
    let isOver = false;
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const at = performance.now();
        created.push({ run: await create(serving, { total: 2, pause: 5 }), at });
      }
    });
    await until("some load", async () => created.length > 40);
    expect(await claim(before, false)).toEqual({ claiming: false });
    const switchedAt = performance.now();
    serving = after;
    await until(
      "runs that nobody takes",
      async () => created.filter(({ at }) => at > switchedAt).length > 20,
    );
    expect(await claim(after, true)).toEqual({ claiming: true });
    await until("more load", async () => created.filter(({ at }) => at > switchedAt).length > 80);
    isOver = true;
    await Promise.all(load);

    for (const { run, at } of created) {
      await succeeded(after, run);
      const pids = await pidsOf(after, run);
      if (at > switchedAt) expect(pids).toEqual([pidOf(after)]);
      else expect(pids).toHaveLength(1);
    }
    // What ran at the switch goes on where it was, and is seen from both sides to its end.
    for (const { ended } of readers) expect(await ended).toBe(true);
    const [near, far] = readers.map(({ frames }) => frames);
    expect(far).toEqual(near ?? []);
    expect(near?.filter(({ event }) => event === "custom")).toHaveLength(30);
    expect(await pidsOf(after, long)).toEqual([pidOf(before)]);
  });

  test("the old one can be told to end, and the new one has everything", async () => {
    const count = async (from: Started) => asked<number>(from, "/threads/count", {});
    const threads = await count(before);
    await rig.driver.stop(rig.row(before.instance.id), 10_000);
    expect(await rig.driver.isAlive(rig.row(before.instance.id))).toBe(false);
    expect(await count(after)).toBe(threads);
    const run = await create(after, { total: 1, pause: 1 });
    await succeeded(after, run);
    expect(await pidsOf(after, run)).toEqual([pidOf(after)]);
  });
});

test("a page loads a graph's components by the deployment's address, and nobody gets more without a key", async () => {
  const shown = await started(rig, { more: join(import.meta.dir, "custom", "project") });
  const gateway = headersOf(shown);
  const html = await fetch(`${shown.url}/ui/headers`, {
    method: "POST",
    headers: { ...gateway, "content-type": "application/json" },
    body: JSON.stringify({ name: "card" }),
  }).then((response) => response.text());
  expect(html).toContain(`src="http://127.0.0.1:1/d/${shown.deployment.id}/ui/headers/entrypoint.js"`);
  const nobody = { ...gateway, "x-berth-nobody": "1" };
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await fetch(shown.url + path, { headers })).status;
  expect(await statusOf("/ui/headers/entrypoint.js", nobody)).toBe(200);
  for (const path of ["/ui/other/entrypoint.js", "/custom/hello", "/info", "/threads/x"]) {
    expect([path, await statusOf(path, nobody)]).toEqual([path, 401]);
  }
  expect(await statusOf("/custom/hello", gateway)).toBe(200);
  await rig.driver.stop(rig.row(shown.instance.id), 10_000);
  await rig.driver.removeAll(shown.deployment);
});
