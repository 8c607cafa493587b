import { sql } from "kysely";
import type { Database, Tx } from "../../database/index.ts";
import { Fault } from "../../errors.ts";

/** What pgvector's type holds, and what its HNSW indexes (HNSW) do. */
const MOST_DIMS = 16_000;
const MOST_DIMS_OF_HNSW = 2_000;

export type ItemEmbeddingsSettings = {
  model: string;
  dims: number;
  /** Hears once why the database does not search vectors, though it is one that could. */
  told?: ((why: string) => void) | undefined;
  /** From how many vectors on there is an HNSW index; the tests take fewer. */
  hnswFrom?: number | undefined;
};

type Asked = { query: string; prefix: string; limit: number };

/**
 * The table that pgvector searches, where the server has pgvector or lets it be made.
 * @throws Unavailable the database is away
 */
export async function pgvectorOf(
  db: Database,
  settings: ItemEmbeddingsSettings,
): Promise<Pgvector | undefined> {
  if (db.sql.name !== "postgres" || settings.dims > MOST_DIMS) return undefined;
  try {
    const version = await madeVersion(db);
    return new Pgvector(db, settings, version);
  } catch (error) {
    if (error instanceof Fault) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    settings.told?.(`vectors are searched in this process, not by pgvector: ${reason}`);
    return undefined;
  }
}

async function madeVersion(db: Database): Promise<number> {
  const found = await look(db);
  // Asked for in one piece: a process that is refused leaves nothing behind.
  if (!found.version || !found.table) await db.write(make);
  const { version } = found.version ? found : await look(db);
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  return major + minor / 100;
}

async function look(db: Database): Promise<{ version: string | null; table: string | null }> {
  const { rows } = await sql<{ version: string | null; table: string | null }>`
    select (select extversion from pg_extension where extname = 'vector') as version,
      to_regclass('item_embeddings')::text as "table"`.execute(db.read);
  return rows[0] ?? { version: null, table: null };
}

/**
 * Not a migration, for a server may get pgvector later, and what is derived is in no backup's way. Without a number of
 * dimensions the column takes any model's; each HNSW index names its own.
 */
async function make(tx: Tx): Promise<void> {
  for (const statement of [
    sql`create extension if not exists vector`,
    sql`create table if not exists item_embeddings (
      seq bigint primary key references item_vectors (seq) on delete cascade,
      model text not null,
      namespace text collate "C" not null,
      embedding vector not null
    )`,
    sql`create index if not exists item_embeddings_place on item_embeddings (model, namespace)`,
  ])
    await statement.execute(tx);
}

/**
 * The statements of pgvector. Vectors are of length one, so that the inner product is their cosine; it also takes
 * those of length zero, which an HNSW index by cosine leaves out.
 */
export class Pgvector {
  readonly makesHnsw: boolean;
  readonly #goesOn: boolean;
  readonly #model: string;
  readonly #hnswName: string;
  readonly #typed: ReturnType<typeof sql>;

  /** @param version of pgvector: 0.05 for 0.5 */
  constructor(
    private readonly db: Database,
    { model, dims }: { model: string; dims: number },
    version: number,
  ) {
    this.#model = model;
    this.makesHnsw = version >= 0.05 && dims <= MOST_DIMS_OF_HNSW;
    this.#goesOn = version >= 0.08;
    this.#hnswName = `item_embeddings_hnsw_${Bun.hash(model).toString(36)}`;
    this.#typed = sql`(embedding::vector(${sql.lit(dims)}))`;
  }

  /** Takes vectors in, but for those that are there already or whose item is gone. */
  async insert(tx: Tx, taken: { seq: number; embedding: string }[]): Promise<void> {
    await sql`
      insert into item_embeddings (seq, model, namespace, embedding)
      select written.seq, written.model, written.namespace, given.embedding::vector
      from json_to_recordset(${JSON.stringify(taken)}::text::json) as given(seq bigint, embedding text)
      join item_vectors as written on written.seq = given.seq
      for key share of written
      on conflict do nothing`.execute(tx);
  }

