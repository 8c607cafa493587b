import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { start } from "../berth-process.ts";
import { servedBerth } from "../served-berth.ts";

const PROJECT = join(import.meta.dir, "project");
const berth = servedBerth({ project: PROJECT });

const extended = async (url: string, method: string, agent: string, headers = {}) => {
  const answer = await fetch(`${url}/a2a/${agent}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method }),
  });
  return (await answer.json()) as { result?: unknown; error?: unknown };
};

describe("the card", () => {
  const card = (path: string, headers: Record<string, string> = {}) => fetch(berth.url + path, { headers });
  const own = "/a2a/steered/.well-known/agent-card.json";

  test("is the same by path and by query, and of the first graph without either", async () => {
    const { assistant_id } = (await (await fetch(`${berth.url}/assistants/steered`)).json()) as {
      assistant_id: string;
    };
    const expected = await (await card(own)).json();
    expect(expected).toMatchObject({
      name: "steered",
      capabilities: { streaming: true, pushNotifications: false },
      supportedInterfaces: [
        { url: `${berth.url}/a2a/${assistant_id}`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { protocolVersion: "0.3" },
      ],
    });
    // The kits of 1.0 take a card with fields of 0.3 for a wrong one.
    expect(Object.keys(expected)).not.toContain("url");
    for (const path of ["", `?assistant_id=${assistant_id}`, "?assistant_id=steered"]) {
      expect(await (await card(`/.well-known/agent-card.json${path}`)).json()).toEqual(expected);
    }
    expect((await card("/a2a/nobody/.well-known/agent-card.json")).status).toBe(404);
    expect((await card("/.well-known/agent-card.json?assistant_id=nobody")).status).toBe(404);
  });

  test("has the older shape for an older client, and can be asked for again", async () => {
    const before = await (await card(own, { "a2a-version": "0.3" })).json();
    expect(before).toMatchObject({
      protocolVersion: "0.3.0",
      preferredTransport: "JSONRPC",
      url: expect.any(String),
    });
    const { headers } = await card(own);
    expect(headers.get("cache-control")).toContain("max-age");
    const again = await card(own, { "if-none-match": String(headers.get("etag")) });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const etag = String(headers.get("etag"));
    for (const given of [`W/${etag}`, `"other", ${etag}`, "*"])
      expect([given, (await card(own, { "if-none-match": given })).status]).toEqual([given, 304]);
    expect((await card(own, { "if-none-match": '"other"' })).status).toBe(200);
  });

  test("tells the modes that the assistant's metadata name", async () => {
    const created = await fetch(`${berth.url}/assistants`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        graph_id: "talker",
        name: "Seer",
        metadata: { a2a: { input_modes: ["image/png"] } },
      }),
    });
    const { assistant_id } = (await created.json()) as { assistant_id: string };
    const seer = {
      name: "Seer",
      defaultInputModes: ["image/png"],
      defaultOutputModes: ["text/plain", "application/json"],
    };
    expect(await (await card(`/a2a/${assistant_id}/.well-known/agent-card.json`)).json()).toMatchObject(seer);
  });

  test("has no extended one where nobody has to say who they are", async () => {
    expect(await (await card(own)).json()).toMatchObject({ capabilities: { extendedAgentCard: false } });
    const older = await card(own, { "a2a-version": "0.3" });
    expect(await older.json()).toMatchObject({ supportsAuthenticatedExtendedCard: false });
    for (const method of ["GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard"])
      expect(await extended(berth.url, method, "steered")).toMatchObject({ error: { code: -32_004 } });
  });

  test("has an extended one, the same, where a key is asked for, and an address as the proxy sees it", async () => {
    const keyed = await start({ project: PROJECT, env: { SERVICE_API_KEY: "a-key-for-cards" } });
    try {
      const headers = { "x-api-key": "a-key-for-cards" };
      const plain = await (await fetch(keyed.url + own, { headers })).json();
      expect(plain).toMatchObject({ capabilities: { extendedAgentCard: true } });
      for (const scheme of ["https", "https, http"]) {
        const proxied = { ...headers, "x-forwarded-proto": scheme };
        const seen = await (await fetch(keyed.url + own, { headers: proxied })).json();
        expect(seen.supportedInterfaces[0].url).toStartWith("https://");
      }
      const { result } = await extended(keyed.url, "GetExtendedAgentCard", "steered", headers);
      expect(result).toMatchObject({ name: "steered", capabilities: { extendedAgentCard: true } });
      const older = await extended(keyed.url, "agent/getAuthenticatedExtendedCard", "steered", headers);
      expect(older.result).toMatchObject({ protocolVersion: expect.stringMatching(/^0\.3/) });
      expect((await fetch(`${keyed.url}/a2a/steered`, { method: "POST" })).status).toBe(401);
    } finally {
      await keyed.stop();
    }
  });
});
