import { expect, test } from "bun:test";
import { servedBerth } from "../served-berth.ts";

const ORIGIN = "https://smith.langchain.com";
const berth = servedBerth({ env: { CORS_ALLOW_ORIGINS: ORIGIN } });

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { origin: ORIGIN, "x-auth-scheme": "langsmith", "content-type": "application/json" };
  const response = await fetch(berth.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([path, response.status]).toEqual([path, 200]);
  expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
  return response;
}

const read = async (...args: Parameters<typeof ask>) => (await ask(...args)).json();

test("a page from the public web may ask a server on this machine, where it is named", async () => {
  const { status, headers } = await fetch(`${berth.url}/threads/search`, {
    method: "OPTIONS",
    headers: {
      origin: ORIGIN,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,x-auth-scheme,x-api-key,last-event-id",
      "access-control-request-private-network": "true",
    },
  });
  expect(status).toBeLessThan(300);
  expect(headers.get("access-control-allow-private-network")).toBe("true");
  for (const name of ["content-type", "x-auth-scheme", "x-api-key", "last-event-id"]) {
    expect(headers.get("access-control-allow-headers")?.toLowerCase()).toContain(name);
  }
});

test("what Studio reads when it opens a graph", async () => {
  expect(await read("GET", "/info")).toMatchObject({
    version: expect.any(String),
    flags: { assistants: true },
  });
  const assistants: { assistant_id: string; graph_id: string }[] = await read("POST", "/assistants/search", {
    limit: 100,
    metadata: { created_by: "system" },
  });
  expect(assistants).toHaveLength(10);
  for (const { assistant_id, graph_id } of assistants) {
    const drawing = await read("GET", `/assistants/${assistant_id}/graph?xray=true`);
    expect(drawing.nodes.map(({ id }: { id: string }) => id)).toContain("__start__");
    expect(await read("GET", `/assistants/${assistant_id}/schemas`)).toMatchObject({ graph_id });
    expect(await read("GET", `/assistants/${assistant_id}/subgraphs?recurse=true`)).toBeObject();
  }
});

test("a run with everything on, its thread with its subgraphs, and the store", async () => {
  const { thread_id } = await read("POST", "/threads", {});
  const stream = await ask("POST", `/threads/${thread_id}/runs/stream`, {
    assistant_id: "interrupting",
    input: { where: "subgraph" },
    stream_mode: ["debug", "values", "messages"],
    stream_subgraphs: true,
  });
  const events = [...(await stream.text()).matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
  expect(events[0]).toBe("metadata");
  expect(events).toContain("debug");
  expect(events.some((name) => name?.startsWith("debug|inspection:"))).toBe(true);
  const state = await read("GET", `/threads/${thread_id}/state?subgraphs=true`);
  expect(state.tasks[0].state).toMatchObject({ next: ["inspect"], values: { where: "subgraph" } });
  const history = await read("POST", `/threads/${thread_id}/history`, { limit: 100 });
  expect(history[0]).toMatchObject({ next: ["inspection"] });
  const { checkpoint } = state.tasks[0].state;
  const inside = await read("POST", `/threads/${thread_id}/history`, { limit: 100, checkpoint });
  expect(inside[0]).toMatchObject({ next: ["inspect"] });
  expect(await read("POST", "/store/namespaces", { max_depth: 2 })).toHaveProperty("namespaces");
  expect(await read("POST", "/store/items/search", { namespace_prefix: [] })).toHaveProperty("items");
});
