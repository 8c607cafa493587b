import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  BadRequest,
  type Embedder,
  ItemOperations,
  Items,
  type ItemsSettings,
  openDatabase,
  Unavailable,
} from "@berth/store";
import { ItemsStore } from "@berth/store/langgraph";
import { everyStore, type Open, standingClock, temporaryFolder } from "../every-store.ts";
import { outcome } from "../outcome.ts";

/** Vectors on a circle: a text's number is its angle in degrees, so that nearness can be worked out by hand. */
const circle = (changes: Partial<Embedder> = {}): Embedder => ({
  model: "circle/2",
  dims: 2,
  fields: ["at"],
  embed: async (texts) =>
    texts.map((text) => {
      const angle = (Number(text) * Math.PI) / 180;
      return [3 * Math.cos(angle), 3 * Math.sin(angle)];
    }),
  ...changes,
});

const cosine = (degrees: number) => Math.cos((degrees * Math.PI) / 180);

everyStore("searches by meaning", (open) => {
  const start = async (settings: ItemsSettings = { embedder: circle() }, from: Open = open) => {
    const clock = standingClock();
    const db = await from();
    const items = new Items(db, clock, settings);
    const put = (key: string, at: unknown, more: object = {}) =>
      items.put({ namespace: ["n"], key, value: { at }, ...more });
    const find = (query: string, more: object = {}) =>
      items.search({ prefix: ["n"], query, limit: 10, offset: 0, ...more });
    const keys = async (query: string, more: object = {}) =>
      (await find(query, more)).map(({ key }) => key).join("");
    return { db, clock, items, put, find, keys };
  };

  test("give the nearest first, with its cosine, and what is not indexed last", async () => {
    const { put, find, keys, clock } = await start();
    await put("a", 0);
    await put("b", 90);
    clock.advance(1);
    await put("x", 10, { index: false });
    clock.advance(1);
    await put("y", 10, { index: [] });
    await put("c", 45);
    const found = await find("40");
    expect(found.map(({ key }) => key)).toEqual(["c", "a", "b", "y", "x"]);
    expect(found.slice(0, 3).map(({ score }) => score)).toEqual(
      [5, 40, 50].map((degrees) => expect.closeTo(cosine(degrees), 5)),
    );
    expect(found.slice(3).map(({ score }) => score)).toEqual([null, null]);
    expect(await keys("40", { limit: 2, offset: 2 })).toBe("by");
    expect(await keys("40", { limit: 2, offset: 4 })).toBe("x");
    expect(await keys("40", { limit: 2, offset: 9 })).toBe("");
  });

  test("rate an item by the best of its parts", async () => {
    const { items, keys } = await start();
    const value = { parts: [{ at: 0 }, { at: 100 }], other: 50 };
    await items.put({ namespace: ["n"], key: "a", value, index: ["parts[*].at"] });
    await items.put({ namespace: ["n"], key: "b", value, index: ["other"] });
    await items.put({ namespace: ["n"], key: "c", value, index: ["parts[0].at", "other"] });
    expect(await keys("95")).toBe("abc");
    expect(await keys("2")).toMatch(/^(ac|ca)b$/);
  });

  test("follow what is put again, deleted or over", async () => {
    const { put, keys, items, clock } = await start();
    await put("a", 0);
    await put("b", 20);
    await put("c", 40, { ttl_minutes: 1 });
    await put("a", 60);
    expect(await keys("0")).toBe("bca");
    await items.delete(["n"], "b");
    expect(await keys("0")).toBe("ca");
    clock.advance(60_000);
    expect(await keys("0", { refresh_ttl: false })).toBe("a");
  });

  test("keep to the namespace and the filter", async () => {
    const { items, put, keys } = await start();
    await put("a", 0, { value: { at: 0, tag: "x" } });
    await put("b", 10, { value: { at: 10, tag: "y" } });
    await put("c", 20, { value: { at: 20, tag: "x" } });
    await items.put({ namespace: ["nn"], key: "d", value: { at: 0 } });
    await items.put({ namespace: ["n", "deep"], key: "e", value: { at: 30 } });
    expect(await keys("0")).toBe("abce");
    expect(await keys("0", { filter: { tag: "x" } })).toBe("ac");
    expect(await keys("0", { filter: { at: { $gt: 5 } }, limit: 2 })).toBe("bc");
    expect(await keys("0", { prefix: ["n", "deep"] })).toBe("e");
    expect(await keys("0", { prefix: [] })).toHaveLength(5);
  });

  test("store nothing where the embedding fails, and refuse too many parts", async () => {
    const fails = async () => {
      throw new Error("no such model");
    };
    const { items, put } = await start({ embedder: circle({ embed: fails }) });
    expect(await outcome(put("a", 0))).toThrow(Unavailable);
    expect(await items.get(["n"], "a")).toBeNull();
    await put("b", 0, { index: false });
    expect(await items.get(["n"], "b")).not.toBeNull();
    const parts = Array.from({ length: 101 }, (_, at) => at);
    expect(await outcome(put("c", parts, { index: ["at[*]"] }))).toThrow(BadRequest);
  });

  test("refuse vectors of another size", async () => {
    const { put } = await start({ embedder: circle({ dims: 3 }) });
    expect(await outcome(put("a", 0))).toThrow(Unavailable);
  });

  test("do not compare vectors of two models", async () => {
    const { db, put, clock } = await start();
    await put("a", 0);
    const other = new Items(db, clock, { embedder: circle({ model: "other/2" }) });
    await other.put({ namespace: ["n"], key: "b", value: { at: 90 } });
    const found = await other.search({ prefix: ["n"], query: "0", limit: 10, offset: 0 });
    expect(found.map(({ key, score }) => [key, score])).toEqual([
      ["b", expect.closeTo(0, 5)],
      ["a", null],
    ]);
  });

  test("work for graphs too", async () => {
    const { items } = await start();
    const store = new ItemsStore(new ItemOperations(items));
    await store.put(["n"], "a", { at: 0 });
    await store.put(["n"], "b", { at: 90 });
    await store.put(["n"], "c", { at: 90 }, false);
    const found = await store.search(["n"], { query: "80" });
    expect(found.map(({ key, score }) => [key, score])).toEqual([
      ["b", expect.closeTo(cosine(10), 5)],
      ["a", expect.closeTo(cosine(80), 5)],
      ["c", undefined],
    ]);
  });

  test("find in a large namespace what a full comparison finds", async () => {
    const dims = 48;
    const random = randomNumbers(7);
    const vectors = new Map<string, number[]>();
    const vectorFor = (text: string) => {
      const known = vectors.get(text) ?? Array.from({ length: dims }, () => random() - 0.5);
      vectors.set(text, known);
      return known;
    };
    const embed = async (texts: string[]) => texts.map(vectorFor);
    const { items } = await start({ embedder: { model: "random/48", dims, fields: ["text"], embed } });
    const all = Array.from({ length: 1_200 }, (_, at) => `t${at}`);
    await items.putAll(
      all.map((text, at) => ({ namespace: ["n", `${at % 3}`], key: text, value: { text, at } })),
    );
    const nearest = (query: string, among: string[]) =>
      among
        .map((key) => ({ key, score: similarity(vectorFor(query), vectorFor(key)) }))
        .sort((a, b) => b.score - a.score);
    const find = async (query: string, filter = {}) =>
      (await items.search({ prefix: ["n"], query, filter, limit: 20, offset: 5 })).map(({ key, score }) => ({
        key,
        score: expect.closeTo(score ?? 0, 5),
      }));
    expect(await find("q1")).toEqual(nearest("q1", all).slice(5, 25));
    const high = all.slice(1_100);
    expect(await find("q2", { at: { $gte: 1_100 } })).toEqual(nearest("q2", high).slice(5, 25));
    // What the index knows goes away and comes back.
    const [gone] = nearest("q3", all);
    if (!gone) throw new Error("nothing is near");
    await items.delete(["n", String(all.indexOf(gone.key) % 3)], gone.key);
    const left = all.filter((key) => key !== gone.key);
    expect(await find("q3")).toEqual(nearest("q3", left).slice(5, 25));
    await items.put({ namespace: ["n", "new"], key: "q3", value: { text: "q3" } });
    const [first] = await items.search({ prefix: [], query: "q3", limit: 1, offset: 0 });
    expect(first).toMatchObject({ key: "q3", score: expect.closeTo(1, 5) });
  });
});

