import { expect, test } from "bun:test";
import { join } from "node:path";
import { forEachSdk } from "../sdk.ts";
import { servedBerth } from "../served-berth.ts";

const berth = servedBerth({ project: join(import.meta.dir, "project") });
const get = (path: string, init?: RequestInit) => fetch(`${berth.url}${path}`, init);
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  get(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

test("a route of the project's app is answered by it", async () => {
  const answer = await get("/custom/hello?name=ada", { headers: { "x-ask": "please" } });
  expect(await answer.json()).toEqual({ hello: "ada" });
  expect(answer.headers.get("x-asked")).toBe("please");
  expect(answer.headers.get("x-request-id")).not.toBeNull();
  const failed = await get("/custom/fails");
  expect([failed.status, await failed.text()]).toEqual([400, "not like this"]);
  expect((await get("/custom/nothing")).status).toBe(404);
  expect(await (await post("/custom/echo", { a: 1 })).text()).toBe('{"a":1}');
});

test("its middleware sees our routes, and it may answer in their place", async () => {
  const info = await get("/info");
  expect(info.headers.get("x-middleware")).toBe("seen");
  expect(info.headers.get("content-type")).toContain("json");
  expect(await info.json()).toHaveProperty("version");
  expect(await (await get("/info?interrupt")).json()).toEqual({ interrupted: true });
});

test("what it sets on a request of ours reaches the run, and the body does too", async () => {
  const body = { assistant_id: "headers", input: {} };
  const headers = { "x-own": "mine", "x-secret-one": "hush", authorization: "Bearer graph" };
  const { headers: told } = (await (await post("/runs/wait", body, headers)).json()) as { headers: unknown };
  expect(told).toMatchObject({
    "x-own": "mine",
    "x-from-middleware": "changed",
    authorization: "Bearer graph",
  });
  expect(told).not.toHaveProperty("x-secret-one");
  expect(told).not.toHaveProperty("user-agent");
});

test("a stream of its own arrives piece by piece", async () => {
  const answer = await get("/custom/stream");
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  for await (const piece of answer.body ?? []) pieces.push(decoder.decode(piece));
  expect(pieces).toEqual(["piece 1;", "piece 2;", "piece 3;"]);
});

test("it is sent no larger bodies than we take ourselves", async () => {
  const answer = await post("/custom/echo", "x".repeat(33_554_432));
  expect([answer.status, await answer.json()]).toEqual([
    413,
    { detail: expect.stringContaining("33554432") },
  ]);
});

test("nor when their length is not declared", async () => {
  const chunked = (path: string, megabytes: number) => {
    let left = megabytes;
    const pull = (controller: ReadableStreamDefaultController) =>
      left-- > 0 ? controller.enqueue(new Uint8Array(1_048_576).fill(120)) : controller.close();
    const headers = { "content-type": "application/json" };
    return get(path, { method: "POST", body: new ReadableStream({ pull }), headers });
  };
  expect((await (await chunked("/custom/echo", 32)).text()).length).toBe(33_554_432);
  expect((await chunked("/custom/echo", 40)).status).toBe(413);
  expect((await chunked("/threads/search", 40)).status).toBe(413);
});

test("it never sees what belongs to the owner of the server", async () => {
  const answer = await get("/v1/secrets");
  expect(answer.status).toBe(404);
  expect(answer.headers.get("x-middleware")).toBeNull();
});

test("it is guarded where nothing else guards it: a page from elsewhere does not reach it", async () => {
  expect((await get("/custom/hello", { headers: { origin: "https://evil.example" } })).status).toBe(403);
  expect((await get("/custom/hello", { headers: { host: "evil.example" } })).status).toBe(403);
});

test("a client without an address finds the server that it runs in", async () => {
  expect(await (await get("/custom/run")).json()).toHaveProperty("headers");
});

test("parts that are turned off are gone", async () => {
  expect((await post("/store/items/search", {})).status).toBe(404);
  expect((await post("/mcp", {})).status).toBe(404);
  expect((await post("/threads/search", {})).status).toBe(200);
});

test("the project's rules for other origins hold", async () => {
  const origin = "https://app.example";
  const answer = await get("/info", { headers: { origin } });
  expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
  expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
  const preflight = await get("/threads", {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST" },
  });
  expect(preflight.headers.get("access-control-max-age")).toBe("60");
});

test("components are bundled for the page that shows them", async () => {
  const html = await (await post("/ui/headers", { name: "card" })).text();
  expect(html).toContain(`<script src="${berth.url}/ui/headers/entrypoint.js"`);
  expect(html).toContain(`onload='__LGUI_headers.render("card", "{{shadowRootId}}")'`);
  const css = /href="([^"]+)"/.exec(html)?.[1] ?? "";
  expect(await (await fetch(css)).text()).toContain("teal");
  const script = await (await get("/ui/headers/entrypoint.js")).text();
  expect(script).toContain("LGUI_REQUIRE");
  const drawn = draw(script);
  expect(drawn).toMatchObject({ root: "root-1", props: { className: "card", children: "Ahoy" } });
  expect((await post("/ui/other", { name: "card" })).status).toBe(404);
  expect((await get("/ui/headers/other.js")).status).toBe(404);
});

