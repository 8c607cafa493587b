import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import {
  type Database,
  type Embedder,
  Items,
  type ItemsSettings,
  LateIndexing,
  openDatabase,
} from "@berth/store";
import { SQL } from "bun";
import { until } from "../../../e2e/condition.ts";
import { withoutPgvector } from "../../../postgres/pgvector.ts";
import { dropDatabase, execute, newDatabase } from "../../../postgres/server.ts";
import { describeUnless } from "../../../skips.ts";
import { standingClock, temporaryFolder } from "../../every-store.ts";
import { randomEmbedder } from "./random-vectors.ts";

const DIMS = 48;
const embedder = randomEmbedder(DIMS);
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function onServer() {
  const url = await newDatabase();
  closers.push(() => dropDatabase(url));
  return url;
}

async function opened(url: string): Promise<Database> {
  const db = await openDatabase(url);
  closers.push(() => db.close());
  return db;
}

/** The items of one process. */
async function started(url: string, settings: ItemsSettings = {}) {
  const clock = standingClock();
  const told: string[] = [];
  const db = await opened(url);
  const items = new Items(db, clock, { embedder, told: (why) => told.push(why), ...settings });
  const fill = async () => {
    clock.advance(60_000);
    while ((await items.fillEmbeddings(clock.now())) > 0);
  };
  const find = async (query: string, more: object = {}) => {
    const found = await items.search({ prefix: [], query, limit: 20, offset: 0, ...more });
    return found.map(({ namespace, key, score }) => [`${namespace.join(".")}/${key}`, score] as const);
  };
  const keys = async (query: string, more: object = {}) => (await find(query, more)).map(([key]) => key);
  return { db, clock, items, told, fill, find, keys };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    namespace: ["n", `${at % 3}`, ...(at % 7 === 0 ? ["deep"] : [])],
    key: `k${at}`,
    value: { text: at === 50 ? "zero" : `t${at}`, at, tag: at % 10 === 0 ? "ten" : "none" },
  }));

const rowsOf = async (url: string) =>
  Number((await execute(url, "select count(*)::int as count from item_embeddings"))[0]?.count);

const hnswOf = (url: string) =>
  execute(
    url,
    "select indisvalid as valid, indexrelid::regclass::text as name from pg_index where indrelid = 'item_embeddings'::regclass and indpred is not null",
  );

const built = (url: string) =>
  until("an HNSW index", async () => (await hnswOf(url)).some(({ valid }) => valid));

