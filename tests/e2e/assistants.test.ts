import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FIXTURES, start } from "./berth-process.ts";
import { ask } from "./crash-http.ts";
import { CRASH_PROJECT } from "./crash-round.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { present } from "./stream-parts.ts";

const berth = servedBerth({
  env: {
    LANGGRAPH_CONFIG: JSON.stringify({
      agent: { configurable: { model: "from-env" }, context: { model: "openai" } },
    }),
  },
});
const AGENT_ID = "fe096781-5601-53d2-b2f6-0d3403f7e9ca";
const missing = () => crypto.randomUUID();

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });
  const mark = () => ({ mark: crypto.randomUUID() });

  test("that a graph has by itself is there again when it was deleted", async () => {
    const { assistants, runs } = new Client({ apiUrl: berth.url });
    const [own] = await assistants.search({ graphId: "delay", metadata: { created_by: "system" } });
    const id = own?.assistant_id ?? "";
    await assistants.update(id, { name: "another" });
    await assistants.delete(id);
    expect(await assistants.get(id)).toMatchObject({
      name: "delay",
      version: 1,
      metadata: { created_by: "system" },
    });
    await runs.wait(null, "delay", { input: { delay: 0 } });
  });

  test("create, get, update, delete", async () => {
    const { assistants } = connect();
    const metadata = mark();
    const created = await assistants.create({
      graphId: "agent",
      name: "First",
      description: "the first one",
      config: { recursion_limit: 7, configurable: { model: "small" } },
      metadata,
    });
    expect(created).toMatchObject({ graph_id: "agent", name: "First", version: 1, metadata });
    expect(created.config).toEqual({ recursion_limit: 7, configurable: { model: "small" } });
    expect(new Date(created.created_at).getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await assistants.get(created.assistant_id)).toEqual(created);

    const updated = await assistants.update(created.assistant_id, { name: "Second", metadata: { extra: 1 } });
    expect(updated).toMatchObject({ name: "Second", version: 2, metadata: { ...metadata, extra: 1 } });
    expect(updated.config).toEqual(created.config);
    expect((await assistants.update(created.assistant_id, {})).version).toBe(3);

    await assistants.delete(created.assistant_id);
    await expect(assistants.get(created.assistant_id)).rejects.toThrow(/HTTP 404/);
    await expect(assistants.delete(created.assistant_id)).rejects.toThrow(/HTTP 404/);
  });

  test("versions: newest first, and going back to one", async () => {
    const { assistants } = connect();
    const { assistant_id } = await assistants.create({ graphId: "agent", name: "one", metadata: { v: 1 } });
    await assistants.update(assistant_id, {
      name: "two",
      metadata: { v: 2 },
      config: { configurable: { a: 1 } },
    });
    const versions = await assistants.getVersions(assistant_id);
    expect(versions.map(({ version }) => version)).toEqual([2, 1]);
    expect(versions.map(({ metadata }) => metadata)).toEqual([{ v: 2 }, { v: 1 }]);
    expect(await assistants.getVersions(assistant_id, { limit: 1, offset: 1 })).toEqual(versions.slice(1));
    expect(await assistants.getVersions(assistant_id, { metadata: { v: 2 } })).toEqual(versions.slice(0, 1));

    const back = await assistants.setLatest(assistant_id, 1);
    expect(back).toMatchObject({ version: 1, name: "one", metadata: { v: 1 }, config: {} });
    expect(await assistants.get(assistant_id)).toMatchObject({ version: 1, name: "one" });
    expect((await assistants.update(assistant_id, { metadata: { v: 3 } })).version).toBe(3);
    await expect(assistants.setLatest(assistant_id, 99)).rejects.toThrow(/HTTP 404/);
    await expect(assistants.getVersions(missing())).rejects.toThrow(/HTTP 404/);
  });

  test("an id that is taken is a conflict, unless nothing shall be done", async () => {
    const { assistants } = connect();
    const assistantId = crypto.randomUUID();
    const first = await assistants.create({ graphId: "agent", assistantId, name: "kept" });
    await expect(assistants.create({ graphId: "agent", assistantId })).rejects.toThrow(/HTTP 409/);
    const same = await assistants.create({ graphId: "nested", assistantId, ifExists: "do_nothing" });
    expect(same).toEqual(first);
    await expect(assistants.create({ graphId: "no-such-graph" })).rejects.toThrow(/HTTP 404/);
  });

  test("search filters, sorts, pages and selects; count agrees", async () => {
    const { assistants } = connect();
    const metadata = mark();
    for (const name of ["Beta", "alpha", "Gamma ray"])
      await assistants.create({ graphId: "nested", name, metadata: { ...metadata, deep: { name } } });
    const names = async (query: object) =>
      (await assistants.search({ metadata, ...query })).map(({ name }) => name);

    expect(await names({})).toEqual(["Gamma ray", "alpha", "Beta"]);
    expect(await names({ sortBy: "created_at", sortOrder: "asc" })).toEqual(["Beta", "alpha", "Gamma ray"]);
    expect(await names({ limit: 1, offset: 1 })).toEqual(["alpha"]);
    expect(await names({ metadata: { ...metadata, deep: { name: "Beta" } } })).toEqual(["Beta"]);
    expect(await names({ graphId: "agent" })).toEqual([]);
    expect(await names({ name: "GAMMA" })).toEqual(["Gamma ray"]);
    expect(await assistants.search({ metadata, limit: 1, select: ["name", "graph_id"] })).toEqual([
      expect.objectContaining({ name: "Gamma ray", graph_id: "nested" }),
    ]);

    const first = await assistants.search({ metadata, limit: 2, includePagination: true });
    expect(first.assistants).toHaveLength(2);
    const rest = { metadata, limit: 2, offset: Number(present(first.next, "next page")) };
    const second = await assistants.search({ ...rest, includePagination: true });
    expect(second.assistants.map(({ name }) => name)).toEqual(["Beta"]);
    expect(second.next).toBeNull();
    expect(await assistants.count({ metadata })).toBe(3);
    expect(await assistants.count({ metadata, graphId: "agent" })).toBe(0);
  });

  describe("of the project", () => {
    test("each graph has one, named as the graph, with the environment's config", async () => {
      const { assistants } = connect();
      const found = await assistants.search({ graphId: "agent", metadata: { created_by: "system" } });
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({
        assistant_id: AGENT_ID,
        name: "agent",
        config: { configurable: { model: "from-env" } },
        context: { model: "openai" },
      });
      expect(await assistants.get("agent")).toEqual(present(found[0]));
    });

    test("tells the schemas of its graph", async () => {
      const schemas = await connect().assistants.getSchemas("runtime");
      expect(schemas).toMatchObject({
        graph_id: "runtime",
        context_schema: {
          type: "object",
          properties: { model: { type: "string", enum: ["openai", "anthropic"] } },
        },
      });
      expect(present(schemas.state_schema).properties).toHaveProperty("messages");
      expect(schemas.input_schema).toBeObject();
      expect(schemas.output_schema).toBeObject();
      await expect(connect().assistants.getSchemas(missing())).rejects.toThrow(/HTTP 404/);
    });
  });

  test("deleting one can take its threads along", async () => {
    const client = connect();
    const { assistant_id } = await client.assistants.create({ graphId: "nested" });
    const [kept, removed] = [await client.threads.create(), await client.threads.create()];
    await client.runs.wait(kept.thread_id, "nested", { input: { messages: [] } });
    await client.runs.wait(removed.thread_id, assistant_id, { input: { messages: [] } });
    await client.assistants.delete(assistant_id, { deleteThreads: true });
    await expect(client.threads.get(removed.thread_id)).rejects.toThrow(/HTTP 404/);
    expect((await client.threads.get(kept.thread_id)).status).toBe("idle");
  });
});

