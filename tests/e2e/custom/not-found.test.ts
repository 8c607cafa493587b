import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { servedBerth } from "../served-berth.ts";

/** Apps that say something of their own to each path that they do not have, and what they can declare. */
const KINDS = { hono: true, elysia: true, router: true, plain: false };

for (const [kind, declares] of Object.entries(KINDS))
  describe(`an app with a not-found handler (${kind})`, () => {
    const berth = servedBerth({ project: join(import.meta.dir, "not-found", kind) });
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${berth.url}${path}`, { headers });
    const read = async (path: string) => (await get(path)).json() as Promise<Record<string, unknown>>;

    test("answers its own paths and those that nobody has, and no other", async () => {
      expect(await read("/own/5")).toEqual({ own: "5" });
      expect(await read("/nobody/has/this")).toEqual({ notFound: "/nobody/has/this" });
      expect(await read("/info")).toHaveProperty("version");
      expect(await read("/openapi.json")).toHaveProperty("openapi");
      expect(await read("/ok")).toEqual({ ok: true });
      const wrong = await fetch(`${berth.url}/info`, { method: "POST" });
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      const missing = await get(`/threads/${crypto.randomUUID()}`);
      expect([missing.status, await missing.json()]).toMatchObject([404, { detail: expect.any(String) }]);
    });

    test("leaves the API whole to the official client", async () => {
      const client = new Client({ apiUrl: berth.url, callerOptions: { maxRetries: 0 } });
      const thread = await client.threads.create();
      const events: string[] = [];
      for await (const { event } of client.runs.stream(thread.thread_id, "headers", { input: {} }))
        events.push(event);
      expect(events).toEqual(["metadata", "values"]);
      expect(await client.assistants.search()).toHaveLength(1);
      const values = (await client.runs.wait(null, "headers", { input: {} })) as { headers: object };
      expect(values.headers).toMatchObject({ "x-from-middleware": "changed" });
      await client.threads.delete(thread.thread_id);
    });

    test("goes on being middleware: its headers, and what it refuses", async () => {
      if (kind !== "elysia") expect((await get("/info")).headers.get("x-middleware")).toBe("seen");
      const closed = await fetch(`${berth.url}/runs/wait`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-closed": "1" },
        body: JSON.stringify({ assistant_id: "headers" }),
      });
      expect([closed.status, await closed.text()]).toEqual([403, "closed"]);
    });

    test(`${declares ? "answers" : "cannot answer"} a path of ours that it declares`, async () => {
      const info = await read("/info?own");
      const state = await read(`/threads/${crypto.randomUUID()}/state`);
      if (declares) expect([info, state]).toEqual([{ own: "info" }, { own: "state" }]);
      else
        expect([info, state]).toMatchObject([
          { version: expect.any(String) },
          { detail: expect.any(String) },
        ]);
    });
  });
