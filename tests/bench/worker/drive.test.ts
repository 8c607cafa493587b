import { expect, test } from "bun:test";
import { drive, median, quantile } from "./drive.ts";

test("every client warms up, then calls until its limit, and only the second part counts", async () => {
  const callers: number[] = [];
  const once = async (client: number) => callers.push(client);
  let clock = 0;
  const driven = await drive({ warmMs: 60_000, measureMs: 60_000, limit: 3 }, 2, once, () => (clock += 12));
  expect(callers.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
  expect(driven.calls.length).toBe(6);
  expect(driven.cpuMs).toBe(2);
});

test("a failing call fails the job", async () => {
  const failing = drive(
    { warmMs: 1000, measureMs: 1000, limit: 1 },
    1,
    () => Promise.reject(new Error("no")),
    () => 0,
  );
  await expect(failing).rejects.toThrow("no");
});

test("quantiles are values that occurred", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.95)).toBe(10);
});
