import type { Kysely } from "kysely";
import { type Database, prepared, type SqlDialect, type Tx } from "../../database/index.ts";
import { BadRequest } from "../../errors.ts";
import type { Instant, ItemVectorRow, Schema } from "../../schema/index.ts";
import { PackedVectors } from "./packed-vectors.ts";

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

type FollowedVector = Pick<ItemVectorRow, "namespace" | "seq" | "vector">;

/** Vectors in the order of their writing. */
const vectorsAfter = prepared<{ model: string; after: number; limit: number }, FollowedVector>(
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
const countVectors = prepared<Record<string, never>, { total: number }>((db) =>
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

const READ = 256;
const MAX_BYTES = 1024 * 1024 * 1024;
const COUNT_EVERY_MS = 60_000;
/** So many vectors that are gone are no reason to read all the others again. */
const SPARE = 10_000;

/** Something near, by the number of its vector. */
export type NearVector = { seq: number; slot: number };

/**
 * The vectors of one model in memory, for searches over more of them than one wants to read from the database.
 * It follows the table by its numbers, so that what another process writes is found too. What was deleted is
 * noticed when somebody looks for it: `forget`.
 */
export class VectorIndex {
  #packed: PackedVectors;
  #lastSeq = 0;
  #groups = new Map<string, number>();
  #catchingUp: Promise<void> | undefined;
  #countedAt = 0;

  constructor(
    private readonly db: Database,
    private readonly model: string,
    private readonly dims: number,
  ) {
    this.#packed = new PackedVectors(dims);
  }

  /**
   * The vectors nearest to a query in a namespace and those below it, about in order, nearest first.
   * @throws BadRequest there are more than memory is set aside for
   */
  async nearest(query: Float32Array, prefix: string, limit: number): Promise<NearVector[]> {
    const packed = this.#packed;
    const found = await packed.nearest(query, this.#allowed(prefix), limit);
    return found.map(({ slot }) => ({ slot, seq: packed.seqOf(slot) }));
  }

  /** Reads what was written since the last time; to be called before a search. */
  async catchUp(now: Instant): Promise<void> {
    // Whoever finds a reading under way may have written after it began.
    while (this.#catchingUp) await this.#catchingUp;
    this.#catchingUp = this.#read(now).finally(() => {
      this.#catchingUp = undefined;
    });
    await this.#catchingUp;
  }

  /** This vector is not in the database any more. */
  forget({ seq, slot }: NearVector): void {
    // A new beginning meanwhile gave the slot to another.
    if (this.#packed.seqOf(slot) === seq) this.#packed.remove(slot);
  }

  async #read(now: Instant): Promise<void> {
    await this.#restartIfSparse(now);
    for (;;) {
      if (this.#packed.bytes > MAX_BYTES) {
        throw new BadRequest("too many items are indexed to search all of them: name a narrower namespace");
      }
      const rows = await vectorsAfter(this.db.read, { model: this.model, after: this.#lastSeq, limit: READ });
      for (const { namespace, seq, vector } of rows) {
        this.#packed.add(floatsOf(vector), this.#groupOf(namespace), Number(seq));
        this.#lastSeq = Number(seq);
      }
      if (rows.length < READ) return;
      await new Promise<void>((turn) => setImmediate(turn));
    }
  }

  /** Begins anew when most of what is kept was deleted from the table. */
  async #restartIfSparse(now: Instant): Promise<void> {
    const living = this.#packed.count - this.#packed.removed;
    let sparse = this.#packed.removed > living + SPARE;
    if (!sparse && now - this.#countedAt >= COUNT_EVERY_MS) {
      this.#countedAt = now;
      const [counted] = await countVectors(this.db.read, {});
      sparse = this.#packed.count > 2 * Number(counted?.total ?? 0) + SPARE;
    }
    if (!sparse) return;
    this.#packed = new PackedVectors(this.dims);
    this.#groups = new Map();
    this.#lastSeq = 0;
  }

  #groupOf(namespace: string): number {
    const known = this.#groups.get(namespace);
    if (known !== undefined) return known;
    const group = this.#groups.size;
    this.#groups.set(namespace, group);
    return group;
  }

  #allowed(prefix: string): Uint8Array {
    const allowed = new Uint8Array(this.#groups.size);
    for (const [namespace, group] of this.#groups) if (namespace.startsWith(prefix)) allowed[group] = 1;
    return allowed;
  }
}
