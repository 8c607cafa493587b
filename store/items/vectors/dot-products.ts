/** Query elements are rounded to this range: with at most `MAX_DIMS` of them a sum stays below 2^31. */
export const QUERY_RANGE = 4_095;
export const MAX_DIMS = 16_384;
const PAGE = 65_536;

/**
 * Dot products of one query of 16-bit integers with many vectors of 8-bit integers that lie one behind the
 * other in `memory`. `stride` is a vector's length in bytes, a multiple of 16.
 */
export type DotProducts = (
  query: number,
  vectors: number,
  stride: number,
  count: number,
  results: number,
) => void;

const [QUERY, VECTORS, STRIDE, COUNT, RESULTS, AT, SUM] = [0, 1, 2, 3, 4, 5, 6];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
const i32 = (value: number) => [0x41, value];
const ADD = 0x6a;
const loop = (...body: number[][]) => [0x03, 0x40, ...body.flat(), 0x0b];
const simd = (...code: number[]) => [0xfd, ...code];

/** sum += eight elements of the vector times eight of the query, `offset` elements further on. */
const eight = (offset: number) => [
  ...[...get(VECTORS), ...get(AT), ADD, ...simd(0x01, 0, offset)], // v128.load8x8_s
  ...[...get(QUERY), ...get(AT), ...i32(1), 0x74, ADD, ...simd(0x00, 0, offset * 2)], // v128.load
  ...[...simd(0xba, 0x01), ...simd(0xae, 0x01)], // i32x4.dot_i16x8_s, i32x4.add
];

const lane = (index: number) => [...get(SUM), ...simd(0x1b, index)];

const body = [
  ...[2, 1, 0x7f, 1, 0x7b], // locals: AT (i32), SUM (v128)
  ...loop(
    [...i32(0), ...set(AT), ...simd(0x0c, ...new Uint8Array(16)), ...set(SUM)],
    loop(
      [...get(SUM), ...eight(0), ...eight(8), ...set(SUM)],
      [...get(AT), ...i32(16), ADD, ...tee(AT), ...get(STRIDE), 0x49, 0x0d, 0], // br_if AT < STRIDE
    ),
    [...get(RESULTS), ...lane(0), ...lane(1), ADD, ...lane(2), ADD, ...lane(3), ADD, 0x36, 0, 0], // i32.store
    [...get(RESULTS), ...i32(4), ADD, ...set(RESULTS)],
    [...get(VECTORS), ...get(STRIDE), ADD, ...set(VECTORS)],
    [...get(COUNT), ...i32(1), 0x6b, ...tee(COUNT), 0x0d, 0], // br_if --COUNT
  ),
  0x0b,
];

/** Lengths of one byte hold less than 128. */
const leb = (value: number) => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
const section = (id: number, content: number[]) => [id, ...leb(content.length), ...content];

const code = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 5, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0]),
  ...section(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]), // import m.m: a memory of at least one page
  ...section(3, [1, 0]),
  ...section(7, [1, 1, 0x64, 0, 0]), // export d
  ...section(10, [1, ...leb(body.length), ...body]),
]);

/**
 * Eight products in one instruction where the processor can, which is an order of magnitude faster than a loop
 * in JavaScript; that loop elsewhere.
 */
export function dotProducts(memory: WebAssembly.Memory, withSimd = WebAssembly.validate(code)): DotProducts {
  if (!withSimd) return (...call) => plainDotProducts(memory, ...call);
  const { d } = new WebAssembly.Instance(new WebAssembly.Module(code), { m: { m: memory } }).exports;
  if (typeof d !== "function") throw new Error("the module exports no function");
  return (query, vectors, stride, count, results) => void d(query, vectors, stride, count, results);
}

function plainDotProducts(
  memory: WebAssembly.Memory,
  ...[query, vectors, stride, count, results]: Parameters<DotProducts>
): void {
  const q = new Int16Array(memory.buffer, query, stride);
  const v = new Int8Array(memory.buffer, vectors, stride * count);
  const out = new Int32Array(memory.buffer, results, count);
  for (let index = 0; index < count; index += 1) {
    const start = index * stride;
    let sum = 0;
    for (let at = 0; at < stride; at += 1) sum += (v[start + at] ?? 0) * (q[at] ?? 0);
    out[index] = sum;
  }
}

/** Makes sure that a memory has so many bytes. Views on it are stale then. */
export function reserve(memory: WebAssembly.Memory, bytes: number): void {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
  // By an eighth more: a memory that grows a page at a time would be asked for each vector.
  if (missing > 0) memory.grow(missing + Math.floor(memory.buffer.byteLength / PAGE / 8));
}
