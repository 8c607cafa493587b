import { type Database, prepared } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import { parseObject } from "../json-filter.ts";
import type { Instant, ItemRow } from "../schema/index.ts";
import { type Embedder, type IndexWish, replaceVectors, vectorsOf } from "./vectors/index.ts";

const BATCH = 100;
/** Between two looks when all is done, and after an embedding that failed. */
const PAUSE_MS = 60_000;

type Wanted = { model: string; limit: number };

// Two halves, for the index orders them: what is not this model's is either before or behind it.
const before = prepared<Wanted, ItemRow>((db, { model, limit }) =>
  db.selectFrom("items").selectAll().where("indexed_as", "<", model).orderBy("indexed_as").limit(limit),
);
const behind = prepared<Wanted, ItemRow>((db, { model, limit }) =>
  db.selectFrom("items").selectAll().where("indexed_as", ">", model).orderBy("indexed_as").limit(limit),
);

/**
 * Indexes the items that were stored while there was no embedding, or another one: a batch at a time, each in a
 * transaction of its own, so that a process that stops goes on where it was.
 */
export class LateIndexing {
  #notBefore = 0;

  constructor(
    private readonly db: Database,
    private readonly embedder: Embedder,
  ) {}

  /**
   * Goes through the next items; answers how many those were.
   * @throws Unavailable the embedding failed; it is tried again in a minute
   */
  async once(now: Instant): Promise<number> {
    if (now < this.#notBefore) return 0;
    this.#notBefore = now + PAUSE_MS;
    const { model } = this.embedder;
    const first = await before(this.db.read, { model, limit: BATCH });
    const rows = first.length > 0 ? first : await behind(this.db.read, { model, limit: BATCH });
    if (rows.length === 0) return 0;
    const vectors = await this.#vectors(rows);
    await this.db.write(async (tx) => {
      for (const [at, { namespace, key, updated_at }] of rows.entries()) {
        const { numUpdatedRows } = await tx
          .updateTable("items")
          .set({ indexed_as: model })
          .where("namespace", "=", namespace)
          .where("key", "=", key)
          // What was put or deleted meanwhile has its vectors, or needs none.
          .where("updated_at", "=", updated_at)
          .executeTakeFirst();
        if (numUpdatedRows > 0n)
          await replaceVectors(tx, { namespace, key }, { model, vectors: vectors[at] ?? [] });
      }
    });
    this.#notBefore = now;
    return rows.length;
  }

  async #vectors(rows: ItemRow[]): Promise<Float32Array[][]> {
    const wanted = rows.map(({ value, index_wish }) => ({
      value: parseObject(value),
      index: index_wish === null ? null : (JSON.parse(index_wish) as IndexWish),
    }));
    try {
      return await vectorsOf(this.embedder, wanted);
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
    }
    // One of them has more texts than an item may have: it stays without.
    const each: Float32Array[][] = [];
    for (const one of wanted) each.push(await this.#vectorsOfOne(one));
    return each;
  }

  async #vectorsOfOne(one: Parameters<typeof vectorsOf>[1][number]): Promise<Float32Array[]> {
    try {
      return (await vectorsOf(this.embedder, [one]))[0] ?? [];
    } catch (error) {
      if (error instanceof BadRequest) return [];
      throw error;
    }
  }
}
