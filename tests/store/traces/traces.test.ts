import { expect, test } from "bun:test";
import { MOST_SPANS, NotFound, type SpanWrite } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore } from "./trace-store.ts";

everyStore("traces", (open) => {
  test("a run is told as a tree of spans, with sums over them", async () => {
    const { traces, run, session } = await startTraceStore(open);
    const llm = { run_type: "llm" as const, input_tokens: 7, output_tokens: 3, name: "model", node: "agent" };
    const id = await run({ thread_id: "t1", metadata: { a: 1 }, tags: ["x"], total_tokens: 10 }, [llm, llm]);
    const { trace, spans } = await traces.get(HERE, id);
    expect(trace).toMatchObject({
      id,
      session_id: session.id,
      name: "agent",
      status: "success",
      thread_id: "t1",
      latency_ms: 100,
      // The chain's own count is that of the models in it, once more.
      input_tokens: 14,
      output_tokens: 6,
      total_tokens: 20,
      span_count: 3,
      metadata: { a: 1 },
      tags: ["x"],
      error: null,
    });
    expect(spans.map(({ name, parent_id }) => [name, parent_id]).sort()).toEqual([
      ["agent", null],
      ["model", id],
      ["model", id],
    ]);
    expect(await outcome(traces.get(ELSEWHERE, id))).toThrow(NotFound);
  });

  test("what is told later fills what was open, in whatever order it comes, and twice is as good as once", async () => {
    const { traces, session, clock } = await startTraceStore(open);
    const id = Bun.randomUUIDv7();
    const base = { id, trace_id: id, session_id: session.id };
    const begin: SpanWrite = {
      ...base,
      name: "agent",
      run_type: "llm",
      start_time: clock.now(),
      inputs: '{"n":1}',
      metadata: { a: 1, b: 1 },
    };
    const finish: SpanWrite = {
      ...base,
      end_time: clock.now() + 50,
      outputs: '{"n":2}',
      error: { type: "Error", message: "no" },
      metadata: { b: 2 },
    };
    const told: Record<string, unknown>[] = [];
    for (const order of [
      [begin, finish],
      [finish, begin],
      [begin, finish, begin, finish, begin],
    ]) {
      const other = Bun.randomUUIDv7();
      await traces.write(order.map((span) => ({ ...span, id: other, trace_id: other })));
      const { trace, spans } = await traces.get(HERE, other);
      const [span] = spans;
      if (!span) throw new Error("no span");
      const { id: _, trace_id: __, revision: ___, dotted_order: ____, ...facts } = span;
      told.push({ ...facts, latency: trace.latency_ms, traceStatus: trace.status });
    }
    expect(told[0]).toMatchObject({
      name: "agent",
      run_type: "llm",
      status: "error",
      inputs: '{"n":1}',
      outputs: '{"n":2}',
      error: { type: "Error", message: "no" },
      metadata: { a: 1, b: 2 },
      latency: 50,
      traceStatus: "error",
    });
    expect(told[1]).toEqual(told[0] ?? {});
    expect(told[2]).toEqual(told[0] ?? {});
  });

  test("the same news twice leave no mark", async () => {
    const { traces, session, clock } = await startTraceStore(open);
    const id = Bun.randomUUIDv7();
    const span: SpanWrite = { id, trace_id: id, session_id: session.id, name: "a", start_time: clock.now() };
    await traces.write([span]);
    const before = await traces.get(HERE, id);
    clock.advance(1_000);
    expect(await traces.write([span])).toEqual({ written: 1, dropped: 0, unknownSessions: [] });
    expect(await traces.get(HERE, id)).toEqual(before);
  });

  test("a trace has a thousand spans at most, its root among them, and counts the others", async () => {
    const { traces, session, clock } = await startTraceStore(open);
    const root = Bun.randomUUIDv7();
    const base = { trace_id: root, session_id: session.id, name: "a", start_time: clock.now() };
    const children = Array.from({ length: MOST_SPANS + 5 }, () => ({ ...base, id: Bun.randomUUIDv7() }));
    const { written, dropped } = await traces.write(children);
    expect({ written, dropped }).toEqual({ written: MOST_SPANS - 1, dropped: 6 });
    await traces.write([{ ...base, id: root, end_time: clock.now() }]);
    const { trace, spans } = await traces.get(HERE, root);
    expect(spans).toHaveLength(MOST_SPANS);
    expect(trace).toMatchObject({ span_count: MOST_SPANS, dropped_spans: 6, status: "success" });
  });

  test("bodies are cut above 32 KiB, and left out above a mebibyte, but never the root's", async () => {
    const { traces, run } = await startTraceStore(open);
    const long = JSON.stringify({ text: 'ä\u2028"'.repeat(20_000) });
    const children = Array.from({ length: 40 }, (_, i) => ({
      inputs: long,
      outputs: i === 0 ? '{"a":1}' : null,
    }));
    const id = await run({ inputs: long, outputs: long }, children);
    const { trace, spans } = await traces.get(HERE, id);
    const kept = spans.filter(({ inputs }) => inputs !== null);
    for (const { inputs } of kept) {
      expect(Buffer.byteLength(inputs ?? "")).toBeLessThanOrEqual(32_768);
      const cut = JSON.parse(inputs ?? "");
      expect(cut.__cut__).toBe(Buffer.byteLength(long));
      expect(long.startsWith(cut.text)).toBe(true);
    }
    const bytes = spans.reduce(
      (sum, { inputs, outputs }) => sum + Buffer.byteLength(inputs ?? "") + Buffer.byteLength(outputs ?? ""),
      0,
    );
    expect(bytes).toBeLessThanOrEqual(1_048_576);
    expect(trace.dropped_bodies).toBe(41 - kept.length);
    expect(trace.dropped_bodies).toBeGreaterThan(0);
    expect(spans.find((span) => span.id === id)?.outputs).toBeString();
  });

  test("texts that no database keeps as they are do no harm", async () => {
    const { traces, run } = await startTraceStore(open);
    const id = await run({
      name: "a\0b\ud800",
      error: { type: "E\0", message: "x".repeat(20_000) },
      tags: ["\0"],
    });
    const { trace } = await traces.get(HERE, id);
    expect(trace.name).toBe("a\uFFFDb\uFFFD");
    expect(trace.error?.message).toHaveLength(8_192);
  });

  test("nothing is written for a session that is gone, or into another workspace's trace", async () => {
    const { traces, sessions, session, run } = await startTraceStore(open);
    const id = await run({ name: "mine" });
    const theirs = await sessions.ensure(ELSEWHERE, "agent");
    const span = { id: Bun.randomUUIDv7(), trace_id: id, session_id: theirs.id, name: "theirs" };
    expect(await traces.write([span])).toMatchObject({ written: 0, dropped: 1, unknownSessions: [] });
    await sessions.delete(HERE, session.id);
    const late = { ...span, session_id: session.id };
    expect(await traces.write([late])).toEqual({ written: 0, dropped: 1, unknownSessions: [session.id] });
  });

  test("a span is found by its id alone, in its own workspace", async () => {
    const { traces, run, session } = await startTraceStore(open);
    const child = Bun.randomUUIDv7();
    const id = await run({}, [{ id: child }]);
    expect(await traces.place(HERE, child)).toEqual({ trace_id: id, session_id: session.id });
    expect(await traces.place(ELSEWHERE, child)).toBeUndefined();
  });
});
