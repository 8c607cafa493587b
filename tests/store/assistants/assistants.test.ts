import { describe, expect, test } from "bun:test";
import {
  Assistants,
  BadRequest,
  Conflict,
  type JsonObject,
  NotFound,
  syncSystemAssistants,
} from "@berth/store";
import { everyStore, type Open, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";

everyStore("assistants", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    return { db, clock, assistants: new Assistants(db, clock) };
  };

  test("are created with defaults, at version 1", async () => {
    const { assistants, clock } = await start();
    const made = await assistants.create({ graph_id: "agent" });
    expect(made).toEqual({
      assistant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      graph_id: "agent",
      name: "Untitled",
      description: null,
      version: 1,
      config: {},
      context: {},
      metadata: {},
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await assistants.get(made.assistant_id)).toEqual(made);
    expect(await assistants.versions(made.assistant_id, { limit: 10, offset: 0 })).toEqual([
      { ...made, updated_at: undefined } as never,
    ]);
  });

  test("keep what they were given", async () => {
    const { assistants } = await start();
    const given = {
      assistant_id: "3f0c7a1e-0000-4000-8000-000000000001",
      graph_id: "agent",
      name: "Ünïcode",
      description: "what it does",
      config: { tags: ["a"], recursion_limit: 5, configurable: { model: "x" } },
      context: { user: { id: 1 } },
      metadata: { nested: { a: [1, null] } },
    };
    await assistants.create(given);
    expect(await assistants.get(given.assistant_id)).toMatchObject(given);
  });

  test("refuse or return a taken id", async () => {
    const { assistants } = await start();
    const first = await assistants.create({ graph_id: "agent", name: "first" });
    const again = { assistant_id: first.assistant_id, graph_id: "other", name: "second" };
    expect(await outcome(assistants.create(again))).toThrow(new Conflict("Assistant already exists"));
    expect(await assistants.create(again, "do_nothing")).toEqual(first);
    expect(await assistants.versions(first.assistant_id, { limit: 10, offset: 0 })).toHaveLength(1);
  });

  test("are not found under an unknown id", async () => {
    const { assistants } = await start();
    const id = "3f0c7a1e-0000-4000-8000-00000000dead";
    expect(await outcome(assistants.get(id))).toThrow(new NotFound("Assistant not found"));
    expect(await outcome(assistants.patch(id, {}))).toThrow(new NotFound("Assistant not found"));
    expect(await outcome(assistants.delete(id))).toThrow(new NotFound("Assistant not found"));
    expect(await outcome(assistants.setLatest(id, 1))).toThrow(new NotFound("Assistant not found"));
    expect(await outcome(assistants.versions(id, { limit: 1, offset: 0 }))).toThrow(
      `Assistant "${id}" not found.`,
    );
  });

  test("merge metadata and replace the rest when patched", async () => {
    const { assistants, clock } = await start();
    const made = await assistants.create({
      graph_id: "agent",
      config: { tags: ["a"] },
      context: { a: 1 },
      metadata: { keep: 1, change: { deep: 1 } },
    });
    clock.advance(5);
    const patched = await assistants.patch(made.assistant_id, {
      config: { recursion_limit: 3 },
      metadata: { change: { other: 2 }, add: true },
      name: "named",
      context: null,
    });
    expect(patched).toEqual({
      ...made,
      name: "named",
      config: { recursion_limit: 3 },
      metadata: { keep: 1, change: { other: 2 }, add: true },
      version: 2,
      updated_at: clock.now(),
    });
    expect(await assistants.get(made.assistant_id)).toEqual(patched);
  });

  test("count versions on from the highest, even after going back", async () => {
    const { assistants } = await start();
    const { assistant_id: id, ...made } = await assistants.create({
      graph_id: "agent",
      name: "one",
      metadata: { v: 1 },
    });
    expect(await assistants.patch(id, {})).toMatchObject({ version: 2, name: "one" });
    await assistants.patch(id, { name: "three", metadata: { v: 3 }, description: "third" });
    const back = await assistants.setLatest(id, 1);
    expect(back).toMatchObject({
      version: 1,
      name: "one",
      metadata: { v: 1 },
      description: null,
      created_at: made.created_at,
    });
    expect(await assistants.get(id)).toEqual(back);
    expect((await assistants.patch(id, { name: "four" })).version).toBe(4);
    const versions = await assistants.versions(id, { limit: 10, offset: 0 });
    expect(versions.map(({ version, name }) => [version, name])).toEqual([
      [4, "four"],
      [3, "three"],
      [2, "one"],
      [1, "one"],
    ]);
    expect(await outcome(assistants.setLatest(id, 9))).toThrow(new NotFound("Assistant version not found"));
  });

  test("list versions by metadata and page", async () => {
    const { assistants } = await start();
    const { assistant_id: id } = await assistants.create({ graph_id: "agent", metadata: { stage: "dev" } });
    for (const stage of ["dev", "live", "dev"]) await assistants.patch(id, { metadata: { stage } });
    const numbers = async (metadata: JsonObject, limit = 10, offset = 0) =>
      (await assistants.versions(id, { metadata, limit, offset })).map((version) => version.version);
    expect(await numbers({ stage: "dev" })).toEqual([4, 2, 1]);
    expect(await numbers({ stage: "live" })).toEqual([3]);
    expect(await numbers({}, 2, 1)).toEqual([3, 2]);
    expect(await numbers({ stage: "none" })).toEqual([]);
  });

  test("go with their versions, and with what the caller hangs on them", async () => {
    const { assistants, db } = await start();
    const { assistant_id: id } = await assistants.create({ graph_id: "agent" });
    const other = await assistants.create({ graph_id: "agent" });
    await assistants.delete(id, async (tx) => {
      await tx.updateTable("assistants").set({ name: "touched" }).execute();
    });
    expect(await outcome(assistants.get(id))).toThrow(NotFound);
    expect((await assistants.get(other.assistant_id)).name).toBe("touched");
    const left = await db.read.selectFrom("assistant_versions").select("assistant_id").execute();
    expect(left).toEqual([{ assistant_id: other.assistant_id }]);
  });

  test("stay when what hangs on them cannot go", async () => {
    const { assistants } = await start();
    const { assistant_id: id } = await assistants.create({ graph_id: "agent" });
    const failing = assistants.delete(id, () => Promise.reject(new Error("no")));
    expect(await outcome(failing)).toThrow("no");
    expect((await assistants.get(id)).assistant_id).toBe(id);
  });

  searches(open);
  systemAssistants(open);
});

