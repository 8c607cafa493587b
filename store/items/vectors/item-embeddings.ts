import { sql } from "kysely";
import type { Database } from "../../database/index.ts";
import { Fault } from "../../errors.ts";
import type { Instant, ItemVectorRow } from "../../schema/index.ts";
import { type ItemEmbeddingsSettings, type Pgvector, pgvectorOf } from "./pgvector.ts";
import { floatsOf } from "./vector-rows.ts";

/** A vector that is not in the table yet. */
type Behind = Pick<ItemVectorRow, "seq" | "namespace">;

/** So many vectors that are behind are compared one by one; with more, the index in the process serves. */
const MOST_BEHIND = 500;
const FILL = 250;
/** Rows of one transaction: others wait for it, and a row takes milliseconds where it goes into an HNSW index. */
const TOGETHER = 100;
const INTO_HNSW = { fill: 64, together: 8 };
/** Between two looks when nothing is behind, as far as this process knows. */
const PAUSE_MS = 10_000;
const LOOK_AT_HNSW_MS = 60_000;

/** Below this an exact comparison by the database takes milliseconds, and each put less without an HNSW index. */
const HNSW_FROM = 10_000;
/** The HNSW index proposes at most so many; more are compared exactly. */
const MOST_BY_HNSW = 512;
/** How many a walk through the HNSW index keeps in view: the more, the surer are the nearest. */
const IN_VIEW = 256;

/** Fills of all processes, one at a time. */
const SCOPE = ["item-embeddings"];

/**
 * The vectors of one model as the database itself searches them: on Postgres with pgvector, in a table beside
 * `item_vectors`, which stays what counts. A row goes with its vector in the same transaction, whoever removes that.
 * It comes soon after: to take a vector into an HNSW index costs milliseconds, for which a put should hold no lock. Whoever
 * searches asks which vectors are behind, and compares those, too.
 */
export class ItemEmbeddings {
  #opened: Promise<Pgvector | undefined> | undefined;
  /** All vectors with a number up to this are in the table, or gone. */
  #filledTo = 0;
  #notBefore = 0;
  #hasHnsw = false;
  #lookedAtHnsw = Number.NEGATIVE_INFINITY;
  #upkeep: Promise<void> | undefined;

  constructor(
    private readonly db: Database,
    private readonly settings: ItemEmbeddingsSettings,
  ) {}

