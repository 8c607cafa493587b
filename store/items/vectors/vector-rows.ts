import type { Kysely } from "kysely";
import { prepared, type SqlDialect, type Tx } from "../../database/index.ts";
import type { Instant, ItemVectorRow, Schema } from "../../schema/index.ts";

type At = { namespace: string; key: string };

const removeRows = prepared<At>((db, { namespace, key }) =>
  db.deleteFrom("item_vectors").where("namespace", "=", namespace).where("key", "=", key),
);

const takeSeqs = prepared<{ count: number }, { last_seq: number }>((db, { count }) =>
  db
    .updateTable("vector_counter")
    .set((eb) => ({ last_seq: eb("last_seq", "+", count) }))
    .returning("last_seq"),
);

const insertRow = prepared<ItemVectorRow>((db, row) =>
  db.insertInto("item_vectors").values({
    namespace: row.namespace,
    key: row.key,
    part: row.part,
    seq: row.seq,
    model: row.model,
    vector: row.vector,
  }),
);

/** Forgets what an item is found by. */
export async function removeVectors(tx: Tx, { namespace, key }: At): Promise<void> {
  await removeRows(tx, { namespace, key });
}

/** Writes what an item is found by, in place of what was there. */
export async function replaceVectors(
  tx: Tx,
  at: At,
  { model, vectors }: { model: string; vectors: Float32Array[] },
): Promise<void> {
  await removeVectors(tx, at);
  if (vectors.length === 0) return;
  const [counter] = await takeSeqs(tx, { count: vectors.length });
  const first = Number(counter?.last_seq) - vectors.length + 1;
  for (const [part, vector] of vectors.entries()) {
    await insertRow(tx, { ...at, part, seq: first + part, model, vector: bytesOf(vector) });
  }
}

export type FollowedVector = Pick<ItemVectorRow, "namespace" | "seq" | "vector">;

/** Vectors in the order of their writing. */
export const vectorsAfter = prepared<{ model: string; after: number; limit: number }, FollowedVector>(
  (db, { model, after, limit }) =>
    db
      .selectFrom("item_vectors")
      .select(["namespace", "seq", "vector"])
      .where("seq", ">", after)
      .where("model", "=", model)
      .orderBy("seq")
      .limit(limit),
);

/** How many vectors there are, of whichever model. */
export const countVectors = prepared<Record<string, never>, { total: number }>((db) =>
  db.selectFrom("item_vectors").select((eb) => eb.fn.countAll<number>().as("total")),
);

/** Living items with one of their vectors each; an item comes once for every vector. */
export function itemsWithVectors(db: Kysely<Schema>, { model, now }: { model: string; now: Instant }) {
  return db
    .selectFrom("item_vectors")
    .innerJoin("items", (join) =>
      join
        .onRef("items.namespace", "=", "item_vectors.namespace")
        .onRef("items.key", "=", "item_vectors.key"),
    )
    .selectAll("items")
    .select(["item_vectors.seq", "item_vectors.vector"])
    .where("item_vectors.model", "=", model)
    .where((eb) => eb.or([eb("items.expires_at", "is", null), eb("items.expires_at", ">", now)]));
}

/** The places of up to `limit` vectors of a namespace and those below it. */
export function seqsBelow(
  db: Kysely<Schema>,
  dialect: SqlDialect,
  { model, prefix, limit }: { model: string; prefix: string; limit: number },
) {
  return db
    .selectFrom("item_vectors")
    .select("seq")
    .where((eb) => dialect.startsWith(eb.ref("namespace"), prefix))
    .where("model", "=", model)
    .limit(limit);
}

export function floatsOf(bytes: Uint8Array): Float32Array {
  // A copy: a blob may begin anywhere, floats only at multiples of four.
  return new Float32Array(bytes.slice().buffer);
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
