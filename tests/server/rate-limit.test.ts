import { expect, test } from "bun:test";
import type { Guard } from "../../server/authorization/guard.ts";
import { RateLimit } from "../../server/http/rate-limit.ts";
import { TooMany } from "../../server/http/too-many.ts";

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

test("behind a gateway, which takes the keys off, only a project's users are counted", () => {
  const limit = new RateLimit(1, { now: () => 0 }, true);
  const guard = (identity: string) => ({ user: { identity } }) as Guard;
  for (let count = 0; count < 5; count += 1) limit.take({ keyId: null, workspaceId: "w" });
  const user = (identity: string) => ({ keyId: null, workspaceId: "w", guard: guard(identity) });
  limit.take(user("ada"));
  limit.take(user("grace"));
  expect(() => limit.take(user("ada"))).toThrow(TooMany);
});

test("what is open to everybody is not counted", () => {
  const limit = new RateLimit(1, { now: () => 0 });
  for (let count = 0; count < 5; count += 1) limit.take(null);
});
