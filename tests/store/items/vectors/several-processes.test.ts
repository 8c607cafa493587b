import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Database, Items, openDatabase } from "@berth/store";
import { databaseOn, dropDatabase, execute, newDatabase, withoutPostgres } from "../../../postgres/server.ts";
import { describeUnless } from "../../../skips.ts";
import { standingClock, temporaryFolder } from "../../every-store.ts";
import { randomEmbedder } from "./random-vectors.ts";

const embedder = randomEmbedder(24);
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Place = () => Promise<string>;

const onFile: Place = async () => `sqlite:${join(temporaryFolder(), "berth.db")}`;

/** A database whose owner may make no extension, where the server has one to make. */
const onServer: Place = async () => {
  const admin = await newDatabase();
  const url = new URL(admin);
  const name = url.pathname.slice(1);
  closers.push(async () => {
    await dropDatabase(admin);
    await execute(databaseOn(admin, "postgres"), `drop role ${name}`);
  });
  await execute(admin, `create role ${name} login`);
  await execute(admin, `alter database ${name} owner to ${name}`);
  url.username = name;
  return url.href;
};

/** One process of a database. */
async function started(url: string, change: (db: Database) => Database = (db) => db) {
  const db = await openDatabase(url);
  closers.push(() => db.close());
  const clock = standingClock();
  const told: string[] = [];
  const items = new Items(change(db), clock, { embedder, told: (why) => told.push(why) });
  const put = (key: string, text: string) => items.put({ namespace: ["n"], key, value: { text } });
  const nearest = async (query: string, more: object = {}) =>
    (await items.search({ prefix: [], query, limit: 1, offset: 0, ...more })).map(({ key }) => key);
  const many = (count: number, first = 0) =>
    items.putAll(
      Array.from({ length: count }, (_, at) => ({
        ...{ namespace: ["n"], key: `k${first + at}`, value: { text: `t${first + at}`, at: first + at } },
      })),
    );
  return { db, clock, items, told, put, many, nearest };
}

function followEachOther(open: Place): void {
  test("find what another wrote, changed or deleted", async () => {
    const url = await open();
    const [one, two] = [await started(url), await started(url)];
    await one.many(600);
    expect(await two.nearest("t7")).toEqual(["k7"]);
    await one.put("new", "a");
    expect(await two.nearest("a")).toEqual(["new"]);
    await one.put("new", "b");
    expect(await two.nearest("a")).not.toEqual(["new"]);
    expect(await two.nearest("b")).toEqual(["new"]);
    await one.items.delete(["n"], "new");
    expect(await two.nearest("b")).not.toEqual(["new"]);
  });

  test("miss nothing that was acknowledged while both write", async () => {
    const url = await open();
    const [one, two, reader] = [await started(url), await started(url), await started(url)];
    await one.many(600);
    const write = async ({ put }: typeof one, name: string) => {
      for (let at = 0; at < 30; at += 1) {
        await put(`${name}${at}`, `${name}${at}`);
        expect(await reader.nearest(`${name}${at}`)).toEqual([`${name}${at}`]);
      }
    };
    await Promise.all([write(one, "a"), write(two, "b"), two.many(200, 1_000)]);
    for (const process of [one, two, reader])
      for (const key of ["a0", "a29", "b0", "b29"]) expect(await process.nearest(key)).toEqual([key]);
    expect(await reader.nearest("t1199")).toEqual(["k1199"]);
  });

  test("find an item that another replaces during the search", async () => {
    const url = await open();
    const one = await started(url);
    await one.many(600);
    let replaces = false;
    /** Once the index has read what was written, and before the search reads the items. */
    const replace = async () => {
      if (!replaces) return;
      replaces = false;
      await one.put("k7", "t7");
    };
    const two = await started(url, (db) => ({ ...db, read: afterVectors(db, replace) }));
    expect(await two.nearest("t7")).toEqual(["k7"]);
    replaces = true;
    expect(await two.nearest("t7")).toEqual(["k7"]);
    expect(replaces).toBe(false);
  });

  test("look further where what they know is gone", async () => {
    const url = await open();
    const [one, two] = [await started(url), await started(url)];
    await one.many(1_000);
    const all = await two.items.search({ prefix: [], query: "q", limit: 1_000, offset: 0 });
    for (const { namespace, key } of all.slice(0, 30)) await one.items.delete(namespace, key);
    // It was behind the 68 that the first look is at, and is not any more.
    const wanted = all[80];
    expect(await two.nearest("q", { filter: { at: wanted?.value.at } })).toEqual([String(wanted?.key)]);
  });
}

/** Calls `then` after each reading of vectors in the order of their numbers. */
function afterVectors(db: Database, then: () => Promise<void>) {
  return db.read.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      const [row] = result.rows;
      if (!row || ("seq" in row && "vector" in row && !("value" in row))) await then();
      return result;
    },
  });
}

describe("processes that search one database by meaning, in themselves", () => followEachOther(onFile));

describeUnless(withoutPostgres())("the same on a Postgres server", () => {
  followEachOther(onServer);

  test("the log says once why the database does not search", async () => {
    const { told, many, nearest, items, clock } = await started(await onServer());
    await many(3);
    expect(await nearest("t1")).toEqual(["k1"]);
    expect(await items.fillEmbeddings(clock.now())).toBe(0);
    clock.advance(120_000);
    expect(await items.fillEmbeddings(clock.now())).toBe(0);
    expect(told).toEqual([
      expect.stringMatching(/in this process, not by pgvector: (permission|extension|could)/),
    ]);
  });
});
