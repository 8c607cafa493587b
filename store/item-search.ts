import type { Kysely } from "kysely";
import { type Database, prepared } from "./database.ts";
import { BadRequest } from "./errors.ts";
import { permitsItem } from "./item-permit.ts";
import { type BelowParams, newestBelow, newestOfAll } from "./item-queries.ts";
import {
  checkContainment,
  type JsonObject,
  matchesFilter,
  parseObject,
  scalarEqualities,
} from "./json-filter.ts";
import type { MetadataFilter } from "./metadata-filter.ts";
import { encodeNamespace, PERMITTED_SCAN, placed, SCAN_LIMIT } from "./namespaces.ts";
import type { Instant, ItemRow, Schema } from "./schema.ts";
import { type Embedder, NearestItems, VectorIndex, vectorOf } from "./vectors/index.ts";

export type ItemSearch = {
  /** Leading labels of the namespace; empty for all. */
  prefix: string[];
  /** See `matchesFilter`. */
  filter?: JsonObject;
  /** Only items that these let the caller see. */
  permitted?: MetadataFilter | undefined;
  limit: number;
  offset: number;
  /** What the items should be about; without an embedding it has no effect. */
  query?: string;
  /** Whether reading starts the items' time to live anew. */
  refresh_ttl?: boolean;
};

/** How near an item is to what was asked, up to 1; null where nothing was, or the item is not indexed. */
export type Found = { row: ItemRow; score: number | null };

const SCAN_CHUNK = 500;

type Wish = { filter: JsonObject; permitted: MetadataFilter | undefined };

/** Finds items, last changed first or nearest first. */
export class ItemFinder {
  readonly #newestBelow: (db: Kysely<Schema>, params: BelowParams) => Promise<ItemRow[]>;
  readonly #nearest: NearestItems | undefined;

  constructor(
    private readonly db: Database,
    private readonly embedder: Embedder | undefined,
  ) {
    this.#newestBelow = prepared<BelowParams, ItemRow>((read, params) => newestBelow(read, db.sql, params));
    if (!embedder) return;
    const { model, dims } = embedder;
    this.#nearest = new NearestItems(db, model, new VectorIndex(db, model, dims));
  }

  /**
   * One page of the living items below a namespace that match.
   * @throws BadRequest the filter is too large, or too many items are indexed
   * @throws Unavailable the embedding failed
   */
  async find(search: ItemSearch, now: Instant): Promise<Found[]> {
    const filter = search.filter ?? {};
    checkContainment(filter);
    const prefix = encodeNamespace(search.prefix);
    const { limit, offset, query, permitted } = search;
    const wish = { filter, permitted };
    if (query && this.embedder && this.#nearest) {
      const vector = await vectorOf(this.embedder, query);
      const wanted = offset + limit;
      const near = await this.#nearest.find(vector, { prefix, filter, permitted, wanted, now });
      const page: Found[] = near.slice(offset, wanted);
      if (page.length === limit) return page;
      // What has no vector comes behind what has one, last changed first.
      const rest = { limit: limit - page.length, offset: Math.max(0, offset - near.length) };
      const unindexed = await this.#newest({ prefix, now, ...rest }, wish, this.embedder.model);
      return [...page, ...unindexed];
    }
    return this.#newest({ prefix, now, limit, offset }, wish);
  }

  async #newest(page: BelowParams, wish: Wish, unindexedBy?: string): Promise<Found[]> {
    const rows = await this.#filtered(page, wish, unindexedBy);
    return rows.map((row) => ({ row, score: null }));
  }

  async #filtered(page: BelowParams, { filter, permitted }: Wish, unindexedBy?: string): Promise<ItemRow[]> {
    // The database narrows by what it can compare the same way on every dialect; the rest is decided here.
    const narrow = scalarEqualities(filter);
    if (!permitted && Object.keys(narrow).length === Object.keys(filter).length)
      return this.#page(page, narrow, unindexedBy);
    const wanted = page.offset + page.limit;
    const found: ItemRow[] = [];
    for (let offset = 0; found.length < wanted; offset += SCAN_CHUNK) {
      if (permitted && offset >= PERMITTED_SCAN) throw new BadRequest(SCAN_LIMIT);
      const chunk = await this.#page({ ...page, limit: SCAN_CHUNK, offset }, narrow, unindexedBy);
      for (const row of chunk) {
        const value = parseObject(row.value);
        if (matchesFilter(value, filter) && permitsItem(permitted, placed(row, value))) found.push(row);
      }
      if (chunk.length < SCAN_CHUNK) break;
    }
    return found.slice(page.offset, wanted);
  }

  #page(page: BelowParams, narrow: JsonObject, unindexedBy?: string): Promise<ItemRow[]> {
    if (unindexedBy !== undefined || Object.keys(narrow).length > 0)
      return newestBelow(this.db.read, this.db.sql, page, { narrow, unindexedBy }).execute();
    if (page.prefix === "")
      return newestOfAll(this.db.read, { now: page.now, limit: page.limit, offset: page.offset });
    return this.#newestBelow(this.db.read, page);
  }
}
