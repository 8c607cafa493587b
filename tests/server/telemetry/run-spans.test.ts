import { expect, test } from "bun:test";
import type { EndedSpan } from "@berth/agent";
import { RunSpans } from "../../../server/telemetry/run-spans.ts";
import { asked, type ExportedSpan, spanBelow } from "../../../server/telemetry/span.ts";

const RUN = "0199f3c2-9d0e-7f1a-8a51-3f1f0f6f2a11";
const CALL = "0199f3c2-9d0e-7f1a-8a51-3f1f0f6f2a12";

function ended(given: Partial<EndedSpan>): EndedSpan {
  return {
    ...{ id: CALL, runId: RUN, parentId: RUN, threadId: "thread", name: "it", node: "agent" },
    ...{ runType: "chain", status: "success", error: undefined, usage: undefined, metadata: {} },
    ...{ startedAt: 1_000, firstTokenAt: undefined, endedAt: 2_000 },
    ...{ inputs: () => '"asked"', outputs: () => '"answered"' },
    ...given,
  };
}

const theRun = (given: Partial<EndedSpan> = {}) =>
  ended({ id: RUN, parentId: undefined, name: "shop", node: undefined, ...given });

function spansOf(
  work: (spans: RunSpans) => void,
  options: { sampled?: number; captureContent?: boolean } = {},
) {
  const taken: ExportedSpan[] = [];
  const all = { sampled: 1, captureContent: false, ...options };
  work(new RunSpans((span) => taken.push(span), all));
  return taken;
}

test("a model call says which model it was, what it used, and where it belongs", () => {
  const metadata = {
    ls_provider: "openai",
    ls_model_name: "gpt-5",
    ls_temperature: 0,
    finish_reason: "stop",
  };
  const usage = { input: 7, output: 3, total: 10 };
  const call = ended({ runType: "llm", name: "ChatOpenAI", metadata, usage, firstTokenAt: 1_250 });
  const [span] = spansOf((spans) => spans.ended(call));
  expect(span).toMatchObject({ name: "chat gpt-5", kind: "client", startedAt: 1_000, endedAt: 2_000 });
  expect(span?.context).toEqual({
    ...{ traceId: RUN.replaceAll("-", ""), spanId: "8a513f1f0f6f2a12", isSampled: true },
  });
  expect(span?.parent?.spanId).toBe("8a513f1f0f6f2a11");
  const known = Object.entries(span?.attributes ?? {}).filter(([, value]) => value !== undefined);
  expect(Object.fromEntries(known)).toEqual({
    ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5" },
    ...{ "gen_ai.request.temperature": 0, "gen_ai.response.finish_reasons": ["stop"] },
    ...{ "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3 },
    ...{ "berth.time_to_first_token_ms": 250, "berth.run.id": RUN, "berth.thread.id": "thread" },
    ...{ "berth.span.id": CALL, "berth.status": "success", "langgraph.node": "agent" },
  });
});

test("a failure says why; what was cancelled or waits for a person did not fail", () => {
  const error = { type: "RangeError", message: "too far" };
  const failures = (["error", "timeout", "cancelled", "interrupted", "success"] as const).map(
    (status) => spansOf((spans) => spans.ended(theRun({ status, ...(status === "error" && { error }) })))[0],
  );
  expect(failures.map((span) => span?.failure)).toEqual(["too far", "timeout", ...Array(3).fill(undefined)]);
  expect(failures[0]?.attributes["error.type"]).toBe("RangeError");
});

test("what was said is told only where somebody wants it, and cut", () => {
  const tool = ended({ runType: "tool", name: "search", outputs: () => "x".repeat(10_000) });
  const [quiet] = spansOf((spans) => spans.ended(tool));
  expect(JSON.stringify(quiet)).not.toContain("asked");
  const [told] = spansOf((spans) => spans.ended(tool), { captureContent: true });
  expect(told?.attributes["gen_ai.tool.call.arguments"]).toBe('"asked"');
  expect(told?.attributes["gen_ai.tool.call.result"]).toHaveLength(8_192);
});

test("a run belongs to the request that asked for it first, until it is over", () => {
  const request = spanBelow(undefined, 1);
  const taken = spansOf((spans) => {
    asked.run(request, () => spans.created(RUN));
    asked.run(spanBelow(undefined, 1), () => spans.created(RUN));
    spans.ended(ended({}));
    spans.ended(theRun());
    // Another attempt, in a process that knows nothing of the request.
    spans.ended(theRun());
  });
  const own = RUN.replaceAll("-", "");
  expect(taken.map(({ context }) => context.traceId)).toEqual([request.traceId, request.traceId, own]);
  expect(taken.map(({ parent }) => parent?.spanId)).toEqual(["8a513f1f0f6f2a11", request.spanId, undefined]);
});

test("what nobody wants to be sampled is not handed over", () => {
  expect(spansOf((spans) => spans.ended(theRun()), { sampled: 0 })).toEqual([]);
  const unsampled = { ...spanBelow(undefined, 1), isSampled: false };
  const taken = spansOf((spans) => {
    asked.run(unsampled, () => spans.created(RUN));
    spans.ended(theRun());
  });
  expect(taken).toEqual([]);
});