function searches(open: Open): void {
  describe("search", () => {
    const stocked = async () => {
      const clock = standingClock();
      const assistants = new Assistants(await open(), clock);
      for (const [name, graph_id, team] of [
        ["Alpha", "agent", "red"],
        ["beta 100%", "agent", "blue"],
        ["GAMMA_x", "tool", "red"],
        ["Ärger", "tool", "blue"],
      ] as const) {
        await assistants.create({ name, graph_id, metadata: { team: { name: team }, tags: [name] } });
        clock.advance(1);
      }
      const names = async (search: Partial<Parameters<Assistants["search"]>[0]>) => {
        const page = await assistants.search({ limit: 10, offset: 0, ...search });
        expect(await assistants.count(search)).toBe(page.total);
        return page.rows.map((assistant) => assistant.name);
      };
      return { assistants, names };
    };

    test("gives the newest first, in pages with the true total", async () => {
      const { assistants } = await stocked();
      const page = await assistants.search({ limit: 2, offset: 1 });
      expect(page.rows.map((row) => row.name)).toEqual(["GAMMA_x", "beta 100%"]);
      expect(page.total).toBe(4);
      expect(await assistants.search({ limit: 2, offset: 9 })).toEqual({ rows: [], total: 4 });
    });

    test("sorts by what it is told", async () => {
      const { names } = await stocked();
      expect(await names({ sort_by: "created_at", sort_order: "asc" })).toEqual([
        "Alpha",
        "beta 100%",
        "GAMMA_x",
        "Ärger",
      ]);
      expect(await names({ sort_by: "graph_id", sort_order: "asc" })).toHaveLength(4);
      expect((await names({ sort_by: "name", sort_order: "asc" }))[0]).toBe("Alpha");
    });

    test("filters by graph, metadata and a part of the name", async () => {
      const { names } = await stocked();
      expect(await names({ graph_id: "tool" })).toEqual(["Ärger", "GAMMA_x"]);
      expect(await names({ metadata: { team: { name: "red" } } })).toEqual(["GAMMA_x", "Alpha"]);
      expect(await names({ metadata: { tags: ["Alpha"] } })).toEqual(["Alpha"]);
      expect(await names({ metadata: {} })).toHaveLength(4);
      expect(await names({ name: "gamma" })).toEqual(["GAMMA_x"]);
      expect(await names({ name: "äRG" })).toEqual(["Ärger"]);
      expect(await names({ name: "%" })).toEqual(["beta 100%"]);
      expect(await names({ name: "_" })).toEqual(["GAMMA_x"]);
      expect(await names({ name: "a", graph_id: "agent", metadata: { team: { name: "blue" } } })).toEqual([
        "beta 100%",
      ]);
    });

    test("runs the largest filter and refuses a larger one", async () => {
      const { names } = await stocked();
      const wide = (keys: number) =>
        Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, at]));
      const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: [deep(levels - 1)] });
      expect(await names({ metadata: wide(99) })).toEqual([]);
      expect(await names({ metadata: { top: deep(7) } })).toEqual([]);
      expect(await outcome(names({ metadata: wide(100) }))).toThrow(BadRequest);
      expect(await outcome(names({ metadata: { top: deep(8) } }))).toThrow(BadRequest);
    });
  });
}

