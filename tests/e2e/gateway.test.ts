import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as Sdk from "@langchain/langgraph-sdk/client";
import { StreamController } from "@langchain/langgraph-sdk/stream";
import { human, StreamHook } from "./clients/use-stream.ts";
import { until } from "./condition.ts";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { connect, wires } from "./mcp/mcp-client.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, type Part, present, runIdOf } from "./stream-parts.ts";

const KEY = "the-key-of-this-test";
// A proxy that leads nowhere, as the environment of a machine in a company names one: it is not for this machine's own.
const nowhere = "http://127.0.0.1:1";
const berth = servedBerth({ env: { SERVICE_API_KEY: KEY, HTTP_PROXY: nowhere, http_proxy: nowhere } });
const api = new DeploymentApi(() => berth.url, KEY);
let url: string;
let proxy: CuttingProxy;
beforeAll(async () => {
  const { id, latest_revision_id, source_config } = await api.fromTemplate("chat", "chat", [
    { name: "OFFLINE_TOKEN_MS", value: "4" },
  ]);
  expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
  url = source_config.custom_url;
  expect(url).toBe(`${berth.url}/d/${id}`);
  proxy = await cuttingProxy(berth.url);
});
afterAll(() => proxy.stop());

const input = { messages: [{ type: "human", content: "hello" }] };
const headers = { "x-api-key": KEY, "content-type": "application/json" };
const textOf = (parts: Part[]) =>
  dataOf<[{ content: string }]>(parts, "messages")
    .map(([{ content }]) => content)
    .join("");

forEachSdk((Client) => {
  const client = () => new Client({ apiUrl: url, apiKey: KEY });

  test("a thread, a run that streams, the same again from the middle", async () => {
    const { threads, runs } = client();
    const { thread_id } = await threads.create();
    const parts = await collect(
      runs.stream(thread_id, "chat", { input, streamMode: "messages-tuple", streamResumable: true }),
    );
    expect(textOf(parts)).toContain("hello");
    expect(parts.length).toBeGreaterThan(10);
    const middle = present(parts[Math.floor(parts.length / 2)]);
    const lastEventId = present(middle.id);
    const rest = await collect(runs.joinStream(thread_id, runIdOf(parts), { lastEventId }));
    expect(rest).toEqual(parts.slice(parts.indexOf(middle) + 1));
    const { values } = await threads.getState<{ messages: unknown[] }>(thread_id);
    expect(values.messages).toHaveLength(2);
    expect(await runs.wait(thread_id, "chat", { input })).toMatchObject({ messages: expect.any(Array) });
  });

  test("a connection that breaks is made again where it was", async () => {
    const cut = new Client({ apiUrl: url.replace(berth.url, proxy.url), apiKey: KEY });
    const { thread_id } = await cut.threads.create();
    const parts: Part[] = [];
    for await (const part of cut.runs.stream(thread_id, "chat", {
      input,
      streamMode: "messages-tuple",
      streamResumable: true,
    })) {
      parts.push(part as Part);
      if (parts.length === 8) proxy.cut();
    }
    const whole = await collect(client().runs.joinStream(thread_id, runIdOf(parts), { lastEventId: "-1" }));
    expect(textOf(parts)).toBe(textOf(whole));
    expect(new Set(parts.map(({ id }) => id)).size).toBe(parts.length);
  });
});

describe("React's hook and the thread protocol", () => {
  beforeAll(() => void Object.assign(globalThis, { window: globalThis }));
  afterAll(() => void Reflect.deleteProperty(globalThis, "window"));

  test("useStream", async () => {
    const hook = new StreamHook(url, "chat", { apiKey: KEY });
    await hook.stream.submit(human("hello"));
    await hook.settled();
    expect(hook.texts).toHaveLength(2);
    expect(hook.texts[1]).toContain("hello");
    hook.host.unmount();
  });

  test.each(["", "/api"])("HttpAgentServerAdapter at %p", async (door) => {
    const keyed = Object.assign(
      (input: string | URL | Request, init?: RequestInit) => {
        const request = new Request(input, init);
        request.headers.set("x-api-key", KEY);
        return fetch(request);
      },
      { preconnect: fetch.preconnect },
    );
    const threadId = crypto.randomUUID();
    const apiUrl = url + door;
    const stream = door === "" ? `/threads/${threadId}/stream/events` : `/threads/${threadId}/stream`;
    const transport = new Sdk.HttpAgentServerAdapter({ apiUrl, threadId, paths: { stream }, fetch: keyed });
    const client = new Sdk.Client<{ messages: unknown[] }>({ apiUrl, apiKey: KEY });
    const controller = new StreamController<{ messages: unknown[] }>({
      ...{ assistantId: "chat", client, threadId, transport, fetch: keyed },
    });
    await controller.hydrate(threadId);
    await controller.submit(input);
    const texts = () => controller.rootStore.getSnapshot().messages.map(({ text }) => text);
    await until("the answer", async () => texts().length === 2 && texts()[1]?.includes("hello") === true);
    await controller.dispose();
  });
});

describe("other agents", () => {
  test.each(wires)("find its tools over MCP %s", async (wire) => {
    await using connected = await connect(url, wire, { "x-api-key": KEY });
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["chat"]);
  });

  test("find its card, which leads back here, and talk to it", async () => {
    const response = await fetch(`${url}/.well-known/agent-card.json`, { headers });
    const card = (await response.json()) as {
      supportedInterfaces: { url: string }[];
      securitySchemes: object;
    };
    const at = present(card.supportedInterfaces[0]).url;
    expect(at).toStartWith(`${url}/a2a/`);
    expect(card.securitySchemes).toMatchObject({ apiKey: {} });
    const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hello" }] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } });
    const answer = await (await fetch(at, { method: "POST", headers, body })).json();
    expect(JSON.stringify(answer)).toContain("TASK_STATE_COMPLETED");
  });

  test("read in the API document where its paths begin", async () => {
    const document = await (await fetch(`${url}/openapi.json`, { headers })).json();
    expect(document).toMatchObject({ servers: [{ url: new URL(url).pathname }] });
  });
});

test("nobody comes past the gateway", async () => {
  const internal = await fetch(`${url}/internal/claim`, { method: "POST", headers, body: '{"claim":false}' });
  expect(internal.status).toBe(404);
  expect((await fetch(`${url}/info`)).status).toBe(401);
  expect((await fetch(`${url}/ok`)).status).toBe(200);
});

test("what is deleted is passed nothing more, from the answer on", async () => {
  const { id, latest_revision_id } = await api.fromTemplate("short-lived");
  expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
  const asked = () => fetch(`${berth.url}/d/${id}/info`, { headers });
  expect((await asked()).status).toBe(200);
  await api.delete(id);
  expect((await asked()).status).toBe(404);
});
