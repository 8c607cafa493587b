import { describe, expect, test } from "bun:test";
import { BadRequest, Invalid, Items, type JsonObject } from "@berth/store";
import { everyStore, type Open, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { firstPlan } from "../query-plan.ts";

const start = async (open: Open) => {
  const clock = standingClock();
  const db = await open();
  return { db, clock, items: new Items(db, clock) };
};

everyStore("items", (open) => {
  test("are read back as they were put", async () => {
    const { items, clock } = await start(open);
    const value = { text: "ünï", nested: { list: [1, null, { deep: true }] } };
    await items.put({ namespace: ["users", "ada"], key: "k", value });
    expect(await items.get(["users", "ada"], "k")).toEqual({
      namespace: ["users", "ada"],
      key: "k",
      value,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await items.get(["users"], "k")).toBeNull();
    expect(await items.get(["users", "ada", "x"], "k")).toBeNull();
    expect(await items.get(["users", "ada"], "K")).toBeNull();
    expect(await items.get([], "k")).toBeNull();
  });

  test("put again keep created_at and move updated_at strictly, even when the clock stands or goes back", async () => {
    const { items, clock } = await start(open);
    const at = { namespace: ["n"], key: "k" };
    const created = clock.now();
    const seen: number[] = [];
    for (const step of [0, 0, 10, -100]) {
      clock.advance(step);
      await items.put({ ...at, value: { step } });
      const item = await items.get(at.namespace, at.key);
      expect(item).toMatchObject({ created_at: created, value: { step } });
      seen.push(item?.updated_at ?? 0);
    }
    expect(seen).toEqual([created, created + 1, created + 10, created + 11]);
  });

  test("are gone once deleted; deleting nothing is fine", async () => {
    const { items } = await start(open);
    await items.put({ namespace: ["n"], key: "k", value: {} });
    await items.delete(["n"], "k");
    await items.delete(["n"], "k");
    await items.delete([], "k");
    expect(await items.get(["n"], "k")).toBeNull();
    expect(await items.search({ prefix: ["n"], limit: 10, offset: 0 })).toEqual([]);
    expect(await items.listNamespaces({ limit: 10, offset: 0 })).toEqual([]);
  });

  test("need a namespace of whole labels", async () => {
    const { items } = await start(open);
    const put = (namespace: string[]) => items.put({ namespace, key: "k", value: {} });
    expect(await outcome(put([]))).toThrow(new BadRequest("Namespace is required"));
    for (const label of ["", "a.b", "nul\0"]) {
      expect(await outcome(put(["ok", label]))).toThrow(Invalid);
      expect(await outcome(items.get([label], "k"))).toThrow(Invalid);
      expect(await outcome(items.delete([label], "k"))).toThrow(Invalid);
      expect(await outcome(items.search({ prefix: [label], limit: 1, offset: 0 }))).toThrow(Invalid);
      expect(await outcome(items.listNamespaces({ suffix: [label], limit: 1, offset: 0 }))).toThrow(Invalid);
    }
  });

  test("are put together or not at all", async () => {
    const { items } = await start(open);
    const good = { namespace: ["n"], key: "k", value: {} };
    expect(await outcome(items.putAll([good, { ...good, namespace: [] }]))).toThrow(BadRequest);
    expect(await items.get(["n"], "k")).toBeNull();
    await items.putAll([good, { ...good, key: "other" }, { ...good, value: null }]);
    expect((await items.search({ prefix: [], limit: 10, offset: 0 })).map((item) => item.key)).toEqual([
      "other",
    ]);
  });

  searches(open);
  namespaces(open);
  lifetimes(open);
});

function searches(open: Open): void {
  describe("search", () => {
    const stocked = async () => {
      const { items, clock } = await start(open);
      for (const [namespace, key, value] of [
        ["users.ada", "a", { n: 1, tag: "x", ok: true }],
        ["users.ada", "b", { n: 10, tag: "y", ok: false }],
        ["users.ada.notes", "c", { n: 2, tag: "x", none: null }],
        ["users.adam", "d", { n: 9, tag: "x", list: [1, 2] }],
        ["users_ada", "e", { n: "3" }],
        ["users", "f", { when: { a: 1 } }],
      ] as const) {
        await items.put({ namespace: namespace.split("."), key, value });
        clock.advance(1);
      }
      const keys = async (prefix: string[], filter?: JsonObject, limit = 10, offset = 0) =>
        (await items.search({ prefix, filter, limit, offset })).map((item) => item.key).join("");
      return { items, clock, keys };
    };

    test("takes whole labels of the prefix, last changed first", async () => {
      const { items, keys } = await stocked();
      expect(await keys([])).toBe("fedcba");
      expect(await keys(["users"])).toBe("fdcba");
      expect(await keys(["users", "ada"])).toBe("cba");
      expect(await keys(["users", "ada", "notes"])).toBe("c");
      expect(await keys(["user"])).toBe("");
      expect(await keys(["%"])).toBe("");
      await items.put({ namespace: ["users", "ada"], key: "a", value: {} });
      expect(await keys(["users", "ada"])).toBe("acb");
    });

    test("pages", async () => {
      const { keys } = await stocked();
      expect(await keys(["users"], {}, 2, 1)).toBe("dc");
      expect(await keys(["users"], { tag: "x" }, 1, 1)).toBe("c");
      expect(await keys(["users"], { n: { $gt: 0 } }, 2, 2)).toBe("ba");
      expect(await keys(["users"], {}, 2, 9)).toBe("");
    });

    test("filters by equality and by operators", async () => {
      const { keys } = await stocked();
      for (const [filter, found] of [
        [{ tag: "x" }, "dca"],
        [{ tag: "x", n: 2 }, "c"],
        [{ ok: true }, "a"],
        [{ none: null }, "c"],
        [{ list: [1, 2] }, "d"],
        [{ list: [1] }, ""],
        [{ when: { a: 1 } }, "f"],
        [{ when: { a: 2 } }, ""],
        [{ when: { a: { $gte: 1, $lt: 2 } } }, "f"],
        [{ when: { a: { $gt: 1 } } }, ""],
        [{ when: { b: { $ne: 1 } } }, "f"],
        [{ n: { a: 1 } }, ""],
        [{ missing: "x" }, ""],
        [{ n: { $eq: 10 } }, "b"],
        [{ n: { $eq: "10" } }, ""],
        [{ tag: { $ne: "x" } }, "feb"],
        [{ n: { $gt: 2 } }, "db"],
        [{ n: { $gte: 2, $lt: 10 } }, "dc"],
        [{ n: { $lte: 1 } }, "a"],
        [{ n: { $in: [1, 2] } }, "ca"],
        [{ n: { $nin: [1, 2] } }, "fedb"],
        [{}, "fedcba"],
      ] as [JsonObject, string][]) {
        expect({ filter, found: await keys([], filter) }).toEqual({ filter, found });
      }
    });

    test("of one namespace, or of all, reads nothing but the page", async () => {
      const db = await open();
      if (db.sql.name !== "sqlite") return;
      const plan = (prefix: string[]) =>
        firstPlan(db, (recorded) =>
          new Items(recorded, standingClock()).search({ prefix, limit: 10, offset: 0 }),
        );
      expect(await plan([])).toEqual(["SCAN items USING INDEX items_updated"]);
      // Only what lies in namespaces further down is sorted.
      expect(await plan(["users"])).toEqual([
        "MERGE (UNION ALL)",
        "LEFT",
        "SEARCH items USING INDEX items_recent (namespace=?)",
        "RIGHT",
        "SEARCH items USING INDEX sqlite_autoindex_items_1 (namespace>? AND namespace<?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ]);
    });

    test("finds what lies behind many that do not match", async () => {
      const { items, clock, keys } = await stocked();
      clock.advance(1);
      const many = Array.from({ length: 1_100 }, (_, at) => ({
        namespace: ["bulk"],
        key: `${at}`,
        value: { n: -at },
      }));
      await items.putAll(many);
      expect(await keys([], { n: { $gt: 5 } })).toBe("db");
      expect(
        (await items.search({ prefix: ["bulk"], filter: { n: { $lte: 0 } }, limit: 2000, offset: 0 })).length,
      ).toBe(1100);
    });
  });
}

function namespaces(open: Open): void {
  describe("namespaces", () => {
    const stocked = async () => {
      const { items } = await start(open);
      for (const name of ["a.b.c", "a.b.d", "a.x.c", "b.b.c", "a-b.z", "a", "a.b.c"]) {
        await items.put({ namespace: name.split("."), key: "k", value: {} });
      }
      return (search: Partial<Parameters<Items["listNamespaces"]>[0]>) =>
        items
          .listNamespaces({ limit: 100, offset: 0, ...search })
          .then((found) => found.map((labels) => labels.join(".")));
    };

    test("are listed once each, in order", async () => {
      const list = await stocked();
      expect(await list({})).toEqual(["a-b.z", "a", "a.b.c", "a.b.d", "a.x.c", "b.b.c"]);
      expect(await list({ limit: 2, offset: 1 })).toEqual(["a", "a.b.c"]);
      expect(await list({ offset: 6 })).toEqual([]);
    });

    test("match by prefix, suffix and wildcards", async () => {
      const list = await stocked();
      expect(await list({ prefix: ["a"] })).toEqual(["a", "a.b.c", "a.b.d", "a.x.c"]);
      expect(await list({ prefix: ["a", "*", "c"] })).toEqual(["a.b.c", "a.x.c"]);
      expect(await list({ prefix: ["*", "b"] })).toEqual(["a.b.c", "a.b.d", "b.b.c"]);
      expect(await list({ suffix: ["c"] })).toEqual(["a.b.c", "a.x.c", "b.b.c"]);
      expect(await list({ suffix: ["b", "*"] })).toEqual(["a.b.c", "a.b.d", "b.b.c"]);
      expect(await list({ prefix: ["a"], suffix: ["x", "c"] })).toEqual(["a.x.c"]);
      expect(await list({ prefix: ["a", "b", "c", "d"] })).toEqual([]);
      expect(await list({ prefix: ["%"] })).toEqual([]);
    });

    test("are cut to a depth and then listed once", async () => {
      const list = await stocked();
      expect(await list({ max_depth: 1 })).toEqual(["a-b", "a", "b"]);
      expect(await list({ max_depth: 2 })).toEqual(["a-b.z", "a", "a.b", "a.x", "b.b"]);
      expect(await list({ max_depth: 2, prefix: ["a"], suffix: ["c"], limit: 1, offset: 1 })).toEqual([
        "a.x",
      ]);
    });

    test("are listed beyond the first thousand", async () => {
      const { items } = await start(open);
      const names = Array.from({ length: 2_050 }, (_, at) => [`n${String(at).padStart(4, "0")}`, "deep"]);
      await items.putAll(names.map((namespace) => ({ namespace, key: "k", value: {} })));
      expect(await items.listNamespaces({ limit: 5000, offset: 0 })).toEqual(names);
      expect(await items.listNamespaces({ limit: 1, offset: 1_500 })).toEqual([names[1_500] ?? []]);
    });
  });
}

function lifetimes(open: Open): void {
  describe("with a time to live", () => {
    const MINUTE = 60_000;
    const at = { namespace: ["n"], key: "k" };

    test("are gone when it is over, for every reader, and swept later", async () => {
      const { db, items, clock } = await start(open);
      await items.put({ ...at, value: {}, ttl_minutes: 0.5 });
      await items.put({ ...at, key: "forever", value: {} });
      clock.advance(MINUTE / 2 - 1);
      expect(await items.get(at.namespace, at.key, { refresh_ttl: false })).not.toBeNull();
      clock.advance(1);
      expect(await items.get(at.namespace, at.key)).toBeNull();
      expect((await items.search({ prefix: [], limit: 10, offset: 0 })).map((item) => item.key)).toEqual([
        "forever",
      ]);
      expect(await items.sweep(clock.now())).toBe(1);
      expect(await items.sweep(clock.now())).toBe(0);
      expect(await db.read.selectFrom("items").select("key").execute()).toEqual([{ key: "forever" }]);
    });

    test("start anew with a reading and with a put, unless told not to", async () => {
      const { items, clock } = await start(open);
      const alive = () =>
        items.get(at.namespace, at.key, { refresh_ttl: false }).then((item) => item !== null);
      await items.put({ ...at, value: {}, ttl_minutes: 1 });
      clock.advance(MINUTE - 1);
      await items.get(at.namespace, at.key);
      clock.advance(MINUTE - 1);
      await items.search({ prefix: [], limit: 1, offset: 0 });
      clock.advance(MINUTE - 1);
      expect(await alive()).toBe(true);
      await items.search({ prefix: [], limit: 1, offset: 0, refresh_ttl: false });
      clock.advance(1);
      expect(await alive()).toBe(false);
    });

    test("are new when put again after it", async () => {
      const { items, clock } = await start(open);
      await items.put({ ...at, value: {}, ttl_minutes: 1 });
      clock.advance(MINUTE);
      await items.put({ ...at, value: { again: true } });
      expect(await items.get(at.namespace, at.key)).toMatchObject({
        created_at: clock.now(),
        value: { again: true },
      });
      clock.advance(MINUTE * 1000);
      expect(await items.get(at.namespace, at.key)).not.toBeNull();
    });
  });
}
