/** What one look at the vectors may take before everybody else has a turn: about a millisecond. */
const SLICE_BYTES = 4 * 1024 * 1024;
const ELEMENT_RANGE = 127;

/** A vector's place, and how near it is to what was asked: the higher, the nearer. */
type Near = { slot: number; score: number };

/**
 * Many vectors of length one in a quarter of their size: each element in eight bits, with one factor for each
 * vector. Scores are near the true ones (about 0.001), so that the nearest few hundred surely hold the nearest
 * ten; who needs the true ones computes them for those few.
 */
export class PackedVectors {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #dots = dotProducts(this.#memory);
  /** A vector's bytes: SIMD takes sixteen at a time. */
  readonly #stride: number;
  readonly #slice: number;
  readonly #results: number;
  readonly #start: number;
  #factors = new Float32Array(1_024);
  #groups = new Int32Array(1_024);
  #seqs = new Float64Array(1_024);
  #count = 0;
  #removed = 0;

  constructor(readonly dims: number) {
    this.#stride = Math.ceil(dims / 16) * 16;
    this.#slice = Math.max(1, Math.floor(SLICE_BYTES / this.#stride));
    this.#results = this.#stride * 2;
    this.#start = this.#results + this.#slice * 4;
    reserve(this.#memory, this.#start);
  }

  /** Slots in use, removed ones too. */
  get count(): number {
    return this.#count;
  }

  get removed(): number {
    return this.#removed;
  }

  get bytes(): number {
    return this.#count * (this.#stride + 16);
  }

  /**
   * @param group what a search may be narrowed to
   * @param seq what the vector is known as elsewhere
   */
  add(vector: Float32Array, group: number, seq: number): void {
    const slot = this.#count;
    if (slot === this.#seqs.length) this.#grow();
    const place = this.#start + slot * this.#stride;
    reserve(this.#memory, place + this.#stride);
    const largest = largestOf(vector);
    pack(vector, ELEMENT_RANGE / largest, new Int8Array(this.#memory.buffer, place, this.dims));
    this.#factors[slot] = largest / ELEMENT_RANGE;
    this.#groups[slot] = group;
    this.#seqs[slot] = seq;
    this.#count += 1;
  }

  seqOf(slot: number): number {
    return this.#seqs[slot] ?? 0;
  }

  /** It is not found any more; its place stays taken. */
  remove(slot: number): void {
    if (this.#groups[slot] === -1) return;
    this.#groups[slot] = -1;
    this.#removed += 1;
  }

  /**
   * The nearest vectors of the groups that are allowed (`1`), nearest first; all of them when there are fewer.
   * Everybody else has a turn now and then meanwhile.
   */
  async nearest(query: Float32Array, allowed: Uint8Array, limit: number): Promise<Near[]> {
    const largest = largestOf(query);
    const packed = new Int16Array(this.#stride);
    pack(query, QUERY_RANGE / largest, packed);
    const best = new Best(limit);
    for (let from = 0; from < this.#count; from += this.#slice) {
      const until = Math.min(from + this.#slice, this.#count);
      if (!this.#anyAllowed(from, until, allowed)) continue;
      if (from > 0) await new Promise<void>((turn) => setImmediate(turn));
      // The query anew: another search may have had the turn.
      new Int16Array(this.#memory.buffer, 0, this.#stride).set(packed);
      const place = this.#start + from * this.#stride;
      this.#dots(0, place, this.#stride, until - from, this.#results);
      this.#collect(from, until, allowed, largest / QUERY_RANGE, best);
    }
    return best.taken();
  }

  #anyAllowed(from: number, until: number, allowed: Uint8Array): boolean {
    for (let slot = from; slot < until; slot += 1) if (allowed[this.#groups[slot] ?? -1] === 1) return true;
    return false;
  }

  #collect(from: number, until: number, allowed: Uint8Array, factor: number, best: Best): void {
    const sums = new Int32Array(this.#memory.buffer, this.#results, until - from);
    for (let slot = from; slot < until; slot += 1) {
      if (allowed[this.#groups[slot] ?? -1] !== 1) continue;
      best.offer(slot, (sums[slot - from] ?? 0) * (this.#factors[slot] ?? 0) * factor);
    }
  }

  #grow(): void {
    const size = this.#seqs.length * 2;
    const [factors, groups, seqs] = [this.#factors, this.#groups, this.#seqs];
    this.#factors = new Float32Array(size);
    this.#groups = new Int32Array(size);
    this.#seqs = new Float64Array(size);
    this.#factors.set(factors);
    this.#groups.set(groups);
    this.#seqs.set(seqs);
  }
}

/** The highest scores that it was offered. */
class Best {
  #kept: Near[] = [];
  #least = Number.NEGATIVE_INFINITY;

  constructor(readonly limit: number) {}

  offer(slot: number, score: number): void {
    if (score <= this.#least) return;
    this.#kept.push({ slot, score });
    if (this.#kept.length >= this.limit * 2 + 64) this.#cut();
  }

  taken(): Near[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((a, b) => b.score - a.score || a.slot - b.slot);
    if (this.#kept.length < this.limit) return;
    this.#kept.length = this.limit;
    this.#least = this.#kept.at(-1)?.score ?? this.#least;
  }
}

/** Never zero, since one divides by it. */
function largestOf(vector: Float32Array): number {
  let largest = 1e-12;
  for (let at = 0; at < vector.length; at += 1) largest = Math.max(largest, Math.abs(vector[at] ?? 0));
  return largest;
}

function pack(vector: Float32Array, factor: number, into: Int8Array | Int16Array): void {
  for (let at = 0; at < vector.length; at += 1) into[at] = Math.round((vector[at] ?? 0) * factor);
}

/** Query elements are rounded to this range: with at most `MAX_DIMS` of them a sum stays below 2^31. */
export const QUERY_RANGE = 4_095;
export const MAX_DIMS = 16_384;
const PAGE = 65_536;

/**
 * Dot products of one query of 16-bit integers with many vectors of 8-bit integers that lie one behind the
 * other in `memory`. `stride` is a vector's length in bytes, a multiple of 16.
 */
type DotProducts = (query: number, vectors: number, stride: number, count: number, results: number) => void;

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
