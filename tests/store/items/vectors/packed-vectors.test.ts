import { expect, test } from "bun:test";
import {
  dotProducts,
  MAX_DIMS,
  PackedVectors,
  QUERY_RANGE,
  reserve,
} from "../../../../store/items/vectors/packed-vectors.ts";

/** Dot products of the query with each vector, as the loop or the SIMD code computes them. */
function products(withSimd: boolean, query: number[], vectors: number[][]): number[] {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const stride = Math.ceil(query.length / 16) * 16;
  const start = stride * 2;
  const results = start + stride * vectors.length;
  reserve(memory, results + vectors.length * 4);
  new Int16Array(memory.buffer, 0, stride).set(query);
  for (const [at, vector] of vectors.entries())
    new Int8Array(memory.buffer, start + at * stride, stride).set(vector);
  dotProducts(memory, withSimd)(0, start, stride, vectors.length, results);
  return [...new Int32Array(memory.buffer, results, vectors.length)];
}

for (const withSimd of [true, false]) {
  test(`dot products are right ${withSimd ? "with" : "without"} SIMD, at the ends of the range too`, () => {
    expect(
      products(
        withSimd,
        [1, 2, 3],
        [
          [4, 5, 6],
          [-1, 0, 1],
          [127, -127, 1],
        ],
      ),
    ).toEqual([32, 2, -124]);
    const query = Array.from({ length: 33 }, (_, at) => at - 16);
    const vector = Array.from({ length: 33 }, (_, at) => (at * 7) % 100);
    const sum = query.reduce((total, number, at) => total + number * (vector[at] ?? 0), 0);
    expect(products(withSimd, query, [vector, vector.map((number) => -number)])).toEqual([sum, -sum]);
    const [full] = products(withSimd, Array(MAX_DIMS / 4).fill(QUERY_RANGE), [
      Array(MAX_DIMS / 4).fill(-127),
    ]);
    expect(full).toBe((MAX_DIMS / 4) * QUERY_RANGE * -127);
  });
}

test("the nearest of a group are found, nearest first, and what is removed is not", async () => {
  const packed = new PackedVectors(4);
  for (let slot = 0; slot < 3_000; slot += 1) {
    const angle = (slot / 3_000) * Math.PI;
    packed.add(Float32Array.of(Math.cos(angle), Math.sin(angle), 0, 0), slot % 2, 10_000 + slot);
  }
  const query = Float32Array.of(1, 0, 0, 0);
  const slots = async (allowed: number[], limit: number) =>
    (await packed.nearest(query, Uint8Array.from(allowed), limit)).map(({ slot }) => slot);
  expect((await slots([1, 1], 100)).every((slot) => slot < 300)).toBe(true);
  expect((await slots([0, 1], 100)).every((slot) => slot % 2 === 1)).toBe(true);
  expect(await slots([0, 0], 10)).toEqual([]);
  expect(await slots([1, 1], 5_000)).toHaveLength(3_000);
  for (let slot = 0; slot < 300; slot += 1) packed.remove(slot);
  expect(Math.min(...(await slots([1, 1], 100)))).toBeGreaterThanOrEqual(300);
  expect(packed.removed).toBe(300);
  expect(packed.seqOf(42)).toBe(10_042);
});

test("a long search lets others have their turn", async () => {
  const dims = 512;
  const packed = new PackedVectors(dims);
  const vector = new Float32Array(dims).fill(1 / Math.sqrt(dims));
  for (let slot = 0; slot < 20_000; slot += 1) packed.add(vector, 0, slot);
  let turns = 0;
  let searching = true;
  const other = (async () => {
    while (searching) {
      turns += 1;
      await new Promise<void>((turn) => setImmediate(turn));
    }
  })();
  await packed.nearest(vector, Uint8Array.of(1), 10);
  searching = false;
  await other;
  expect(turns).toBeGreaterThan(1);
});
