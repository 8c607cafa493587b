import type { Database } from "../../database/index.ts";
import { type JsonObject, type MetadataFilter, matchesFilter, parseObject } from "../../json-filter.ts";
import type { Instant, ItemRow } from "../../schema/index.ts";
import { placed } from "../namespaces.ts";
import { permitsItem } from "../permit.ts";
import type { Embedder } from "./embedder.ts";
import type { ItemEmbeddings } from "./item-embeddings.ts";
import { floatsOf, itemsWithVectors, type NearVector, seqsBelow, VectorIndex } from "./vector-rows.ts";

type ScoredRow = { row: ItemRow; score: number };

type NearestSearch = {
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

/** After so long (ms) without a use, the index in the process gives its memory back. */
const KEPT_MS = 600_000;
/** What was proposed is written anew by somebody: so often it is looked for again. */
const MOST_AGAIN = 3;

/** Which vectors are worth a look, and whether there are no others. */
type Proposal = {
  near: Pick<NearVector, "seq">[];
  isAll: boolean;
  /** Others that are not known to be near: they are compared, but do not say that enough is found. */
  behind?: Pick<NearVector, "seq">[];
  forget?: (seqs: Set<number>) => void;
};

/** Finds items by their vectors. Scores are exact: the index, here or in the database, only proposes. */
export class NearestItems {
  #index: VectorIndex | undefined;
  #usedAt = 0;

  constructor(
    private readonly db: Database,
    private readonly embedder: Pick<Embedder, "model" | "dims">,
    private readonly embeddings: ItemEmbeddings,
  ) {}

  /**
   * The nearest items, each by the best of its vectors, nearest first. Fewer than wanted mean that these are
   * all that are indexed and match.
   */
  async find(query: Float32Array, search: NearestSearch): Promise<ScoredRow[]> {
    const found = new Map<string, ScoredRow>();
    const others = new Map<string, ScoredRow>();
    const seen = new Set<number>();
    const look = async (vectors: Pick<NearVector, "seq">[], into: Map<string, ScoredRow>) => {
      const fresh = vectors.map(({ seq }) => seq).filter((seq) => !seen.has(seq));
      for (const seq of fresh) seen.add(seq);
      return new Set(fresh).difference(await this.#score(fresh, query, search, into));
    };
    let times = 1;
    for (let again = 0; ; ) {
      const { near, isAll, behind = [], forget } = await this.#propose(query, search, times);
      const gone = await look(near, found);
      forget?.(gone);
      const isMissing = gone.size + (await look(behind, others)).size > 0;
      // Perhaps it is there under a new number, and nearer than before.
      if (isMissing && again < MOST_AGAIN) again += 1;
      else if (found.size >= search.wanted || isAll) return ordered(found, others);
      else times *= 4;
    }
  }

  async #propose(query: Float32Array, search: NearestSearch, times: number): Promise<Proposal> {
    const { prefix, now, wanted } = search;
    const behind = await this.embeddings.behind();
    if (behind) {
      if (now - this.#usedAt > KEPT_MS) this.#index = undefined;
      // An item has several vectors: more than wanted.
      const limit = (wanted * 2 + 16) * times;
      const seqs = await this.embeddings.nearest(query, prefix, limit, now);
      const below = behind.filter(({ namespace }) => namespace.startsWith(prefix));
      return { near: seqs.map((seq) => ({ seq })), behind: below, isAll: seqs.length < limit };
    }
    const few = await this.#few(prefix);
    if (few) return { near: few.map((seq) => ({ seq })), isAll: true };
    const { model, dims } = this.embedder;
    this.#index ??= new VectorIndex(this.db, model, dims);
    this.#usedAt = now;
    const index = this.#index;
    await index.catchUp(now);
    // It is not exact, too.
    const limit = (wanted * 4 + 64) * times;
    const near = await index.nearest(query, prefix, limit);
    const forget = (gone: Set<number>) => {
      for (const vector of near) if (gone.has(vector.seq)) index.forget(vector);
    };
    return { near, isAll: near.length < limit, forget };
  }

  async #few(prefix: string): Promise<number[] | undefined> {
    const rows = await seqsBelow(this.db.read, this.db.sql, {
      model: this.embedder.model,
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
      const rows = await itemsWithVectors(this.db.read, { model: this.embedder.model, now })
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
}

function ordered(...found: ReadonlyMap<string, ScoredRow>[]): ScoredRow[] {
  const best = new Map<string, ScoredRow>();
  for (const [name, one] of found.flatMap((rows) => [...rows]))
    if (one.score > (best.get(name)?.score ?? Number.NEGATIVE_INFINITY)) best.set(name, one);
  return [...best.values()].sort((a, b) => b.score - a.score || b.row.updated_at - a.row.updated_at);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
