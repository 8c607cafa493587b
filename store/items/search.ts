import type { Kysely } from "kysely";
import { type Database, inGroups, prepared } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import {
  checkStoreFilter,
  type JsonObject,
  type MetadataFilter,
  matchesFilter,
  parseObject,
  scalarEqualities,
} from "../json-filter.ts";
import type { Instant, ItemRow, Schema } from "../schema/index.ts";
import { encodeNamespace, PERMITTED_SCAN, placed, SCAN_LIMIT } from "./namespaces.ts";
import { permitsItem } from "./permit.ts";
import { type BelowParams, type ItemKey, newestBelow, newestOfAll, selectItem } from "./queries.ts";
import { type Embedder, type ItemEmbeddings, NearestItems, vectorOf } from "./vectors/index.ts";

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
type FoundRow = { row: ItemRow; score: number | null };

const SCAN_CHUNK = 500;

type Wish = { filter: JsonObject; permitted: MetadataFilter | undefined };

/** Finds items, last changed first or nearest first. */
export class ItemFinder {
  readonly #newestBelow: (db: Kysely<Schema>, params: BelowParams) => Promise<ItemKey[]>;
  readonly #nearest: NearestItems | undefined;

  constructor(
    private readonly db: Database,
    private readonly embedder: Embedder | undefined,
    embeddings: ItemEmbeddings | undefined,
  ) {
    this.#newestBelow = prepared<BelowParams, ItemKey>((read, params) => newestBelow(read, db.sql, params));
    if (embedder && embeddings) this.#nearest = new NearestItems(db, embedder, embeddings);
  }

  /**
   * One page of the living items below a namespace that match, some at a time.
   * @throws BadRequest the filter is too large, or too many items are indexed
   * @throws Invalid the filter has an unknown operator
   * @throws Unavailable the embedding failed
   */
  async *find(search: ItemSearch, now: Instant): AsyncGenerator<FoundRow[]> {
    const filter = search.filter ?? {};
    checkStoreFilter(filter);
    const prefix = encodeNamespace(search.prefix);
    const { limit, offset, query, permitted } = search;
    const wish = { filter, permitted };
    if (!query || !this.embedder || !this.#nearest) {
      yield* this.#newest({ prefix, now, limit, offset }, wish);
      return;
    }
    const vector = await vectorOf(this.embedder, query);
    const wanted = offset + limit;
    const near = await this.#nearest.find(vector, { prefix, filter, permitted, wanted, now });
    const page: FoundRow[] = near.slice(offset, wanted);
    yield page;
    if (page.length === limit) return;
    // What has no vector comes behind what has one, last changed first.
    const rest = { limit: limit - page.length, offset: Math.max(0, offset - near.length) };
    yield* this.#newest({ prefix, now, ...rest }, wish, this.embedder.model);
  }

  async *#newest(page: BelowParams, wish: Wish, unindexedBy?: string): AsyncGenerator<FoundRow[]> {
    for await (const rows of this.#filtered(page, wish, unindexedBy))
      yield rows.map((row) => ({ row, score: null }));
  }

  async *#filtered(
    page: BelowParams,
    { filter, permitted }: Wish,
    unindexedBy?: string,
  ): AsyncGenerator<ItemRow[]> {
    // The database narrows by what it can compare the same way on every dialect; the rest is decided here.
    const narrow = scalarEqualities(filter);
    if (!permitted && Object.keys(narrow).length === Object.keys(filter).length) {
      yield* this.#rows(await this.#keys(page, narrow, unindexedBy), page.now);
      return;
    }
    let [skip, wanted] = [page.offset, page.limit];
    for (let offset = 0; wanted > 0; offset += SCAN_CHUNK) {
      if (permitted && offset >= PERMITTED_SCAN) throw new BadRequest(SCAN_LIMIT);
      const keys = await this.#keys({ ...page, limit: SCAN_CHUNK, offset }, narrow, unindexedBy);
      for await (const rows of this.#rows(keys, page.now)) {
        const matching = rows.filter((row) => {
          const value = parseObject(row.value);
          return matchesFilter(value, filter) && permitsItem(permitted, placed(row, value));
        });
        const found = matching.slice(skip, skip + wanted);
        skip = Math.max(0, skip - matching.length);
        wanted -= found.length;
        yield found;
        if (wanted === 0) return;
      }
      if (keys.length < SCAN_CHUNK) return;
    }
  }

  #rows(keys: ItemKey[], now: Instant): AsyncGenerator<ItemRow[]> {
    const read = async (group: ItemKey[]) =>
      (
        await Promise.all(
          group.map(({ namespace, key }) => selectItem(this.db.read, { namespace, key, now })),
        )
      ).flat();
    return inGroups(keys, read, ({ namespace, key }) => `${namespace} ${key}`);
  }

  #keys(page: BelowParams, narrow: JsonObject, unindexedBy?: string): Promise<ItemKey[]> {
    if (unindexedBy !== undefined || Object.keys(narrow).length > 0)
      return newestBelow(this.db.read, this.db.sql, page, { narrow, unindexedBy }).execute();
    if (page.prefix === "")
      return newestOfAll(this.db.read, { now: page.now, limit: page.limit, offset: page.offset });
    return this.#newestBelow(this.db.read, page);
  }
}
