import type { Kysely } from "kysely";
import type { Clock } from "./clock.ts";
import { type Database, prepared, type Tx } from "./database.ts";
import { BadRequest } from "./errors.ts";
import {
  type BelowParams,
  extendItem,
  newestBelow,
  newestOfAll,
  removeItem,
  selectItem,
  upsertItem,
} from "./item-queries.ts";
import {
  checkContainment,
  type JsonObject,
  matchesFilter,
  parseObject,
  scalarEqualities,
} from "./json-filter.ts";
import { decodeNamespace, encodeNamespace, listNamespaces, type NamespaceSearch } from "./namespaces.ts";
import type { Instant, ItemRow, Schema } from "./schema.ts";

/** A value that outlives threads, under a key in a namespace. */
export type Item = {
  namespace: string[];
  key: string;
  value: JsonObject;
  created_at: Instant;
  updated_at: Instant;
};

export type NewItem = {
  namespace: string[];
  key: string;
  value: JsonObject;
  /** Minutes after the last put (or refreshing read) at which the item is gone; null for never. */
  ttl_minutes?: number | null;
};

export type ItemSearch = {
  /** Leading labels of the namespace; empty for all. */
  prefix: string[];
  /** See `matchesFilter`. */
  filter?: JsonObject;
  limit: number;
  offset: number;
  /** Whether reading starts the items' time to live anew; default true. */
  refresh_ttl?: boolean;
};

const MINUTE = 60_000;
const SCAN_CHUNK = 500;

/** The long-term memory of graphs: what `/store` serves and what a graph sees as its store. */
export class Items {
  readonly #newestBelow: (db: Kysely<Schema>, params: BelowParams) => Promise<ItemRow[]>;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {
    this.#newestBelow = prepared<BelowParams, ItemRow>((read, params) => newestBelow(read, db.sql, params));
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
  async putAll(items: (Omit<NewItem, "value"> & { value: JsonObject | null })[]): Promise<void> {
    const now = this.clock.now();
    const steps = items.map((item) => step(item, now));
    await this.db.write(async (tx) => {
      for (const run of steps) await run(tx);
    });
  }

  /** The item, or null when there is none. */
  async get(namespace: string[], key: string, options: { refresh_ttl?: boolean } = {}): Promise<Item | null> {
    const now = this.clock.now();
    const [row] = await selectItem(this.db.read, { namespace: encodeNamespace(namespace), key, now });
    if (!row) return null;
    if (options.refresh_ttl !== false) await this.#refresh([row], now);
    return read(row);
  }

  /** Deletes an item; none is fine too. */
  async delete(namespace: string[], key: string): Promise<void> {
    const at = { namespace: encodeNamespace(namespace), key };
    await this.db.write((tx) => removeItem(tx, at));
  }

  /** The items below a namespace that match a filter, last changed first. */
  async search(search: ItemSearch): Promise<Item[]> {
    const now = this.clock.now();
    const rows = await this.#find(search, now);
    if (search.refresh_ttl !== false) await this.#refresh(rows, now);
    return rows.map(read);
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
      for (const at of expired) await removeItem(tx, at);
      return expired.length;
    });
  }

  async #find(search: ItemSearch, now: Instant): Promise<ItemRow[]> {
    const filter = search.filter ?? {};
    if (Object.keys(filter).length === 0) return this.#page(search, {}, now, search.limit, search.offset);
    // The database narrows by what it can compare the same way on every dialect; the rest is decided here.
    const narrow = scalarEqualities(filter);
    checkContainment(filter);
    if (Object.keys(narrow).length === Object.keys(filter).length) {
      return this.#page(search, narrow, now, search.limit, search.offset);
    }
    const wanted = search.offset + search.limit;
    const found: ItemRow[] = [];
    for (let offset = 0; found.length < wanted; offset += SCAN_CHUNK) {
      const chunk = await this.#page(search, narrow, now, SCAN_CHUNK, offset);
      found.push(...chunk.filter((row) => matchesFilter(parseObject(row.value), filter)));
      if (chunk.length < SCAN_CHUNK) break;
    }
    return found.slice(search.offset, wanted);
  }

  #page(
    search: ItemSearch,
    narrow: JsonObject,
    now: Instant,
    limit: number,
    offset: number,
  ): Promise<ItemRow[]> {
    const prefix = encodeNamespace(search.prefix);
    const narrowed = Object.keys(narrow).length > 0;
    if (narrowed)
      return newestBelow(this.db.read, this.db.sql, { prefix, now, limit, offset }, narrow).execute();
    if (prefix === "") return newestOfAll(this.db.read, { now, limit, offset });
    return this.#newestBelow(this.db.read, { prefix, now, limit, offset });
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

function step(item: Omit<NewItem, "value"> & { value: JsonObject | null }, now: Instant) {
  if (item.namespace.length === 0) throw new BadRequest("Namespace is required");
  const at = { namespace: encodeNamespace(item.namespace), key: item.key };
  if (item.value === null) return (tx: Tx) => removeItem(tx, at);
  const row = {
    ...at,
    value: JSON.stringify(item.value),
    created_at: now,
    updated_at: now,
    ttl_minutes: item.ttl_minutes ?? null,
    expires_at: expiry(item.ttl_minutes ?? null, now),
    now,
  };
  return (tx: Tx) => upsertItem(tx, row);
}

function expiry(ttlMinutes: number | null, now: Instant): Instant | null {
  return ttlMinutes === null ? null : Math.round(now + ttlMinutes * MINUTE);
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
