import { type Clock, minutesAfter } from "../clock.ts";
import { allOf, type Database, ITEMS_SCOPE, type Tx } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import { type JsonObject, parseObject } from "../json-filter.ts";
import type { Instant, ItemRow } from "../schema/index.ts";
import { decodeNamespace, encodeNamespace, listNamespaces, type NamespaceSearch } from "./namespaces.ts";
import { extendItem, removeItem, selectItem, upsertItem } from "./queries.ts";
import { ItemFinder, type ItemSearch } from "./search.ts";
import {
  type Embedder,
  type IndexWish,
  ItemEmbeddings,
  removeVectors,
  replaceVectors,
  vectorsOf,
} from "./vectors/index.ts";

/** A value that outlives threads, under a key in a namespace. */
export type Item = {
  namespace: string[];
  key: string;
  value: JsonObject;
  created_at: Instant;
  updated_at: Instant;
};

type NewItem = {
  namespace: string[];
  key: string;
  value: JsonObject;
  /** Minutes after the last put (or refreshing read) at which the item is gone; null for never. Default: the settings'. */
  ttl_minutes?: number | null;
  /** What of the value is indexed for searches by meaning: nothing, these paths, or what the settings say. */
  index?: IndexWish;
};

/** An item that a search found. */
export type FoundItem = Item & {
  /** How near it is to what was asked, up to 1; null where nothing was, or the item is not indexed. */
  score: number | null;
};

export type ItemsSettings = {
  /** Without one, items are not indexed and not searched by meaning. */
  embedder?: Embedder | undefined;
  /** Of items whose put does not say. */
  defaultTtlMinutes?: number | undefined;
  /** Whether a reading that does not say starts the time to live anew; default true. */
  refreshOnRead?: boolean | undefined;
  /** Hears once why the database does not search vectors itself, where it is one that could. */
  told?: ((why: string) => void) | undefined;
  /** From how many vectors on the database keeps an HNSW index of them, where it can. */
  hnswFrom?: number | undefined;
};

type Put = Omit<NewItem, "value"> & { value: JsonObject | null };

const ITEMS = { scope: [ITEMS_SCOPE] };

