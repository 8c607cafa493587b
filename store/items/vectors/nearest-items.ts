import type { Database } from "../../database/index.ts";
import { type JsonObject, type MetadataFilter, matchesFilter, parseObject } from "../../json-filter.ts";
import type { Instant, ItemRow } from "../../schema/index.ts";
import { placed } from "../namespaces.ts";
import { permitsItem } from "../permit.ts";
import { floatsOf, itemsWithVectors, type NearVector, seqsBelow, type VectorIndex } from "./vector-rows.ts";

export type ScoredRow = { row: ItemRow; score: number };

export type NearestSearch = {
  /** The text of a namespace; empty for all. */
  prefix: string;
  filter: JsonObject;
  permitted?: MetadataFilter | undefined;
  /** How many of the nearest are wanted. */
  wanted: number;
  now: Instant;
};

/** A namespace with no more vectors than these is read from the database; for others there is the index. */
const FEW = 500;
const READ = 50;

/** Finds items by their vectors. Scores are exact: the index only proposes. */
export class NearestItems {
  constructor(
    private readonly db: Database,
    private readonly model: string,
    private readonly index: VectorIndex,
  ) {}

  /**
   * The nearest items, each by the best of its vectors, nearest first. Fewer than wanted mean that these are
   * all that are indexed and match.
   */
  async find(query: Float32Array, search: NearestSearch): Promise<ScoredRow[]> {
    const found = new Map<string, ScoredRow>();
    const few = await this.#few(search.prefix);
    if (few) {
      await this.#score(few, query, search, found);
      return ordered(found);
    }
    await this.index.catchUp(search.now);
    // An item has several vectors, and the index is not exact: more than wanted.
    let limit = search.wanted * 4 + 64;
    for (let scored = 0; ; limit *= 4) {
      const near = await this.index.nearest(query, search.prefix, limit);
      const fresh = near.slice(scored);
      const seqs = fresh.map(({ seq }) => seq);
      const present = await this.#score(seqs, query, search, found);
      this.#forgetMissing(fresh, present);
      scored = near.length;
      if (found.size >= search.wanted || near.length < limit) return ordered(found);
    }
  }

  async #few(prefix: string): Promise<number[] | undefined> {
    const rows = await seqsBelow(this.db.read, this.db.sql, {
      model: this.model,
      prefix,
      limit: FEW + 1,
    }).execute();
    return rows.length > FEW ? undefined : rows.map(({ seq }) => Number(seq));
  }

  /** Adds the items of these vectors to `found`; answers which vectors there are. */
  async #score(
    seqs: number[],
    query: Float32Array,
    { filter, permitted, now }: NearestSearch,
    found: Map<string, ScoredRow>,
  ): Promise<Set<number>> {
    const present = new Set<number>();
    for (let start = 0; start < seqs.length; start += READ) {
      if (start > 0) await new Promise<void>((turn) => setImmediate(turn));
      const rows = await itemsWithVectors(this.db.read, { model: this.model, now })
        .where("item_vectors.seq", "in", seqs.slice(start, start + READ))
        .execute();
      for (const { seq, vector, ...row } of rows) {
        present.add(Number(seq));
        const name = `${row.namespace}\0${row.key}`;
        const score = dot(query, floatsOf(vector));
        const known = found.get(name);
        if (known) known.score = Math.max(known.score, score);
        else {
          const value = parseObject(row.value);
          if (matchesFilter(value, filter) && permitsItem(permitted, placed(row, value)))
            found.set(name, { row, score });
        }
      }
    }
    return present;
  }

  #forgetMissing(near: NearVector[], present: ReadonlySet<number>): void {
    for (const vector of near) if (!present.has(vector.seq)) this.index.forget(vector);
  }
}

function ordered(found: ReadonlyMap<string, ScoredRow>): ScoredRow[] {
  return [...found.values()].sort((a, b) => b.score - a.score || b.row.updated_at - a.row.updated_at);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