describeUnless(await withoutPgvector())("vectors that pgvector searches", () => {
  const SEARCHES: [string, object][] = [
    ["q1", {}],
    ["q2", { offset: 15 }],
    ["q3", { prefix: ["n", "1"] }],
    ["q4", { prefix: ["n", "0", "deep"] }],
    ["q5", { prefix: ["none"] }],
    ["q6", { filter: { tag: "ten" } }],
    ["q7", { filter: { at: { $gte: 1_150 } }, limit: 60 }],
    ["q8", { permitted: { contain: { tag: "ten", namespace: ["deep"] } } }],
    ["t77", { limit: 3 }],
    ["q9", { limit: 1_000, offset: 600 }],
  ];

  test("are found as the index in the process finds them", async () => {
    const url = await onServer();
    const theirs = await started(url);
    const ours = await started(`sqlite:${join(temporaryFolder(), "berth.db")}`);
    for (const { items } of [theirs, ours]) await items.putAll(numbered(1_200));
    await theirs.fill();
    expect(await rowsOf(url)).toBe(1_200);
    const areSame = async () => {
      for (const [query, more] of SEARCHES) {
        const [found, wanted] = [await theirs.find(query, more), await ours.find(query, more)];
        expect(found).toEqual(wanted);
      }
    };
    await areSame();
    // Some that are not in the table yet, no nearer than others.
    for (const { items } of [theirs, ours])
      await items.putAll(
        numbered(1_400)
          .slice(1_150)
          .map((item) => ({ ...item, value: { ...item.value, tag: "ten" } })),
      );
    expect(await rowsOf(url)).toBe(1_150);
    await areSame();
    await theirs.fill();
    expect(await rowsOf(url)).toBe(1_400);
    await areSame();
    // They are the table's: what is not in it is not found any more.
    const [nearest] = await theirs.keys("q1");
    await execute(url, "delete from item_embeddings");
    expect(nearest).toBeDefined();
    expect(await theirs.keys("q1", { limit: 1 })).not.toEqual([nearest]);
    expect(theirs.told).toEqual([]);
  });

  test("are found through an HNSW index where there are many", async () => {
    const url = await onServer();
    // For so few rows Postgres would rather compare each.
    await execute(url, `alter database ${new URL(url).pathname.slice(1)} set enable_sort = off`);
    const theirs = await started(url, { hnswFrom: 1_000 });
    const ours = await started(`sqlite:${join(temporaryFolder(), "berth.db")}`);
    for (const { items } of [theirs, ours]) await items.putAll(numbered(1_200));
    await theirs.fill();
    await built(url);
    const isUsed = async () => {
      const [used] = await execute(
        url,
        "select idx_scan as scans from pg_stat_user_indexes where indexrelname like 'item_embeddings_hnsw_%'",
      );
      return Number(used?.scans) > 0;
    };
    theirs.clock.advance(60_000);
    let [same, all] = [0, 0];
    for (const [query, more] of SEARCHES) {
      const [found, wanted] = [await theirs.keys(query, more), await ours.keys(query, more)];
      expect(found).toHaveLength(wanted.length);
      all += wanted.length;
      same += wanted.filter((key) => found.includes(key)).length;
    }
    expect(same / all).toBeGreaterThan(0.98);
    // What is put now goes into it, too.
    await theirs.items.put({ namespace: ["n"], key: "late", value: { text: "q1" } });
    await theirs.fill();
    expect(await rowsOf(url)).toBe(1_201);
    expect((await theirs.keys("q1", { limit: 1 }))[0]).toBe("n/late");
    await theirs.db.close();
    await until("a use of the HNSW index", isUsed);
  });

  test("are found at once, whichever process wrote them", async () => {
    const url = await onServer();
    const [one, two] = [await started(url), await started(url)];
    await one.items.putAll(numbered(300));
    expect(await two.keys("t7", { limit: 1 })).toEqual(["n.1.deep/k7"]);
    await two.fill();
    expect(await rowsOf(url)).toBe(300);
    const text = (value: string) => ({ namespace: ["n"], key: "new", value: { text: value } });
    for (const filled of [false, true]) {
      await one.items.put(text("a"));
      if (filled) await one.fill();
      expect(await two.keys("a", { limit: 1 })).toEqual(["n/new"]);
      await one.items.put(text("b"));
      if (filled) await two.fill();
      expect(await two.keys("b", { limit: 1 })).toEqual(["n/new"]);
      expect(await two.keys("a", { limit: 1 })).not.toEqual(["n/new"]);
      await one.items.delete(["n"], "new");
      expect(await two.keys("b", { limit: 1 })).not.toEqual(["n/new"]);
    }
    await Promise.all([one.items.putAll(numbered(400)), two.items.putAll(numbered(400))]);
    await Promise.all([one.fill(), two.fill()]);
    expect(await rowsOf(url)).toBe(400);
  });

  test("may be there before it: the index in the process finds them meanwhile", async () => {
    const url = await onServer();
    await (await started(url)).items.putAll(numbered(1_200));
    const late = await started(url);
    expect(await late.keys("t700", { limit: 1 })).toEqual(["n.1.deep/k700"]);
    expect(await rowsOf(url)).toBe(0);
    await late.fill();
    expect(await rowsOf(url)).toBe(1_200);
    expect(await late.keys("t700", { limit: 1 })).toEqual(["n.1.deep/k700"]);
  });

  test("of another model or size take their place, and the HNSW index of the old one goes", async () => {
    const url = await onServer();
    const before = await started(url, { hnswFrom: 100 });
    await before.items.putAll(numbered(120));
    await before.fill();
    await built(url);
    const [old] = await hnswOf(url);
    const wider = randomEmbedder(2_100);
    const after = await started(url, { embedder: wider, hnswFrom: 100 });
    await indexAnew(after.db, wider);
    await after.fill();
    expect(await rowsOf(url)).toBe(120);
    expect(await after.keys("t7", { limit: 1 })).toEqual(["n.1.deep/k7"]);
    // So wide a one has none.
    expect(await hnswOf(url)).toEqual([old ?? {}]);
    const narrow = randomEmbedder(16);
    const last = await started(url, { embedder: narrow, hnswFrom: 100 });
    await indexAnew(last.db, narrow);
    await last.fill();
    await until("the new HNSW index alone", async () => {
      const left = await hnswOf(url);
      return left.length === 1 && left[0]?.name !== old?.name;
    });
    expect(await last.keys("t7", { limit: 1 })).toEqual(["n.1.deep/k7"]);
  });

  test("do not keep a process that ends: the server finishes the HNSW index without it", async () => {
    const url = await onServer();
    const one = await started(url, { hnswFrom: 100 });
    await one.items.putAll(numbered(120));
    await one.items.fillEmbeddings(one.clock.now());
    const other = new SQL(url, { max: 1 });
    const tx = await other.reserve();
    await tx.unsafe("begin; lock table item_embeddings in share mode");
    await one.fill();
    await until("a build that waits", async () => {
      const waits = await execute(url, "select 1 from pg_locks where not granted and relation is not null");
      return waits.length > 0;
    });
    await one.db.close();
    expect((await hnswOf(url)).some(({ valid }) => valid)).toBe(false);
    await tx.unsafe("commit");
    await tx.release();
    await other.close();
    await built(url);
  });

  test("whose HNSW index was never finished get another", async () => {
    const url = await onServer();
    const one = await started(url, { hnswFrom: 100 });
    await one.items.putAll(numbered(120));
    await one.fill();
    await built(url);
    await execute(
      url,
      "update pg_index set indisvalid = false where indrelid = 'item_embeddings'::regclass and indpred is not null",
    );
    const two = await started(url, { hnswFrom: 100 });
    await two.fill();
    await built(url);
    expect(await two.keys("t7", { limit: 1 })).toEqual(["n.1.deep/k7"]);
  });
});

async function indexAnew(db: Database, embedder: Embedder): Promise<void> {
  const indexing = new LateIndexing(db, embedder);
  while ((await indexing.once(standingClock().now())) > 0);
}