test("a start without a graph says what it removes, and keeps what has crons; settings are taken over", async () => {
  const data = mkdtempSync(join(tmpdir(), "berth-assistants-"));
  const serve = (project: string, context: object) =>
    start({
      project,
      data,
      env: { LOG_LEVEL: "info", LANGGRAPH_CONFIG: JSON.stringify({ agent: { context } }) },
    });
  const contextOf = async (url: string) =>
    (await ask<{ context: object }>(url, "GET", "/assistants/agent")).context;
  try {
    const first = await serve(FIXTURES, { model: "old" });
    const cron = { assistant_id: "runtime", schedule: "0 0 1 1 *" };
    const { cron_id, assistant_id } = await ask<{ cron_id: string; assistant_id: string }>(
      first.url,
      "POST",
      "/runs/crons",
      cron,
    );
    await first.stop();

    const without = await serve(CRASH_PROJECT, {});
    expect(without.output()).toMatch(/"message":"assistant.removed".*"graph_id":"memory"/);
    expect(without.output()).not.toContain('"graph_id":"runtime"');
    expect(await ask<object>(without.url, "GET", `/runs/crons/${cron_id}`)).toMatchObject({ assistant_id });
    await without.stop();

    const again = await serve(FIXTURES, { model: "new" });
    expect(await ask<object>(again.url, "GET", `/runs/crons/${cron_id}`)).toMatchObject({ assistant_id });
    expect(await contextOf(again.url)).toEqual({ model: "new" });
    await again.stop();

    const changed = await serve(FIXTURES, { model: "newer" });
    expect(await contextOf(changed.url)).toEqual({ model: "newer" });
    await changed.stop();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
