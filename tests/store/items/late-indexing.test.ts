import { expect, test } from "bun:test";
import { type Embedder, Items, LateIndexing, Unavailable } from "@berth/store";
import { everyStore, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";

/** A text's number is its angle in degrees. */
const circle = (changes: Partial<Embedder> = {}): Embedder => ({
  model: "circle/2",
  dims: 2,
  fields: ["at"],
  embed: async (texts) =>
    texts.map((text) => {
      const angle = (Number(text) * Math.PI) / 180;
      return [Math.cos(angle), Math.sin(angle)];
    }),
  ...changes,
});

const MINUTE = 60_000;

everyStore("items from before there was an embedding", (open) => {
  async function start() {
    const clock = standingClock();
    const db = await open();
    const plain = new Items(db, clock);
    const put = (key: string, at: unknown, more: object = {}) =>
      plain.put({ namespace: ["n"], key, value: { at }, ...more });
    /** The items that are indexed for an embedding, nearest first. */
    const indexed = async (embedder = circle()) => {
      const found = await new Items(db, clock, { embedder }).search({
        ...{ prefix: ["n"], query: "0", limit: 1_000, offset: 0 },
      });
      return found.filter(({ score }) => score !== null).map(({ key }) => key);
    };
    const finish = async (indexing: LateIndexing) => {
      let count = 0;
      for (;;) {
        const more = await indexing.once(clock.now());
        if (more === 0) return count;
        count += more;
      }
    };
    return { clock, db, put, indexed, finish };
  }

  test("are found by their meaning in the end, as their puts wanted them indexed", async () => {
    const { db, put, indexed, finish } = await start();
    await put("b", 50);
    await put("a", 10);
    await put("hidden", 0, { index: false });
    await put("own", 90, { value: { at: 90, of: 30 }, index: ["of"] });
    await put("none", "");
    expect(await indexed()).toEqual([]);
    expect(await finish(new LateIndexing(db, circle()))).toBe(5);
    expect(await indexed()).toEqual(["a", "own", "b"]);
    expect(await finish(new LateIndexing(db, circle()))).toBe(0);
  });

  test("are indexed a batch at a time, also by another process, each once", async () => {
    const { clock, db, put, indexed, finish } = await start();
    let texts = 0;
    const embed: Embedder["embed"] = async (given) => {
      texts += given.length;
      return circle().embed(given);
    };
    for (let at = 0; at < 130; at += 1) await put(`k${at}`, at);
    expect(await new LateIndexing(db, circle({ embed })).once(clock.now())).toBe(100);
    expect(await finish(new LateIndexing(db, circle({ embed })))).toBe(30);
    expect(texts).toBe(130);
    expect((await indexed()).slice(0, 3)).toEqual(["k0", "k1", "k2"]);
  });

  test("are indexed anew for another model", async () => {
    const { db, put, indexed, finish } = await start();
    await put("a", 0);
    await put("hidden", 0, { index: false });
    await finish(new LateIndexing(db, circle()));
    for (const model of ["another/2", "zebra/2"]) {
      const other = circle({ model });
      expect(await finish(new LateIndexing(db, other))).toBe(2);
      expect(await indexed(other)).toEqual(["a"]);
      expect(await indexed()).toEqual([]);
    }
  });

  test("that are put or deleted meanwhile stay as they are now", async () => {
    const { clock, db, put, indexed, finish } = await start();
    await put("changed", 80);
    await put("deleted", 10);
    const items = new Items(db, clock, { embedder: circle() });
    const embed: Embedder["embed"] = async (texts) => {
      await items.put({ namespace: ["n"], key: "changed", value: { at: 5 } });
      await items.delete(["n"], "deleted");
      return circle().embed(texts);
    };
    await finish(new LateIndexing(db, circle({ embed })));
    expect(await indexed()).toEqual(["changed"]);
    const [found] = await items.search({ prefix: ["n"], query: "5", limit: 1, offset: 0 });
    expect(found?.score).toBeCloseTo(1, 5);
  });

  test("wait a minute where the embedding fails, and one with too many texts stays without", async () => {
    const { clock, db, put, indexed } = await start();
    await put("a", 0);
    await put(
      "many",
      Array.from({ length: 101 }, (_, at) => at),
      { index: ["at[*]"] },
    );
    let fails = true;
    const embed: Embedder["embed"] = async (texts) => {
      if (fails) throw new Error("no network");
      return circle().embed(texts);
    };
    const indexing = new LateIndexing(db, circle({ embed }));
    expect(await outcome(indexing.once(clock.now()))).toThrow(Unavailable);
    fails = false;
    expect(await indexing.once(clock.now())).toBe(0);
    clock.advance(MINUTE);
    expect(await indexing.once(clock.now())).toBe(2);
    expect(await indexed()).toEqual(["a"]);
    expect(await indexing.once(clock.now())).toBe(0);
  });
});