  /** The nearest vectors by a comparison with each. */
  async nearest({ query, prefix, limit }: Asked): Promise<number[]> {
    const { rows } = await sql<{ seq: number }>`
      select seq from item_embeddings
      where model = ${this.#model} and ${this.#isBelow(prefix)}
      order by embedding <#> ${query}::text::vector, seq limit ${sql.lit(limit)}`.execute(this.db.read);
    return rows.map(({ seq }) => Number(seq));
  }

  /**
   * About the nearest, by a walk through the HNSW index that keeps `inView` of them in view; perhaps fewer than there are.
   * The names are literals, for a plan for any name does not know that the HNSW index has this one.
   */
  async nearestByHnsw({ query, prefix, limit }: Asked, inView: number): Promise<number[]> {
    // Settings of this statement alone: what its conditions ask for first is set before the walk begins.
    const set = (name: string, value: string) =>
      sql`(select set_config(${sql.lit(name)}, ${sql.lit(value)}, true)) is not null`;
    const settings = [
      set("hnsw.ef_search", String(Math.min(inView, 1_000))),
      ...(this.#goesOn ? [set("hnsw.iterative_scan", "strict_order")] : []),
    ];
    const { rows } = await sql<{ seq: number }>`
      select seq from item_embeddings
      where model = ${sql.lit(this.#model)} and ${this.#isBelow(prefix)} and ${sql.join(settings, sql` and `)}
      order by ${this.#typed} <#> ${query}::text::vector limit ${sql.lit(limit)}`.execute(this.db.read);
    return rows.map(({ seq }) => Number(seq));
  }

  /** Whether a namespace and those below it have so many vectors. */
  async holdsAtLeast(count: number, prefix = ""): Promise<boolean> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from (
        select 1 from item_embeddings where model = ${this.#model} and ${this.#isBelow(prefix)}
        limit ${count}
      ) as counted`.execute(this.db.read);
    return Number(rows[0]?.count) >= count;
  }

  /** Whether there is an HNSW index, or somebody builds one at the moment, or stopped on the way. */
  async hnswState(): Promise<"none" | "ready" | "building" | "broken"> {
    const { rows } = await sql<{ valid: boolean; building: boolean }>`
      select indisvalid as valid, exists (
        select 1 from pg_stat_progress_create_index where index_relid = indexrelid
      ) as building
      from pg_index where indexrelid = to_regclass(${this.#hnswName}::text)`.execute(this.db.read);
    const [hnsw] = rows;
    if (!hnsw) return "none";
    if (hnsw.valid) return "ready";
    return hnsw.building ? "building" : "broken";
  }

  /** Builds the HNSW index unless somebody does. Nobody waits for it: neither those who read nor those who write. */
  async buildHnsw(): Promise<void> {
    const state = await this.hnswState();
    if (state === "building" || state === "ready") return;
    const name = sql.id(this.#hnswName);
    if (state === "broken") await sql`drop index concurrently if exists ${name}`.execute(this.db.read);
    await sql`create index concurrently if not exists ${name} on item_embeddings
      using hnsw (${this.#typed} vector_ip_ops) where model = ${sql.lit(this.#model)}`.execute(this.db.read);
    // Before, Postgres takes the table for nearly empty, and compares each row.
    await sql`analyze item_embeddings`.execute(this.db.read);
  }

  /** Removes the HNSW indexes of models of which nothing is left. */
  async dropEmptyHnsw(): Promise<void> {
    const { rows } = await sql<{ name: string; condition: string }>`
      select relname as name, pg_get_expr(indpred, indrelid) as condition
      from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = 'item_embeddings'::regclass and indpred is not null
        and relname <> ${this.#hnswName}`.execute(this.db.read);
    for (const { name, condition } of rows) {
      const left = await sql`select 1 from item_embeddings where ${sql.raw(condition)} limit 1`.execute(
        this.db.read,
      );
      if (left.rows.length === 0)
        await sql`drop index concurrently if exists ${sql.id(name)}`.execute(this.db.read);
    }
  }

  #isBelow(prefix: string) {
    return prefix === "" ? sql`true` : this.db.sql.startsWith(sql.ref("namespace"), prefix);
  }
}