  /** The vectors that are not in the table yet; undefined where the table does not serve, or too many are not. */
  async behind(): Promise<Behind[] | undefined> {
    if (!(await this.#pgvector())) return undefined;
    const missing = await this.#missing(MOST_BEHIND + 1);
    if (missing.length > 0) this.wake();
    return missing.length > MOST_BEHIND ? undefined : missing;
  }

  /**
   * The numbers of the `limit` vectors that are nearest to a query in a namespace and those below it, nearest
   * first; fewer when these are all.
   */
  async nearest(query: Float32Array, prefix: string, limit: number, now: Instant): Promise<number[]> {
    const pgvector = await this.#pgvector();
    if (!pgvector) return [];
    let most = 128;
    // Few different statements, for each is prepared once.
    while (most < limit) most *= 4;
    const asked = { query: textOf(query), prefix, limit: most };
    if (most <= MOST_BY_HNSW && (await this.#mayTakeHnsw(pgvector, prefix, now))) {
      const seqs = await pgvector.nearestByHnsw(asked, Math.max(most, IN_VIEW));
      // Where a namespace is a small part of the HNSW index, a walk may end before it has found enough of it.
      if (seqs.length >= limit) return seqs.slice(0, limit);
    }
    return (await pgvector.nearest(asked)).slice(0, limit);
  }

  /** Something was written: `fill` is to look at once. */
  wake(): void {
    this.#notBefore = 0;
  }

  /** Takes the next vectors into the table, and sees to the HNSW index once all are in it; answers how many those were. */
  async fill(now: Instant): Promise<number> {
    if (now < this.#notBefore) return 0;
    this.#notBefore = now + PAUSE_MS;
    const pgvector = await this.#pgvector();
    if (!pgvector) return 0;
    const hnsw = await this.#hnsw(pgvector, now);
    const { fill, together } = hnsw ? INTO_HNSW : { fill: FILL, together: TOGETHER };
    const missing = await this.#missing(fill);
    for (let from = 0; from < missing.length; from += together)
      await this.#take(pgvector, missing.slice(from, from + together));
    if (missing.length > 0) this.wake();
    // Beside all else: to build an HNSW index may take minutes.
    else this.#upkeep ??= this.#tend(pgvector, hnsw).finally(() => (this.#upkeep = undefined));
    return missing.length;
  }

  async #take(pgvector: Pgvector, missing: Behind[]): Promise<void> {
    const seqs = missing.map(({ seq }) => seq);
    const rows = await this.db.read
      .selectFrom("item_vectors")
      .select(["seq", "vector"])
      .where("seq", "in", seqs)
      .execute();
    const taken = rows.map(({ seq, vector }) => ({ seq, embedding: textOf(floatsOf(vector)) }));
    await this.db.write((tx) => pgvector.insert(tx, taken), { scope: SCOPE });
  }

  async #missing(limit: number): Promise<Behind[]> {
    const { model } = this.settings;
    // One statement, so that both are of one moment. Numbers are committed in their order.
    const { rows } = await sql<{ last: number; missing: string }>`
      select last_seq as last, coalesce((select json_agg(json_build_array(seq, namespace)) from (
        select seq, namespace from item_vectors as written
        where seq > ${this.#filledTo} and model = ${model}
          and not exists (select 1 from item_embeddings as taken where taken.seq = written.seq)
        order by seq limit ${limit}
      ) as behind), '[]')::text as missing from vector_counter`.execute(this.db.read);
    const pairs: [number, string][] = JSON.parse(rows[0]?.missing ?? "[]");
    const filledTo = pairs[0] ? pairs[0][0] - 1 : Number(rows[0]?.last ?? 0);
    this.#filledTo = Math.max(this.#filledTo, filledTo);
    return pairs.map(([seq, namespace]) => ({ seq, namespace }));
  }

  async #pgvector(): Promise<Pgvector | undefined> {
    this.#opened ??= pgvectorOf(this.db, this.settings);
    try {
      return await this.#opened;
    } catch (error) {
      // The database was away: the next one asks again.
      this.#opened = undefined;
      throw error;
    }
  }

  /** Whether there is an HNSW index. Another process may have built it, or nobody yet. */
  async #hnsw(pgvector: Pgvector, now: Instant): Promise<boolean> {
    if (this.#hasHnsw || !pgvector.makesHnsw || now - this.#lookedAtHnsw < LOOK_AT_HNSW_MS)
      return this.#hasHnsw;
    this.#lookedAtHnsw = now;
    this.#hasHnsw = (await pgvector.hnswState()) === "ready";
    return this.#hasHnsw;
  }

  async #mayTakeHnsw(pgvector: Pgvector, prefix: string, now: Instant): Promise<boolean> {
    if (!(await this.#hnsw(pgvector, now))) return false;
    return prefix === "" || (await pgvector.holdsAtLeast(this.#hnswFrom, prefix));
  }

  get #hnswFrom(): number {
    return this.settings.hnswFrom ?? HNSW_FROM;
  }

  async #tend(pgvector: Pgvector, hasHnsw: boolean): Promise<void> {
    try {
      if (hasHnsw || !pgvector.makesHnsw) return;
      if (!(await pgvector.holdsAtLeast(this.#hnswFrom))) return;
      await pgvector.buildHnsw();
      await pgvector.dropEmptyHnsw();
      this.#lookedAtHnsw = Number.NEGATIVE_INFINITY;
    } catch (error) {
      // The database is away, or closed: the next one sees to it.
      if (error instanceof Fault) return;
      this.settings.told?.(`no HNSW index of vectors: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** As pgvector reads it: nine digits say exactly which 32-bit float is meant. */
function textOf(vector: Float32Array): string {
  const numbers: string[] = [];
  for (const number of vector) numbers.push(number.toPrecision(9));
  return `[${numbers.join()}]`;
}
