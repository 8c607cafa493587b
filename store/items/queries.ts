import type { ExpressionBuilder, Kysely } from "kysely";
import { bytesOf, prepared, type Sized, type SqlDialect, type Tx } from "../database/index.ts";
import type { JsonObject } from "../json-filter.ts";
import type { Instant, ItemRow, Schema } from "../schema/index.ts";

type At = { namespace: string; key: string };

export const upsertItem = prepared<ItemRow & { now: Instant }>((db, row) =>
  db
    .insertInto("items")
    .values({
      namespace: row.namespace,
      key: row.key,
      value: row.value,
      created_at: row.created_at,
      updated_at: row.updated_at,
      ttl_minutes: row.ttl_minutes,
      expires_at: row.expires_at,
      index_wish: row.index_wish,
      indexed_as: row.indexed_as,
    })
    .onConflict((conflict) =>
      conflict.columns(["namespace", "key"]).doUpdateSet((eb) => ({
        value: eb.ref("excluded.value"),
        ttl_minutes: eb.ref("excluded.ttl_minutes"),
        expires_at: eb.ref("excluded.expires_at"),
        index_wish: eb.ref("excluded.index_wish"),
        indexed_as: eb.ref("excluded.indexed_as"),
        // What has expired is gone for every reader, so this is a new item.
        created_at: eb
          .case()
          .when("items.expires_at", "<=", row.now)
          .then(eb.ref("excluded.created_at"))
          .else(eb.ref("items.created_at"))
          .end(),
        // Strictly later, whatever the clock says: order and change detection hang on it.
        updated_at: eb
          .case()
          .when("items.updated_at", ">=", eb.ref("excluded.updated_at"))
          .then(eb("items.updated_at", "+", 1))
          .else(eb.ref("excluded.updated_at"))
          .end(),
      })),
    ),
);

export const selectItem = prepared<At & { now: Instant }, ItemRow>((db, { namespace, key, now }) =>
  db
    .selectFrom("items")
    .selectAll()
    .where("namespace", "=", namespace)
    .where("key", "=", key)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)])),
);

export const removeItem = prepared<At>((db, { namespace, key }) =>
  db.deleteFrom("items").where("namespace", "=", namespace).where("key", "=", key),
);

export const extendItem = prepared<At & { expires_at: Instant }>((db, { namespace, key, expires_at }) =>
  db
    .updateTable("items")
    .set({ expires_at })
    .where("namespace", "=", namespace)
    .where("key", "=", key)
    .where("ttl_minutes", "is not", null),
);

type PageParams = { now: Instant; limit: number; offset: number };
export type BelowParams = PageParams & { prefix: string };

/** Where an item is, and how large its value. */
export type ItemKey = At & Sized;

const keyColumns = ["namespace", "key", "updated_at", bytesOf("value")] as const;

export const newestOfAll = prepared<PageParams, ItemKey>((db, { now, limit, offset }) =>
  db
    .selectFrom("items")
    .select(keyColumns)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .orderBy("updated_at", "desc")
    .orderBy("namespace")
    .orderBy("key")
    .limit(limit)
    .offset(offset),
);

type Narrowing = {
  /** What the values must contain. */
  narrow?: JsonObject;
  /** Only items that have no vector of this model. */
  unindexedBy?: string | undefined;
};

const vectorsOfItem = (eb: ExpressionBuilder<Schema, "items">, model: string) =>
  eb
    .selectFrom("item_vectors")
    .select("item_vectors.seq")
    .whereRef("item_vectors.namespace", "=", "items.namespace")
    .whereRef("item_vectors.key", "=", "items.key")
    .where("item_vectors.model", "=", model);

/**
 * Where the items are in a namespace, then those in namespaces below it, merged: each half has an index that the
 * other one's condition would rule out, and most searches are for one namespace with nothing below.
 */
export function newestBelow(
  db: Kysely<Schema> | Tx,
  dialect: SqlDialect,
  { prefix, now, limit, offset }: BelowParams,
  { narrow = {}, unindexedBy }: Narrowing = {},
) {
  const living = () => {
    let items = db
      .selectFrom("items")
      .select(keyColumns)
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]));
    if (unindexedBy !== undefined)
      items = items.where((eb) => eb.not(eb.exists(vectorsOfItem(eb, unindexedBy))));
    if (Object.keys(narrow).length === 0) return items;
    return items.where((eb) => dialect.jsonContains(eb.ref("value"), narrow));
  };
  return living()
    .where("namespace", "=", prefix)
    .unionAll(living().where((eb) => dialect.extends(eb.ref("namespace"), prefix)))
    .orderBy("updated_at", "desc")
    .orderBy("namespace")
    .orderBy("key")
    .limit(limit)
    .offset(offset);
}
