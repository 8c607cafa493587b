import { describe, expect, test } from "bun:test";
import { failureOf } from "../../../server/langsmith/run-error.ts";
import { instant, spanOf, traceIdOf } from "../../../server/langsmith/run-form.ts";
import { AT_ONCE_MS } from "../../limits.ts";

const id = "01a20161-c743-7000-8000-03aee390164b";
const child = "01a20161-c746-7000-8000-02f4d2954a60";
const order = `20261122T035154947001Z${id}.20261122T035154950002Z${child}`;

describe("errors, as clients write them", () => {
  const traceback = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: no city';
  const stack = "TypeError: no city\n    at weather (/app/a.ts:1:2)\n    at run (/app/b.ts:3:4)";
  const table: [string, string, string | null, string | null][] = [
    [`ValueError('no city')${traceback}`, "error", "ValueError", "no city"],
    [`ValueError("no 'city'")\n\n\n${traceback}`, "error", "ValueError", "no 'city'"],
    [`KeyError('a\\nb')\n\n${traceback}`, "error", "KeyError", "a\nb"],
    ["OSError(2, 'No such file')", "error", "OSError", "2, 'No such file'"],
    ["openai.RateLimitError('slow (down)')", "error", "RateLimitError", "slow (down)"],
    ["TypeError: no city", "error", "TypeError", "no city"],
    [stack, "error", "TypeError", "no city"],
    [`no city\n\n${stack}`, "error", "TypeError", "no city"],
    ["something broke", "error", "Error", "something broke"],
    ["GraphInterrupt((Interrupt(value='ok?'),))", "interrupted", null, null],
    ["ParentCommand(Command(goto='b'))", "success", null, null],
    ["CancelledError()", "cancelled", "CancelledError", ""],
    ["AbortError: This operation was aborted", "cancelled", "AbortError", "This operation was aborted"],
  ];
  for (const [text, status, type, message] of table)
    test(JSON.stringify(text.slice(0, 40)), () => {
      const failure = failureOf(text);
      expect(failure.status).toBe(status as typeof failure.status);
      expect(failure.error).toEqual(type === null ? null : { type, message: message ?? "" });
    });

  test("a long text takes no long time to read", () => {
    const started = performance.now();
    for (const text of ["A(".repeat(100_000), `${"\n\nA".repeat(50_000)}`, `x\n\nE\n${" \n".repeat(50_000)}`])
      failureOf(text);
    expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
  });
});

test("times come as numbers and as texts, with a zone or without one", () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  for (const value of [
    at,
    "2026-01-02T03:04:05.678Z",
    "2026-01-02T03:04:05.678912",
    "2026-01-02 03:04:05.678+00:00",
  ])
    expect(instant(value)).toBe(at);
  expect(instant("2026-01-02T05:04:05.678+02:00")).toBe(at);
  for (const value of ["soon", null, undefined, {}, -1, 1e20, Number.NaN])
    expect(instant(value)).toBeUndefined();
});

test("the trace and the parent of a run are in its dotted order, where it does not say them", () => {
  expect(traceIdOf({ dotted_order: order }, child)).toBe(id);
  expect(traceIdOf({}, child)).toBeUndefined();
  expect(spanOf({ dotted_order: order }, { id: child, traceId: id }).parent_id).toBe(id);
});

test("what a model used is found where its wrapper put it, and only models use anything", () => {
  const used = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  const openAi = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const forms = [
    { outputs: { usage_metadata: used } },
    { outputs: {}, extra: { metadata: { usage_metadata: used } } },
    { outputs: { generations: [[{ message: { kwargs: { usage_metadata: used } } }]] } },
    { outputs: { llm_output: { token_usage: openAi } } },
    { outputs: { usage: openAi } },
    { ...openAi },
  ];
  for (const form of forms) {
    expect(spanOf({ ...form, run_type: "llm" }, { id, traceId: id })).toMatchObject(used);
    expect(spanOf({ ...form, run_type: "chain" }, { id, traceId: id }).total_tokens).toBeUndefined();
  }
});
