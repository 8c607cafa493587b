import { beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { until } from "../condition.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { servedBerth } from "../served-berth.ts";
import { query } from "../stored.ts";
import { tinyAgent } from "../tiny-agent.ts";
import { knownByKey, knownUsers } from "./known-users.ts";

const KEY = "the-key-of-this-test";
const berth = servedBerth({ env: { SERVICE_API_KEY: KEY } });
const api = new DeploymentApi(() => berth.url, KEY);
/** A deployment whose project knows its users. */
let id: string;
let url: string;

const ada = { authorization: "Bearer ada" };
const key = { "x-api-key": KEY };

async function deployed(name: string, files: Awaited<ReturnType<typeof knownUsers>>): Promise<string> {
  const { id } = await api.fromSource(name);
  const revision = await api.push(id, files);
  expect(await api.settled(id, revision)).toMatchObject({ status: "DEPLOYED", status_message: null });
  return id;
}

type Sent = { headers?: Record<string, string>; method?: string; body?: string };
const ask = (path: string, { headers = {}, method = "POST", body = "{}" }: Sent = {}) =>
  fetch(url + path, {
    method,
    redirect: "manual",
    headers: { "content-type": "application/json", ...headers },
    ...(method !== "GET" && { body }),
  });
const statusOf = async (path: string, sent: Sent = {}) => (await ask(path, sent)).status;
const refusal = async (path: string, sent: Sent = {}) => {
  const answer = await ask(path, sent);
  return `${answer.status} ${((await answer.json()) as { detail: string }).detail}`;
};

beforeAll(async () => {
  id = await deployed("known", await knownUsers());
  url = `${berth.url}/d/${id}`;
});

describe("a key of Berth's", () => {
  test("is no user of the project, and is never shown to it", async () => {
    for (const headers of [key, { authorization: `Bearer ${KEY}` }] as Record<string, string>[])
      expect(await refusal("/threads", { headers })).toBe(
        '401 Who are you? {"authorization":null,"key":null,"cookie":null}',
      );
    expect(await statusOf("/threads", { headers: { ...key, ...ada } })).toBe(200);
    expect(await statusOf("/threads", { headers: { ...key, "x-auth-scheme": "langsmith" } })).toBe(200);
  });

  test("that is another workspace's finds nothing", async () => {
    const { id: workspace } = await api.ask<{ id: string }>("POST", "/v1/workspaces", { name: "other" });
    const foreign = await fetch(`${berth.url}/v1/keys`, {
      method: "POST",
      headers: { ...key, "x-tenant-id": workspace, "content-type": "application/json" },
      body: JSON.stringify({ name: "foreign" }),
    });
    const { secret } = (await foreign.json()) as { secret: string };
    expect(await statusOf("/threads", { headers: { "x-api-key": secret, ...ada } })).toBe(404);
  });
});

describe("a project's own users", () => {
  test("reach its Agent Server with what their project knows them by, and without a key of Berth's", async () => {
    for (const headers of [ada, { "x-api-key": "ada" }]) {
      const client = new Client({ apiUrl: url, defaultHeaders: headers, apiKey: null });
      const { thread_id, metadata } = await client.threads.create();
      expect(metadata).toMatchObject({ owner: "ada" });
      const state = await client.runs.wait(thread_id, "agent", { input: {} });
      expect(state).toMatchObject({ user: "ada" });
      const frames: unknown[] = [];
      const streamed = client.runs.stream(thread_id, "agent", { input: {}, streamMode: "values" });
      for await (const { data } of streamed) frames.push(data);
      expect(frames.at(-1)).toMatchObject({ user: "ada" });
      const eves = new Client({ apiUrl: url, defaultHeaders: { authorization: "Bearer eve" }, apiKey: null });
      await expect(eves.threads.get(thread_id)).rejects.toThrow("404");
    }
  });

  test("are refused by the project, in its words, who is none of them", async () => {
    expect(await refusal("/threads")).toBe(
      '401 Who are you? {"authorization":null,"key":null,"cookie":null}',
    );
    const sent = { authorization: "Bearer mallory", "x-api-key": "of-theirs", cookie: "a=1" };
    expect(await refusal("/threads", { headers: sent })).toBe(
      '401 Who are you? {"authorization":"Bearer mallory","key":"of-theirs","cookie":"a=1"}',
    );
    // Nobody is the Studio's user who has not shown a key.
    expect(await statusOf("/threads", { headers: { "x-auth-scheme": "langsmith" } })).toBe(401);
  });

  test("get no further: not to the control plane, not to other deployments, not behind the gateway", async () => {
    for (const path of [
      "/v2/deployments",
      "/v1/keys",
      "/v1/issues",
      "/v2/auth",
      "/langsmith/sessions",
      "/threads",
    ])
      for (const headers of [ada, { "x-api-key": "ada" }] as Record<string, string>[])
        expect([path, (await fetch(berth.url + path, { headers })).status]).toEqual([path, 401]);
    const plain = await deployed("plain", await tinyAgent("plain"));
    const other = `${berth.url}/d/${plain}/threads/search`;
    expect((await fetch(other, { method: "POST", headers: ada, body: "{}" })).status).toBe(401);
    expect((await fetch(other, { method: "POST", headers: { ...key, ...ada }, body: "{}" })).status).toBe(
      200,
    );
    const claim = await ask("/internal/claim", { headers: ada, body: '{"claim":false}' });
    expect(claim.status).toBe(404);
    for (const path of ["/v1/issues", "/v2/deployments", "/d/x/threads", "/langsmith/sessions"])
      expect([path, await statusOf(path, { headers: ada, method: "GET" })]).toEqual([path, 401]);
    // What is told between the gateway and the process is not for callers to say.
    const lie = { "x-berth-gateway": "x", "x-berth-own": "x", "x-berth-nobody": "" };
    expect(await statusOf("/threads", { headers: lie })).toBe(401);
    await api.delete(plain);
  });

  test("keep on being heard, however many of them come from one address", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 15 }, (_, n) =>
        statusOf("/threads/search", { headers: { authorization: `Bearer wrong-${n}` } }),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await statusOf("/threads/search", { headers: ada })).toBe(200);
    const { secret } = await api.ask<{ secret: string }>("POST", "/v1/keys", { name: "after many" });
    const studio = { "x-api-key": secret, "x-auth-scheme": "langsmith" };
    expect(await statusOf("/threads/search", { headers: studio })).toBe(200);
  });
});

