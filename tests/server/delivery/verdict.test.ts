import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { headerFault, headersFault, maskedHeaders } from "../../../server/delivery/headers.ts";
import { askedWaitMs, verdictOf } from "../../../server/delivery/verdict.ts";
import { plannedWaitMs } from "../../../server/outgoing/outgoing.ts";

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

  test("waits as planned and up to a fifth more", () => {
    const waits = (random: number) => [1, 2, 3].map((attempt) => plannedWaitMs(plan, attempt, random));
    expect(waits(0)).toEqual([10_000, 60_000, 360_000]);
    expect(waits(0.5)).toEqual([11_000, 66_000, 396_000]);
    expect(waits(1)).toEqual([12_000, 72_000, 432_000]);
  });

  test("waits as the last of a plan that is shorter", () => {
    expect([1, 2, 3].map((attempt) => plannedWaitMs([1, 2], attempt, 0))).toEqual([1_000, 2_000, 2_000]);
    expect([plannedWaitMs([0], 3, 1), plannedWaitMs([], 1, 1)]).toEqual([0, 0]);
  });

  test("waits as long as it is asked to, for a quarter of an hour at most", () => {
    const asked: [retryAfter: string, ms: number][] = [
      ["30", 30_000],
      ["0", 0],
      [" 7 ", 7_000],
      ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
      ["Thu, 01 Jan 2015 00:00:00 GMT", 0],
      ["315360000", 900_000],
      ["Fri, 01 Jan 2100 00:00:00 GMT", 900_000],
    ];
    for (const [text, ms] of asked) expect([text, askedWaitMs(text, now)]).toEqual([text, ms]);
  });

  const garbage = [
    "",
    "soon",
    "-5",
    "1e9",
    "5 seconds",
    "1.5",
    "2026-01-01T00:01:00Z",
    "Thu, 99 Foo 2026 00:01:00 GMT",
  ];
  test.each(garbage)("does not care for Retry-After: %j", (text) =>
    expect(askedWaitMs(text, now)).toBeUndefined(),
  );
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

  test("is taken only when it goes out as one line that HTTP can hold", () => {
    const pieces = fc.constantFrom(
      "X",
      "a",
      "-",
      " ",
      "\r",
      "\n",
      "\0",
      ":",
      "é",
      "\t",
      "content-type",
      "webhook-",
    );
    const text = fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (name, value) => {
        if (headerFault(name, value) !== undefined) return;
        const headers = new Headers([[name, value]]);
        expect([...headers]).toEqual([[name.toLowerCase(), value]]);
        expect(["content-type", "host"]).not.toContain(name.toLowerCase());
        expect(name.toLowerCase().startsWith("webhook-")).toBe(false);
      }),
      { numRuns: 2_000 },
    );
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
