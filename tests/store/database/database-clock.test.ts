import { expect } from "bun:test";
import { SQL } from "bun";
import { DatabaseClock } from "../../../store/database/postgres/database-clock.ts";
import { serverUrl, withoutPostgres } from "../../postgres/server.ts";
import { testUnless } from "../../skips.ts";

const LATE_MS = 400;

testUnless(withoutPostgres())("an answer that is late does not set the clock wrong", async () => {
  const sql = new SQL(await serverUrl(), { max: 1 });
  let asked = 0;
  const slowAtFirst = new Proxy(sql, {
    get: (target, key) =>
      key === "unsafe"
        ? async (text: string, values: unknown[]) => {
            const rows = await target.unsafe(text, values);
            if (asked++ === 0) await Bun.sleep(LATE_MS);
            return rows;
          }
        : Reflect.get(target, key),
  });
  const clock = new DatabaseClock(slowAtFirst);
  await clock.measure();
  // The server is on this machine.
  expect(Math.abs(Date.now() - clock.now())).toBeLessThan(LATE_MS / 4);
  clock.close();
  await sql.close();
});