test("a process that is started again never asks its users for a key", async () => {
  const serving = "select pid from instances where deployment_id = ? and state = 'serving'";
  const pid = async () => (await query<{ pid: number }>(berth.data, serving, id))[0]?.pid ?? 0;
  const killed = await pid();
  process.kill(killed, "SIGKILL");
  const statuses = new Set<number>();
  await until("another process to answer", async () => {
    statuses.add(await statusOf("/threads/search", { headers: ada }));
    return (await pid()) !== killed && statuses.has(200);
  });
  expect(statuses).not.toContain(401);
});

describe("routes that the project adds", () => {
  const revised = async (http: object) => {
    const revision = await api.push(id, await knownUsers({ http }));
    expect((await api.settled(id, revision)).status).toBe("DEPLOYED");
  };
  const mine = (headers: Record<string, string> = {}) => statusOf("/mine", { headers, method: "GET" });

  test("keep the key where nobody else is asked", async () => {
    expect([await mine(), await mine(ada), await mine(key)]).toEqual([401, 401, 200]);
    await revised({ enable_custom_route_auth: true });
    expect([await mine(), await mine(ada), await mine(key)]).toEqual([401, 200, 401]);
    await revised({ enable_custom_route_auth: false });
    expect([await mine(), await mine(ada), await mine(key)]).toEqual([200, 200, 200]);
  });
});

describe("a graph's own server", () => {
  const heard = async (headers: Record<string, string>, input: object) => {
    const answer = await ask("/runs/wait", {
      headers,
      body: JSON.stringify({ assistant_id: "agent", input }),
    });
    const { heard } = (await answer.json()) as { heard: [number, string | null, string] };
    return heard;
  };
  const ways = ["fetch", "early", "address", "client"];

  test("is at process.env.PORT, where the project's users are who they are elsewhere", async () => {
    for (const way of ways) {
      const [status, owner, place] = await heard(ada, { ask: way, token: "eve" });
      expect([way, status, owner]).toEqual([way, 200, "eve"]);
      expect(Number(new URL(place).port)).toBeGreaterThan(0);
      expect([way, (await heard(ada, { ask: way }))[0]]).toEqual([way, 401]);
    }
  });

  test("lets in nobody else of this machine, and does not let a graph say who takes up runs", async () => {
    const [, , place] = await heard(ada, { ask: "fetch" });
    for (const headers of [ada, key, { "x-berth-own": "x" }] as Record<string, string>[])
      expect((await fetch(`${place}/threads`, { method: "POST", headers, body: "{}" })).status).toBe(401);
    expect((await heard(ada, { ask: "claim", token: "ada" }))[0]).toBe(401);
  });

  test("lets graphs in where the project knows nobody", async () => {
    const revision = await api.push(id, await knownByKey());
    expect((await api.settled(id, revision)).status).toBe("DEPLOYED");
    for (const way of ways) expect([way, (await heard(key, { ask: way }))[0]]).toEqual([way, 200]);
    const [status, , place] = await heard(key, { ask: "claim" });
    expect(status).toBe(401);
    expect((await fetch(`${place}/threads`, { method: "POST", headers: key, body: "{}" })).status).toBe(401);
    const again = await api.push(id, await knownUsers());
    expect((await api.settled(id, again)).status).toBe("DEPLOYED");
  });
});

describe("require_api_key", () => {
  const requires = (value: boolean) =>
    api.ask<{ source_config: object; latest_revision_id: string }>("PATCH", `/v2/deployments/${id}`, {
      source_config: { require_api_key: value },
    });

  test("asks for both from then on, and makes no revision", async () => {
    const before = await api.deployment(id);
    const changed = await requires(true);
    expect(changed.source_config).toMatchObject({ require_api_key: true });
    expect(changed.latest_revision_id).toBe(before.latest_revision_id);
    await until("a key to be asked for", async () => (await statusOf("/threads", { headers: ada })) === 401);
    expect(await refusal("/threads", { headers: ada })).toBe("401 Invalid API key");
    expect(await refusal("/threads")).toBe("401 Missing API key: send it as X-Api-Key");
    expect(await refusal("/threads", { headers: key })).toStartWith("401 Who are you?");
    expect(await statusOf("/threads", { headers: { ...key, ...ada } })).toBe(200);
    await requires(false);
    await until("no key to be asked for", async () => (await statusOf("/threads", { headers: ada })) === 200);
  });
});

test("a revision without auth asks for a key again", async () => {
  const revision = await api.push(id, await tinyAgent("keyed"));
  expect((await api.settled(id, revision)).status).toBe("DEPLOYED");
  expect(await refusal("/threads", { headers: ada })).toBe("401 Invalid API key");
  expect(await refusal("/threads")).toBe("401 Missing API key: send it as X-Api-Key");
});
