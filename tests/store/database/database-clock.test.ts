import { expect, test } from "bun:test";
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

/** Answers as a database whose clock is ahead would, each after so many milliseconds; the last one from then on. */
function answering(lateMs: number[], aheadMs: () => number): SQL {
  const unsafe = async () => {
    const late = lateMs.length > 1 ? (lateMs.shift() ?? 0) : (lateMs[0] ?? 0);
    const now = performance.timeOrigin + performance.now() + aheadMs();
    const until = performance.now() + late;
    // All of it on the way back, to the millisecond.
    while (performance.now() < until);
    return Object.assign([{ now }], { count: 1, command: "SELECT" });
  };
  return { unsafe } as unknown as SQL;
}

const offBy = (clock: DatabaseClock, aheadMs: number) =>
  Math.abs(performance.timeOrigin + performance.now() + aheadMs - clock.now());

test("a busy moment does not make worse what a quiet one has measured; a clock that was set is taken on", async () => {
  const ahead = { ms: 5_000 };
  // Quiet only when it has been asked a dozen times; then busy for good.
  const busy = [...Array(12).fill(20), 0, 40];
  const clock = new DatabaseClock(answering(busy, () => ahead.ms));
  await clock.measure();
  expect(offBy(clock, ahead.ms)).toBeLessThan(5);
  await clock.measure();
  expect(offBy(clock, ahead.ms)).toBeLessThan(5);
  ahead.ms = 9_000;
  await clock.measure();
  expect(offBy(clock, ahead.ms)).toBeLessThan(100);
  clock.close();
});
