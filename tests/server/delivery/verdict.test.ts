import { describe, expect, test } from "bun:test";
import { headerFault, headersFault, maskedHeaders } from "../../../server/issues/delivery/headers.ts";
import { retryAfterMs, verdictOf, waitMs } from "../../../server/issues/delivery/verdict.ts";

describe("what becomes of a delivery", () => {
  test("is decided by the status alone, from 200 to 599", () => {
    const retried = [408, 425, 429];
    for (let status = 200; status <= 599; status += 1) {
      const isGood = status < 300;
      const expected = isGood ? "delivered" : retried.includes(status) || status >= 500 ? "retry" : "dead";
      const outcome = isGood ? "ok" : "http";
      expect([status, verdictOf({ outcome, status })]).toEqual([status, expected]);
    }
  });

  test("without a status it is tried again, unless its address is refused", () => {
    for (const outcome of ["timeout", "dns", "connect", "tls", "reset", "aborted"] as const)
      expect([outcome, verdictOf({ outcome, status: null })]).toEqual([outcome, "retry"]);
    expect(verdictOf({ outcome: "blocked", status: null })).toBe("dead");
  });
});

describe("the next attempt", () => {
  const plan = [10, 60, 360];
  const now = Date.UTC(2026, 0, 1);
  const wait = (attempt: number, random = 0, retryAfter: string | null = null, seconds = plan) =>
    waitMs(seconds, { attempt, random, retryAfter, now });

  test("waits as planned and up to a fifth more", () => {
    expect([1, 2, 3].map((attempt) => wait(attempt))).toEqual([10_000, 60_000, 360_000]);
    expect([1, 2, 3].map((attempt) => wait(attempt, 1))).toEqual([12_000, 72_000, 432_000]);
    expect(wait(1, 0.5)).toBe(11_000);
    expect([wait(3, 0, null, [1]), wait(1, 1, null, [0]), wait(1, 1, null, [])]).toEqual(
      [1_200, 0, 0].map((ms, at) => (at === 0 ? 1_000 : ms)),
    );
  });

  test("waits longer when it is asked to, for a quarter of an hour at most, and never shorter", () => {
    expect(wait(1, 0, "30")).toBe(30_000);
    expect(wait(1, 0, "1")).toBe(10_000);
    expect(wait(1, 0, "Thu, 01 Jan 2026 00:01:00 GMT")).toBe(60_000);
    expect(wait(1, 0, "Thu, 01 Jan 2015 00:00:00 GMT")).toBe(10_000);
    expect(wait(1, 0, "315360000")).toBe(900_000);
    expect(wait(1, 0, "Fri, 01 Jan 2100 00:00:00 GMT")).toBe(900_000);
    expect(wait(1, 0, "60", [3_600])).toBe(3_600_000);
  });

  test.each([
    "",
    "soon",
    "-5",
    "1e9",
    "5 seconds",
    "2026-01-01T00:01:00Z",
    "Thu, 99 Foo 2026 00:01:00 GMT",
    "1.5",
  ])("does not care for Retry-After: %j", (text) => {
    expect(retryAfterMs(text, now)).toBeUndefined();
    expect(wait(1, 0, text)).toBe(10_000);
  });
});

describe("a header of a subscription", () => {
  const reserved = [
    "Content-Type",
    "content-type",
    "CONTENT-LENGTH",
    "Host",
    "Transfer-Encoding",
    "Connection",
  ];
  const more = [
    "X-Service-Signature",
    "webhook-id",
    "Webhook-Anything",
    "Upgrade",
    "TE",
    "Trailer",
    "Expect",
  ];
  test.each([...reserved, ...more])("must not be %s", (name) =>
    expect(headerFault(name, "x")).toBe("is set by the service"),
  );

  test.each(["", "a b", "a:b", "a\r\nb", "é", "x".repeat(129), "a\0"])("must not be called %j", (name) =>
    expect(headerFault(name, "x")).toBeString(),
  );

  test.each(["a\r\nX-Other: b", "a\nb", "a\0b", "é", " a", "a ", "x".repeat(4_097), "\u2028"])(
    "must not hold %j",
    (value) => expect(headerFault("X-Own", value)).toBeString(),
  );

  test("may be anything else", () => {
    for (const [name, value] of [
      ["Authorization", "Bearer x"],
      ["X-Own", ""],
      ["User-Agent", "me"],
    ] as const)
      expect(headerFault(name, value)).toBeUndefined();
    expect(headersFault({ "X-A": "1", "X-B": "2" })).toBeUndefined();
  });

  test("is named once, and there are not too many", () => {
    expect(headersFault({ "X-A": "1", "x-a": "2" })).toEqual({ name: "x-a", fault: "is there twice" });
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`X-${at}`, "v"]));
    expect(headersFault(many)?.name).toBe("X-32");
  });

  test("is not in the log, nor is a signature", () => {
    const sent = {
      "Content-Type": "application/json",
      "X-Service-Signature": "sha256=1",
      Authorization: "Bearer x",
    };
    expect(maskedHeaders({ ...sent, "webhook-id": "1", "webhook-signature": "v1,2" })).toEqual({
      ...{ "Content-Type": "application/json", "X-Service-Signature": "***", Authorization: "***" },
      ...{ "webhook-id": "1", "webhook-signature": "***" },
    });
  });
});
