import { expect, test } from "bun:test";
import { RateLimit, TooMany } from "../../server/http/rate-limit.ts";

const caller = (keyId: string) => ({ keyId, workspaceId: "w" });

function refusal(limit: RateLimit, keyId: string): number | undefined {
  try {
    limit.take(caller(keyId));
    return undefined;
  } catch (error) {
    if (error instanceof TooMany) return error.retryAfterSeconds;
    throw error;
  }
}

test("each key has a minute's worth at once, and gets it back as time goes by", () => {
  let now = 0;
  const limit = new RateLimit(3, { now: () => now });
  expect([1, 2, 3].map(() => refusal(limit, "a"))).toEqual([undefined, undefined, undefined]);
  expect(refusal(limit, "a")).toBe(20);
  expect(refusal(limit, "b")).toBeUndefined();
  now += 10_000;
  expect(refusal(limit, "a")).toBe(10);
  now += 10_000;
  expect(refusal(limit, "a")).toBeUndefined();
  expect(refusal(limit, "a")).toBe(20);
  now += 3_600_000;
  expect([1, 2, 3].map(() => refusal(limit, "a"))).toEqual([undefined, undefined, undefined]);
  expect(refusal(limit, "a")).toBe(20);
});

test("what is open to everybody is not counted", () => {
  const limit = new RateLimit(1, { now: () => 0 });
  for (let count = 0; count < 5; count += 1) limit.take(null);
});
