import { expect, test } from "bun:test";
import { errorFacts } from "../../../agent/traces/error-facts.ts";

class Refused extends Error {
  code = "ECONNREFUSED";
}

test("an error says where it was thrown, its code, its status and what caused it", () => {
  const cause = new Refused("connect 10.0.0.1");
  const error = Object.assign(new Error("no answer", { cause }), { status: 503, fingerprint: "hotels" });
  const facts = errorFacts(error);
  expect(facts).toMatchObject({
    error_status: 503,
    error_fingerprint: "hotels",
    error_cause: [{ type: "Error", message: "connect 10.0.0.1", code: "ECONNREFUSED" }],
  });
  expect(facts.error_stack).toContain("error-facts.test.ts");
});

test.each<[string, unknown, object]>([
  ["a response's status", { response: { status: 429 } }, { error_status: 429 }],
  ["a status code", { statusCode: 404 }, { error_status: 404 }],
  ["no status of HTTP", { status: 7 }, {}],
  ["a number for a code", { code: 23505 }, { error_code: "23505" }],
  [
    "the first of several",
    new AggregateError([new TypeError("a"), new Error("b")], "both"),
    { error_cause: [{ type: "TypeError", message: "a" }] },
  ],
  ["a text for a cause", { cause: "no disk" }, { error_cause: [{ type: "", message: "no disk" }] }],
  ["a fingerprint that is too long", { fingerprint: "x".repeat(201) }, {}],
  ["a text", "thrown", {}],
  ["nothing", undefined, {}],
])("%s is read", (_, thrown, wanted) => {
  const { error_stack: _stack, ...facts } = errorFacts(thrown);
  expect(facts).toMatchObject(wanted);
  if (Object.keys(wanted).length === 0) expect(facts).toEqual({});
});

test("causes that go round, and getters that throw, end", () => {
  const error: Error & { cause?: unknown } = new Error("a");
  error.cause = new Error("b", { cause: error });
  expect(errorFacts(error).error_cause).toMatchObject([{ message: "b" }]);
  const broken = {
    get code() {
      throw new Error("no");
    },
  };
  expect(errorFacts(broken)).toEqual({});
});

test("a stack and a cause have bounds, and frames of Berth itself are left out", () => {
  const error = new Error("deep");
  const own = `${import.meta.dir.replace(/tests.agent.traces$/, "")}server/app.ts`;
  error.stack = `Error: deep\n    at own (${own}:1:1)\n${"    at f (/srv/a.ts:1:1)\n".repeat(1_000)}`;
  const { error_stack = "" } = errorFacts(error);
  expect(error_stack.length).toBe(4_096);
  expect(error_stack).not.toContain(own);
});
