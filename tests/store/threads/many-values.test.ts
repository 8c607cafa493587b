import { expect, test } from "bun:test";
import { Threads } from "@berth/store";
import { everyStore } from "../every-store.ts";

const MOST = 10_000;
const AT_ONCE = 500;

everyStore("a filter on values among many threads", (open) => {
  test("works up to its limit, and says beyond it what narrows the search", async () => {
    const db = await open();
    const threads = new Threads(db, { now: () => 1 });
    await threads.create({ metadata: { of: "one" } });
    const row = await db.read.selectFrom("threads").selectAll().executeTakeFirstOrThrow();
    for (let made = 1; made < MOST + 1; made += AT_ONCE) {
      const more = Array.from({ length: Math.min(AT_ONCE, MOST + 1 - made) }, () => ({
        ...row,
        thread_id: crypto.randomUUID(),
        metadata: '{"of":"many"}',
      }));
      await db.write((tx) => tx.insertInto("threads").values(more).execute());
    }
    const of = async (ids: string[]) =>
      new Map(ids.map((id) => [id, { topic: id === row.thread_id ? "x" : "y" }]));
    const values = { contain: { topic: "x" }, of };
    const refused = await threads.search({ values, limit: 10, offset: 0 }).catch((error: Error) => error);
    expect(refused).toMatchObject({ name: "BadRequest" });
    expect(String(refused)).toContain("10000 threads at most");
    expect(String(refused)).toContain("add a filter on metadata, status or ids");
    expect((await threads.search({ values, ids: [row.thread_id], limit: 10, offset: 0 })).total).toBe(1);
    await db.write((tx) =>
      tx
        .deleteFrom("threads")
        .where("thread_id", "=", (one) =>
          one.selectFrom("threads").select("thread_id").where("thread_id", "!=", row.thread_id).limit(1),
        )
        .execute(),
    );
    expect(
      (await threads.search({ values, limit: 10, offset: 0 })).rows.map(({ thread_id }) => thread_id),
    ).toEqual([row.thread_id]);
  });
});