describe("items of two processes", () => {
  test("are found by either", async () => {
    const url = `sqlite:${join(temporaryFolder(), "berth.db")}`;
    const clock = standingClock();
    const [one, two] = [await openDatabase(url), await openDatabase(url)];
    try {
      const [mine, theirs] = [one, two].map((db) => new Items(db, clock, { embedder: circle() }));
      if (!mine || !theirs) throw new Error("there are two");
      const many = Array.from({ length: 600 }, (_, at) => ({
        ...{ namespace: ["n"], key: `${at}`, value: { at: 90 + at / 10 } },
      }));
      await mine.putAll(many);
      const nearest = async (items: Items) =>
        (await items.search({ prefix: [], query: "0", limit: 1, offset: 0 })).map(({ key }) => key);
      expect(await nearest(theirs)).toEqual(["0"]);
      await mine.put({ namespace: ["n"], key: "new", value: { at: 5 } });
      expect(await nearest(theirs)).toEqual(["new"]);
      await mine.delete(["n"], "new");
      expect(await nearest(theirs)).toEqual(["0"]);
    } finally {
      await one.close();
      await two.close();
    }
  });
});

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function similarity(a: number[], b: number[]): number {
  const dot = (x: number[], y: number[]) => x.reduce((sum, number, at) => sum + number * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
