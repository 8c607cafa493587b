import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@berth/store";
import { temporaryFolder } from "./every-store.ts";
import { allPlans, firstPlan, plans } from "./query-plan.ts";

test("who asks for the plan of a query reads what is written afterwards", async () => {
  const folder = temporaryFolder();
  const db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
  try {
    const names = async () =>
      (await db.read.selectFrom("workspaces").select("name").orderBy("id").execute()).map(({ name }) => name);
    const [first = ""] = await names();
    const compiled = db.read.selectFrom("workspaces").select("name").where("id", "=", "x").compile();
    const ways = [
      () =>
        plans(db, ({ read }) => read.selectFrom("workspaces").selectAll().where("id", "=", "x").execute()),
      () => allPlans(db, ({ write }) => write((tx) => tx.selectFrom("workspaces").selectAll().execute())),
      async () => [await firstPlan(db, ({ read }) => read.executeQuery(compiled))],
    ];
    const written = [first];
    for (const [n, way] of ways.entries()) {
      expect((await way()).flat().join()).toContain("workspaces");
      const name = `w${n}`;
      await db.write((tx) =>
        tx
          .insertInto("workspaces")
          .values({ id: `f${n}`, name, created_at: 0 })
          .execute(),
      );
      written.push(name);
      expect(await names()).toEqual(written);
    }
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
