import { dotProducts, QUERY_RANGE, reserve } from "./dot-products.ts";

/** What one look at the vectors may take before everybody else has a turn: about a millisecond. */
const SLICE_BYTES = 4 * 1024 * 1024;
const ELEMENT_RANGE = 127;

/** A vector's place, and how near it is to what was asked: the higher, the nearer. */
export type Near = { slot: number; score: number };

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