test("components that cannot be bundled are told with file, line and reason", async () => {
  for (const answer of [await get("/ui/broken/entrypoint.js"), await post("/ui/broken", { name: "card" })]) {
    const { detail } = (await answer.json()) as { detail: string };
    expect(answer.status).toBe(503);
    expect(detail).toMatch(
      /^The components of the graph "broken" cannot be bundled: broken-ui\.js:1:\d+: Could not /,
    );
  }
});

test("addresses that are given away have the prefix if it was called", async () => {
  const element = async (path: string) => (await post(path, { name: "card" })).text();
  expect(await element("/agents/ui/headers")).toContain(`src="${berth.url}/agents/ui/headers/entrypoint.js"`);
  const card = "/a2a/headers/.well-known/agent-card.json";
  for (const prefix of ["", "/agents"]) {
    const { supportedInterfaces } = (await (await get(prefix + card)).json()) as {
      supportedInterfaces: { url: string }[];
    };
    expect(supportedInterfaces[0]?.url).toStartWith(`${berth.url}${prefix}/a2a/`);
  }
});

/** Runs a bundle as a page does, with a React that keeps what it is given. */
function draw(script: string): unknown {
  const jsx = (type: unknown, props: unknown) => ({ type, props });
  let drawn: unknown;
  const page: Record<string | symbol, unknown> = {
    [Symbol.for("LGUI_REQUIRE")]: (name: string) =>
      name === "react" ? { useState: (value: unknown) => [value] } : { jsx, jsxs: jsx },
    [Symbol.for("LGUI_EXT_STORE")]: {
      respond: (root: string, component: (props: unknown) => object) => {
        drawn = { root, ...component({ title: "Ahoy" }) };
      },
    },
  };
  const document = { createElement: () => ({}), getElementById: () => null };
  new Function("globalThis", "document", script)(page, document);
  const global = page.__LGUI_headers as { render(name: string, root: string): void };
  global.render("card", "root-1");
  return drawn;
}

forEachSdk((Client) => {
  test("everything answers behind the prefix, too", async () => {
    const client = new Client({ apiUrl: `${berth.url}/agents`, callerOptions: { maxRetries: 0 } });
    const thread = await client.threads.create();
    const parts: string[] = [];
    for await (const part of client.runs.stream(thread.thread_id, "headers", { input: {} }))
      parts.push(part.event);
    expect(parts[0]).toBe("metadata");
    expect(await client.threads.getState(thread.thread_id)).toHaveProperty("values.headers");
    expect(await (await get("/agents/custom/hello")).json()).toEqual({ hello: "nobody" });
  });
});
