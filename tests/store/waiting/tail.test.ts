import { describe, expect, test } from "bun:test";
import { Tail, type TailBatch, type TailBounds } from "@berth/store";
import fc from "fast-check";

type Item = { seq: number; text: string };

const BOUNDS: TailBounds<Item> = { items: 3, chars: 20, charsOf: ({ text }) => text.length };
const item = (seq: number, text = "x"): Item => ({ seq, text });
const seqs = (items: readonly Item[] | undefined) => items?.map(({ seq }) => seq);

/** A log that gives two items at a time. */
function logOf(items: Item[]) {
  const read = async (after: number): Promise<TailBatch<Item>> => {
    const page = items.filter(({ seq }) => seq > after).slice(0, 2);
    return { items: page, upTo: page.at(-1)?.seq ?? after, isAll: page.length < 2 };
  };
  return { items, read };
}

describe("what a tail keeps", () => {
  test("begins with what it is told, and says when the log must be asked", () => {
    const tail = new Tail(BOUNDS);
    expect(tail.since(0)).toBeUndefined();
    tail.push([item(5), item(7)]);
    expect(seqs(tail.since(4))).toEqual([5, 7]);
    expect(seqs(tail.since(5))).toEqual([7]);
    expect(seqs(tail.since(9))).toEqual([]);
    expect(tail.since(3)).toBeUndefined();
    tail.poke();
    expect(tail.since(7)).toBeUndefined();
  });

  test("has a bound in items and in characters; the newest item stays, however large", () => {
    const tail = new Tail(BOUNDS, 0);
    tail.push([1, 2, 3, 4].map((seq) => item(seq)));
    expect(tail.since(0)).toBeUndefined();
    expect(seqs(tail.since(1))).toEqual([2, 3, 4]);
    tail.push([item(5, "x".repeat(100))]);
    expect(tail.since(3)).toBeUndefined();
    expect(seqs(tail.since(4))).toEqual([5]);
  });
});

describe("following", () => {
  test("gives what is stored, then what comes, and says once that nothing stored is left", async () => {
    const { items, read } = logOf([1, 2, 3].map((seq) => item(seq)));
    const tail = new Tail(BOUNDS);
    const stop = new AbortController();
    const follower = tail.follow(0, { read, abort: stop.signal });
    const next = async () => {
      const { value } = await follower.next();
      return value && [seqs(value.items), value.isAll];
    };
    expect(await next()).toEqual([[1, 2], false]);
    expect(await next()).toEqual([[3], true]);
    const waiting = next();
    items.push(item(4));
    tail.push([item(4)]);
    expect(await waiting).toEqual([[4], true]);
    stop.abort();
    expect(await next()).toBeUndefined();
  });

  test("an empty log is said to be read, once", async () => {
    const { read } = logOf([]);
    const tail = new Tail(BOUNDS);
    const follower = tail.follow(0, { read, abort: new AbortController().signal });
    expect((await follower.next()).value).toEqual({ items: [], upTo: 0, isAll: true });
    const waiting = follower.next();
    tail.poke();
    tail.push([item(1)]);
    expect((await waiting).value).toMatchObject({ items: [item(1)], isAll: true });
  });

  test("ends behind what is in memory when the tail ends, and where the log says so", async () => {
    const tail = new Tail(BOUNDS, 0);
    const ends = { read: async () => undefined, abort: new AbortController().signal };
    tail.push([item(1)]);
    tail.end();
    const seen: (number[] | undefined)[] = [];
    for await (const batch of tail.follow(0, ends)) seen.push(seqs(batch.items));
    expect(seen).toEqual([[1]]);
    expect(await new Tail(BOUNDS).follow(0, ends).next()).toEqual({ value: undefined, done: true });
  });

  test("a look wakes those who wait when somebody else wrote, and asks nothing while nobody does", async () => {
    const { items, read } = logOf([]);
    const tail = new Tail<Item>();
    let looks = 0;
    const look = () =>
      tail.look(async () => {
        looks += 1;
        return items.at(-1)?.seq ?? 0;
      });
    await look();
    expect(looks).toBe(0);
    const follower = tail.follow(0, { read, abort: new AbortController().signal });
    await follower.next();
    const waiting = follower.next();
    await Bun.sleep(0);
    items.push(item(1));
    await look();
    expect(seqs((await waiting).value?.items)).toEqual([1]);
  });

  test("whatever comes in between, nobody misses an item or gets one twice", async () => {
    const step = fc.oneof(
      fc.constant("read" as const),
      fc.constant("poke" as const),
      fc.record({ write: fc.integer({ min: 1, max: 5 }), told: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { items, read } = logOf([]);
        const tail = new Tail(BOUNDS);
        const stop = new AbortController();
        const seen: number[] = [];
        const reading = (async () => {
          for await (const batch of tail.follow(0, { read, abort: stop.signal }))
            seen.push(...(seqs(batch.items) ?? []));
        })();
        for (const each of steps) {
          if (each === "read") await Bun.sleep(0);
          else if (each === "poke") tail.poke();
          else {
            const from = items.length;
            for (let n = 0; n < each.write; n += 1) items.push(item(items.length + 1));
            if (each.told) tail.push(items.slice(from));
            else tail.poke();
          }
        }
        const done = items.length;
        while (seen.length < done) await Bun.sleep(0);
        stop.abort();
        await reading;
        expect(seen).toEqual(items.map(({ seq }) => seq));
      }),
      { numRuns: 100 },
    );
  });
});
