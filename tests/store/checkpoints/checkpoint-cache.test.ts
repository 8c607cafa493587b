import { expect, test } from "bun:test";
import { deleteCheckpointsOfRun, ListCache } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { advance, load, numbered } from "./checkpoint-thread.ts";

const piece = (count: number, bytes: number) => ({
  elements: numbered(0, count),
  hashes: new Array<bigint | undefined>(count).fill(undefined),
  bytes,
});

test("the cache stays below its limit and lets go of what was used longest ago", () => {
  const cache = new ListCache(10_000);
  for (const list of ["a", "b", "c"]) cache.set("t", list, piece(10, 2000), new Map([[10, list]]));
  expect(cache.get("t", "a", 10, "a")?.elements).toEqual(numbered(0, 10));
  cache.set("t", "d", piece(10, 2000), new Map([[10, "d"]]));
  expect(cache.bytes).toBeLessThanOrEqual(10_000);
  expect(cache.get("t", "b", 10, "b")).toBeUndefined();
  expect(cache.get("t", "a", 10, "a")).toBeDefined();
  cache.append("t", "a", 10, piece(1, 7000), "a2");
  expect(cache.bytes).toBeLessThanOrEqual(10_000);
  cache.set("t", "huge", piece(10, 20_000), new Map([[10, "x"]]));
  expect(cache.get("t", "huge", 10, "x")).toBeUndefined();
  cache.drop("t");
  expect(cache.bytes).toBe(0);
});

test("a chunk under another tag is not the one that is asked for", () => {
  const cache = new ListCache();
  cache.set("t", "a", piece(10, 100), new Map([[10, "mine"]]));
  expect(cache.get("t", "a", 10, "theirs")).toBeUndefined();
  expect(cache.get("t", "a", 9, "mine")).toBeUndefined();
  cache.append("t", "a", 12, piece(1, 10), "gap");
  expect(cache.get("t", "a", 10, "mine")?.elements).toHaveLength(10);
});

everyStore("the list cache", (open) => {
  test("many long threads do not grow it beyond its limit, and all of them read back", async () => {
    const database = await open();
    const cache = new ListCache(40_000);
    for (let thread = 0; thread < 30; thread++) {
      const saver = new Checkpoints(database, { cache });
      const head = await advance(
        saver,
        undefined,
        { messages: numbered(0, 60) },
        { thread: `thread ${thread}` },
      );
      await advance(saver, head, { messages: numbered(0, 61) }, { thread: `thread ${thread}` });
      expect(cache.bytes).toBeLessThanOrEqual(40_000);
    }
    for (let thread = 0; thread < 30; thread++) {
      const head = await load(new Checkpoints(database, { cache }), undefined, `thread ${thread}`);
      expect(head.values.messages).toEqual(numbered(0, 61));
      expect(cache.bytes).toBeLessThanOrEqual(40_000);
    }
  });

  test("gives each reader an array of its own", async () => {
    const database = await open();
    const cache = new ListCache();
    await advance(new Checkpoints(database, { cache }), undefined, { messages: numbered(0, 20) });
    const first = (await load(new Checkpoints(database, { cache }))).values.messages as object[];
    first.push({ id: "pushed by a node" });
    expect((await load(new Checkpoints(database, { cache }))).values.messages).toEqual(numbered(0, 20));
  });

  test("does not bring back what a deleted thread held, though its name is used again", async () => {
    const database = await open();
    const cache = new ListCache();
    const saver = new Checkpoints(database, { cache });
    await advance(saver, undefined, { messages: numbered(0, 20) });
    await saver.deleteThread("11111111-1111-4111-8111-111111111111");
    expect(cache.bytes).toBe(0);
    expect(await outcome(load(new Checkpoints(database, { cache })))).toThrow("no such checkpoint");
    await advance(new Checkpoints(database, { cache }), undefined, { messages: numbered(5, 20) });
    expect((await load(new Checkpoints(database, { cache }))).values.messages).toEqual(numbered(5, 20));
  });

  test("is right after a rollback that another process made and built on", async () => {
    const database = await open();
    const [here, there] = [new ListCache(), new ListCache()];
    const root = await advance(new Checkpoints(database, { cache: here }), undefined, {
      messages: numbered(0, 20),
    });
    const undone = new Checkpoints(database, { cache: here, runId: "undone" });
    await advance(undone, await load(undone), { messages: [...numbered(0, 20), { id: "undone" }] });
    await database.write((tx) =>
      deleteCheckpointsOfRun(tx, "undone", "11111111-1111-4111-8111-111111111111"),
    );
    const next = new Checkpoints(database, { cache: there });
    const head = await load(next);
    expect(head.id).toBe(root.id);
    await advance(next, head, { messages: [...numbered(0, 20), { id: "instead" }] });
    const values = (await load(new Checkpoints(database, { cache: here }))).values;
    expect(values.messages).toEqual([...numbered(0, 20), { id: "instead" }]);
  });
});