function systemAssistants(open: Open): void {
  describe("of the system", () => {
    const graph = (graph_id: string, description: string | null = null) => ({
      assistant_id: `00000000-0000-5000-8000-${graph_id.padStart(12, "0")}`,
      graph_id,
      description,
      config: { configurable: { from: "env" } },
      context: { model: "m" },
    });

    test("are made once and keep what people changed", async () => {
      const db = await open();
      const clock = standingClock();
      const assistants = new Assistants(db, clock);
      await syncSystemAssistants(db, clock, [graph("a", "first"), graph("b")]);
      const made = await assistants.get(graph("a").assistant_id);
      expect(made).toMatchObject({
        name: "a",
        description: "first",
        metadata: { created_by: "system" },
        version: 1,
      });
      expect(made).toMatchObject({ config: graph("a").config, context: graph("a").context });

      await assistants.patch(graph("b").assistant_id, { name: "mine", config: { tags: ["mine"] } });
      const now = { config: { configurable: { from: "now" } }, context: { model: "other" } };
      await syncSystemAssistants(db, clock, [
        { ...graph("a", "second"), ...now },
        { ...graph("b", "new"), ...now },
      ]);
      const [version] = await assistants.versions(graph("a").assistant_id, { limit: 10, offset: 0 });
      for (const found of [await assistants.get(graph("a").assistant_id), version])
        expect(found).toMatchObject({ ...now, description: "second", version: 1 });
      expect(await assistants.get(graph("b").assistant_id)).toMatchObject({
        name: "mine",
        description: null,
        version: 2,
        config: { tags: ["mine"] },
        context: graph("b").context,
      });
      expect(await assistants.count({ metadata: { created_by: "system" } })).toBe(2);
    });

    test("go with their graph; those of people stay", async () => {
      const db = await open();
      const clock = standingClock();
      const assistants = new Assistants(db, clock);
      await syncSystemAssistants(db, clock, [graph("a"), graph("b")]);
      const own = await assistants.create({ graph_id: "b", name: "own" });
      const { assistant_id } = graph("b");
      expect(await syncSystemAssistants(db, clock, [graph("a")])).toEqual([{ assistant_id, graph_id: "b" }]);
      const left = await assistants.search({ limit: 10, offset: 0 });
      expect(left.rows.map((row) => row.assistant_id).sort()).toEqual(
        [graph("a").assistant_id, own.assistant_id].sort(),
      );
      expect(await db.read.selectFrom("assistant_versions").selectAll().execute()).toHaveLength(2);
    });

    test("that somebody patched stay without their graph", async () => {
      const db = await open();
      const clock = standingClock();
      const assistants = new Assistants(db, clock);
      const { assistant_id } = graph("a");
      await syncSystemAssistants(db, clock, [graph("a")]);
      await assistants.patch(assistant_id, { context: { model: "mine" } });
      await assistants.setLatest(assistant_id, 1);
      expect(await syncSystemAssistants(db, clock, [])).toEqual([]);
      expect(await assistants.versions(assistant_id, { limit: 10, offset: 0 })).toHaveLength(2);
    });
  });
}
