import { expect, test } from "bun:test";
import { openDatabase } from "@berth/store";
import { dropDatabase, execute, newDatabase, withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";

describeUnless(withoutPostgres())("processes on one Postgres", () => {
  test("open it while others have it open, also when it is new to all of them", async () => {
    const url = await newDatabase();
    const open = await Promise.all([openDatabase(url), openDatabase(url), openDatabase(url)]);
    open.push(await openDatabase(url), await openDatabase(url));
    const held = await execute(
      url,
      `select 1 from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(held).toEqual([]);
    for (const database of open) await database.close();
    await dropDatabase(url);
  });
});
