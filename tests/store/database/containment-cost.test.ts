import { expect, test } from "bun:test";
import { containsJson, Threads } from "@berth/store";
import { sql } from "kysely";
import { everyStore } from "../every-store.ts";

const stored = { a: Array.from({ length: 500_000 }, (_, index) => index) };
const text = JSON.stringify(stored);
const wanted = Array.from({ length: 90 }, (_, index) => 499_999 - index);

/** The CPU that `work` takes, in units of what one parse of the document takes at this moment. */
async function parsesOf(work: () => unknown): Promise<number> {
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  const begun = cpu();
  for (let round = 0; round < 5; round++) JSON.parse(text);
  const parsed = cpu();
  await work();
  const units = (cpu() - parsed) / ((parsed - begun) / 5);
  console.info(`a containment took ${units.toFixed(1)} parses of ${text.length} characters`);
  return units;
}

everyStore("what a containment filter costs", (open) => {
  test("a small filter does not walk a long list of an older version once for each of its numbers", async () => {
    const db = await open();
    const threads = new Threads(db, { now: () => 1 });
    const thread = await threads.create({ metadata: { b: ["x"] } });
    await db.write((tx) => tx.updateTable("threads").set({ metadata: text }).execute());
    const search = { metadata: { a: wanted }, limit: 10, offset: 0 };
    const spent = await parsesOf(() => threads.search(search));
    // Postgres has containment of its own, and its test runs it inside this process.
    if (db.sql.name === "sqlite") {
      expect(spent).toBeLessThan(60);
      expect((await threads.search(search)).rows).toEqual([]);
    }
    // As large as metadata may be today, it is found.
    const today = JSON.stringify({ a: wanted, b: ["x", null, true] });
    await db.write((tx) => tx.updateTable("threads").set({ metadata: today }).execute());
    expect((await threads.search(search)).rows[0]?.thread_id).toBe(thread.thread_id);
  });

  test("twenty objects are looked for in what is kept today", async () => {
    const db = await open();
    const objects = Array.from({ length: 20 }, (_, index) => ({ name: `n${index}` }));
    const column = sql<string>`cast(${JSON.stringify({ people: objects })} as text)`;
    const found = async (needle: object) => {
      const { rows } = await sql<{
        yes: unknown;
      }>`select ${db.sql.jsonContains(column, needle)} as yes`.execute(db.read);
      return Boolean(rows[0]?.yes);
    };
    expect(await found({ people: objects.toReversed() })).toBe(true);
    expect(await found({ people: [...objects, { name: "other" }] })).toBe(false);
  });
});

test("values of a thread are walked once for all the scalars of a filter", async () => {
  expect(await parsesOf(() => expect(containsJson(stored, { a: wanted })).toBe(true))).toBeLessThan(60);
  expect(containsJson({ a: [1, null, "x", { b: 1 }] }, { a: [null, "x", { b: 1 }] })).toBe(true);
  expect(containsJson({ a: [1, null] }, { a: [1, "1"] })).toBe(false);
});