/** The long-term memory of graphs: what `/store` serves and what a graph sees as its store. */
export class Items {
  readonly #finder: ItemFinder;
  readonly #embeddings: ItemEmbeddings | undefined;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly settings: ItemsSettings = {},
  ) {
    const { embedder, told, hnswFrom } = settings;
    if (embedder) {
      const { model, dims } = embedder;
      this.#embeddings = new ItemEmbeddings(db, { model, dims, told, hnswFrom });
    }
    this.#finder = new ItemFinder(db, embedder, this.#embeddings);
  }

  /**
   * Stores or replaces an item. Replacing keeps `created_at`, and `updated_at` grows strictly.
   * @throws BadRequest for an empty namespace
   * @throws Invalid for a label that is empty or holds a dot
   */
  put(item: NewItem): Promise<void> {
    return this.putAll([item]);
  }

  /** Stores several items, and deletes those whose value is null, in one transaction. */
  async putAll(items: Put[]): Promise<void> {
    const { embedder, defaultTtlMinutes = null } = this.settings;
    for (const { namespace } of items) checkNamespace(namespace);
    const kept = items.filter(hasValue);
    // Before the transaction: an embedding may take its time, or fail.
    const vectors = embedder ? await vectorsOf(embedder, kept) : [];
    const indexed = new Map<Put, Float32Array[]>(kept.map((item, at) => [item, vectors[at] ?? []]));
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      for (const item of items) {
        const at = { namespace: encodeNamespace(item.namespace), key: item.key };
        if (!hasValue(item)) await remove(tx, at);
        else {
          const model = embedder?.model ?? "";
          const ttl = item.ttl_minutes === undefined ? defaultTtlMinutes : item.ttl_minutes;
          await upsertItem(tx, { ...rowOf(item, ttl, now), indexed_as: model });
          await replaceVectors(tx, at, { model, vectors: indexed.get(item) ?? [] });
        }
      }
    }, ITEMS);
    if (vectors.length > 0) this.#embeddings?.wake();
  }

  /**
   * Takes vectors that were written since to where the database searches them, if it does; answers how many those
   * were. To be called now and then: searches find them before, but compare them one by one.
   */
  async fillEmbeddings(now: Instant): Promise<number> {
    return (await this.#embeddings?.fill(now)) ?? 0;
  }

  /** The item, or null when there is none. */
  async get(namespace: string[], key: string, options: { refresh_ttl?: boolean } = {}): Promise<Item | null> {
    const now = this.clock.now();
    const [row] = await selectItem(this.db.read, { namespace: encodeNamespace(namespace), key, now });
    if (!row) return null;
    if (this.#refreshes(options)) await this.#refresh([row], now);
    return read(row);
  }

  /** Deletes an item; none is fine too. */
  async delete(namespace: string[], key: string): Promise<void> {
    const at = { namespace: encodeNamespace(namespace), key };
    await this.db.write((tx) => remove(tx, at), ITEMS);
  }

  /** The items below a namespace that match a filter: nearest to `query` first, else last changed first. */
  search(search: ItemSearch): Promise<FoundItem[]> {
    return allOf({ groups: this.searchInGroups(search) });
  }

  /** The same, some at a time. */
  async *searchInGroups(search: ItemSearch): AsyncGenerator<FoundItem[]> {
    const now = this.clock.now();
    for await (const found of this.#finder.find(search, now)) {
      const rows = found.map(({ row }) => row);
      if (this.#refreshes(search)) await this.#refresh(rows, now);
      yield found.map(({ row, score }) => ({ ...read(row), score }));
    }
  }

  /** The namespaces that hold items. */
  listNamespaces(search: NamespaceSearch): Promise<string[][]> {
    return listNamespaces(this.db, search, this.clock.now());
  }

  /** Deletes up to `limit` expired items; answers how many. */
  async sweep(now: Instant, limit = 1000): Promise<number> {
    return this.db.write(async (tx) => {
      const expired = await tx
        .selectFrom("items")
        .select(["namespace", "key"])
        .where("expires_at", "<=", now)
        .limit(limit)
        .execute();
      for (const at of expired) await remove(tx, at);
      return expired.length;
    });
  }

  #refreshes({ refresh_ttl = this.settings.refreshOnRead }: { refresh_ttl?: boolean }): boolean {
    return refresh_ttl !== false;
  }

  async #refresh(rows: ItemRow[], now: Instant): Promise<void> {
    const living = rows.filter((row) => row.ttl_minutes !== null);
    if (living.length === 0) return;
    await this.db.write(async (tx) => {
      for (const row of living) {
        await extendItem(tx, {
          namespace: row.namespace,
          key: row.key,
          expires_at: expiry(row.ttl_minutes, now) ?? now,
        });
      }
    });
  }
}

function checkNamespace(namespace: string[]): void {
  if (namespace.length === 0) throw new BadRequest("Namespace is required");
  encodeNamespace(namespace);
}

const hasValue = (item: Put): item is NewItem => item.value !== null;

async function remove(tx: Tx, at: { namespace: string; key: string }): Promise<void> {
  await removeItem(tx, at);
  await removeVectors(tx, at);
}

function rowOf({ namespace, key, value, index }: NewItem, ttl_minutes: number | null, now: Instant) {
  return {
    namespace: encodeNamespace(namespace),
    key,
    value: JSON.stringify(value),
    created_at: now,
    updated_at: now,
    ttl_minutes,
    expires_at: expiry(ttl_minutes, now),
    // Kept also where nothing is indexed now: it may be later.
    index_wish: index === undefined || index === null ? null : JSON.stringify(index),
    now,
  };
}

function expiry(ttlMinutes: number | null, now: Instant): Instant | null {
  return ttlMinutes === null ? null : minutesAfter(now, ttlMinutes);
}

function read(row: ItemRow): Item {
  return {
    namespace: decodeNamespace(row.namespace),
    key: row.key,
    value: parseObject(row.value),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
