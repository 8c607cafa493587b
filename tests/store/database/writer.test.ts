import { expect, test } from "bun:test";
import type { Database, Tx } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";

everyStore("group commit", (open) => {
  const add = (id: string) => (tx: Tx) =>
    tx.insertInto("workspaces").values({ id, name: id, created_at: 0 }).execute();
  const ids = async (db: Database) =>
    (
      await db.read.selectFrom("workspaces").select("id").where("created_at", "=", 0).orderBy("id").execute()
    ).map((row) => row.id);

  test("answers after the commit, with what the work returned", async () => {
    const db = await open();
    expect(await db.write((tx) => add("a")(tx).then(() => 42))).toBe(42);
    expect(await ids(db)).toEqual(["a"]);
  });

  test("runs units in the order in which they were asked for, each seeing those before it", async () => {
    const db = await open();
    const counts = await Promise.all(
      Array.from({ length: 600 }, (_, at) =>
        db.write(async (tx) => {
          await add(`w${at}`)(tx);
          const row = await tx
            .selectFrom("workspaces")
            .select((eb) => eb.fn.countAll<number>().as("count"))
            .where("created_at", "=", 0)
            .executeTakeFirstOrThrow();
          return Number(row.count);
        }),
      ),
    );
    expect(counts).toEqual(Array.from({ length: 600 }, (_, at) => at + 1));
  });

  test("leaves units that take long to the next transaction, in their order", async () => {
    const db = await open();
    if (db.sql.name !== "sqlite") return;
    const committed = await Promise.all(
      ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map((id) =>
        db.write(async (tx) => {
          for (const until = performance.now() + 5; performance.now() < until; );
          await add(id)(tx);
          return (await ids(db)).join("");
        }),
      ),
    );
    expect(committed).toEqual(["", "", "", "", "abcd", "abcd", "abcd", "abcd", "abcdefgh"]);
    expect((await ids(db)).join("")).toBe("abcdefghi");
  });

  test("shares one transaction among what is asked for in one turn", async () => {
    const db = await open();
    if (db.sql.name !== "sqlite") return;
    const committed = await Promise.all(
      ["a", "b", "c"].map((id) =>
        db.write(async (tx) => {
          await add(id)(tx);
          return ids(db);
        }),
      ),
    );
    // Nobody saw a neighbour's row committed, though each ran after the one before it.
    expect(committed).toEqual([[], [], []]);
    expect(await ids(db)).toEqual(["a", "b", "c"]);
  });

  test("a unit that fails takes none of its neighbours with it", async () => {
    const db = await open();
    const runs: string[] = [];
    const noted = (name: string, work: (tx: Tx) => Promise<unknown>) =>
      db.write(async (tx) => {
        runs.push(name);
        await work(tx);
      });
    const results = await Promise.allSettled([
      noted("first", add("a")),
      noted("throws", () => Promise.reject(new Error("mine"))),
      noted("clashes", add("a")),
      noted("half", async (tx) => {
        await add("half")(tx);
        throw new Error("after writing");
      }),
      noted("last", add("z")),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    expect(results[1]).toMatchObject({ reason: { message: "mine" } });
    expect(await ids(db)).toEqual(["a", "z"]);
    // Together up to the first fault, then each by itself from the start.
    expect(runs).toEqual(["first", "throws", "first", "throws", "clashes", "half", "last"]);
  });

  test("goes on after a fault", async () => {
    const db = await open();
    expect(await outcome(db.write(() => Promise.reject(new Error("no"))))).toThrow("no");
    await db.write(add("later"));
    expect(await ids(db)).toEqual(["later"]);
  });

  test("nobody reads what is not committed", async () => {
    const db = await open();
    if (db.sql.name !== "sqlite") return;
    const seen = await db.write(async (tx) => {
      await add("a")(tx);
      return ids(db);
    });
    expect(seen).toEqual([]);
    expect(await ids(db)).toEqual(["a"]);
  });

  test("close waits for everything that was asked for, then refuses more", async () => {
    const db = await open();
    const done: number[] = [];
    for (let at = 0; at < 300; at += 1) void db.write(add(`w${at}`)).then(() => done.push(at));
    await db.close();
    expect(done).toHaveLength(300);
    expect(await outcome(db.write(add("late")))).toThrow("the database is closed");
  });
});
