import { expect, test } from "bun:test";
import { BadRequest, PriceBook, type TraceSearch } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore } from "./trace-store.ts";

everyStore("a search for traces", (open) => {
  test("finds by each of its conditions, newest first", async () => {
    const { traces, sessions, run, clock } = await startTraceStore(open);
    const other = await sessions.ensure(HERE, "other");
    const t0 = clock.now();
    const error = { type: "ToolError", message: "Straße 7 not FOUND" };
    await run({ name: "first", thread_id: "t1" });
    await run({ name: "Second", status: "error", error });
    await run({ name: "third" }, [{ status: "error", error }]);
    const tagged = { thread_id: "t1", tags: ['a "b"', "nightly"] };
    const model = { run_type: "llm" as const, total_tokens: 90 };
    await run({ name: "slow", end_time: clock.now() + 5_000, ...tagged }, [model, model]);
    await run({ name: "second elsewhere" }, [], other);
    const find = async (search: Partial<TraceSearch>, workspace = HERE) => {
      const { rows, next } = await traces.search(workspace, { limit: 10, ...search });
      expect(next).toBeNull();
      return rows.map(({ name }) => name);
    };
    expect(await find({})).toEqual(["second elsewhere", "slow", "third", "Second", "first"]);
    expect(await find({ sessionId: other.id })).toEqual(["second elsewhere"]);
    expect(await find({ status: "error" })).toEqual(["Second"]);
    expect(await find({ name: "SECOND" })).toEqual(["second elsewhere", "Second"]);
    // A failed tool does not make a run fail; it is looked for all the same.
    expect(await find({ error: "STRASSE" })).toEqual([]);
    expect(await find({ error: "straße 7" })).toEqual(["third", "Second"]);
    expect(await find({ minLatencyMs: 1_000 })).toEqual(["slow"]);
    expect(await find({ maxLatencyMs: 999, threadId: "t1" })).toEqual(["first"]);
    expect(await find({ tag: "nightly", minTokens: 180 })).toEqual(["slow"]);
    expect(await find({ tag: 'a "b"' })).toEqual(["slow"]);
    expect([await find({ tag: "night" }), await find({ tag: "b" }), await find({ minTokens: 181 })]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await find({ threadId: "t1" })).toEqual(["slow", "first"]);
    expect(await find({ from: t0 + 2, to: t0 + 3 })).toEqual(["third", "Second"]);
    expect(await find({ offset: 3 })).toEqual(["Second", "first"]);
    expect(await find({ name: "second", offset: 1 })).toEqual(["Second"]);
    expect(await find({}, ELSEWHERE)).toEqual([]);
  });

  test("goes on behind a page, also among those that began at the same moment", async () => {
    const { traces, run, clock } = await startTraceStore(open);
    const start_time = clock.now();
    for (let i = 0; i < 7; i++) await run({ name: `n${i % 2}`, start_time });
    for (const search of [{}, { name: "n" }]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { rows, next } = await traces.search(HERE, { ...search, limit: 3, cursor });
        seen.push(...rows.map(({ id }) => id));
        cursor = next ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toHaveLength(7);
      expect(new Set(seen).size).toBe(7);
    }
    expect(await outcome(traces.search(HERE, { limit: 3, cursor: "nonsense" }))).toThrow(BadRequest);
  });

  test("without an index it looks at ten thousand a page, and says where to go on", async () => {
    const { traces, session, clock, db } = await startTraceStore(open);
    const id = (i: number) => `0197f0a0-0000-7000-8000-${String(i).padStart(12, "0")}`;
    await traces.write([
      { id: id(0), trace_id: id(0), session_id: session.id, name: "needle", start_time: 1 },
    ]);
    const [row] = await db.read.selectFrom("traces").selectAll().execute();
    if (!row) throw new Error("no trace");
    const hay = { ...row, name: "hay", name_folded: "hay" };
    for (let i = 1; i <= 10_000; i += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, k) => ({
        ...hay,
        id: id(i + k),
        start_time: clock.now() + i + k,
      }));
      await db.write((tx) => tx.insertInto("traces").values(rows).execute());
    }
    const first = await traces.search(HERE, { name: "needle", limit: 5 });
    expect(first.rows).toEqual([]);
    const second = await traces.search(HERE, { name: "needle", limit: 5, cursor: first.next ?? "" });
    expect(second.rows.map(({ name }) => name)).toEqual(["needle"]);
    expect(second.next).toBeNull();
  });
});

everyStore("what the engine reads", (open) => {
  test("a trace is to be looked at once it has ended, and again when it has changed", async () => {
    const { traces, sessions, session, run, clock, db } = await startTraceStore(open);
    const open_ = Bun.randomUUIDv7();
    const base = { trace_id: open_, session_id: session.id };
    await traces.write([{ ...base, id: open_, name: "begun", start_time: clock.now() }]);
    expect(await traces.unscanned(session.id, 10)).toEqual([]);
    expect(await sessions.withUnscanned(10)).toEqual([]);
    const id = await run({}, [{}]);
    const [found] = await traces.unscanned(session.id, 10);
    expect(found?.trace.id).toBe(id);
    expect(found?.spans).toHaveLength(2);
    expect((await sessions.withUnscanned(10)).map((one) => one.id)).toEqual([session.id]);
    // It changes between the look and the note.
    await traces.feedback(HERE, [{ trace_id: id, key: "score", score: 0 }]);
    const seen = found ? [found.trace] : [];
    await db.write((tx) => traces.markScanned(tx, seen));
    const [again] = await traces.unscanned(session.id, 10);
    expect(again?.feedback).toMatchObject([{ key: "score", score: 0 }]);
    await db.write((tx) => traces.markScanned(tx, again ? [again.trace] : []));
    expect(await traces.unscanned(session.id, 10)).toEqual([]);
    await traces.write([{ id: Bun.randomUUIDv7(), trace_id: id, session_id: session.id, name: "late" }]);
    expect(await traces.unscanned(session.id, 10)).toHaveLength(1);
    await traces.write([{ ...base, id: open_, end_time: clock.now() }]);
    expect(await traces.unscanned(session.id, 10)).toHaveLength(2);
    expect(await traces.unscanned(session.id, 1)).toHaveLength(1);
  });

  test("finds and sorts by what runs cost, page by page; what nobody knows the cost of is none", async () => {
    const { traces, run } = await startTraceStore(open);
    const cost = async (name: string, model: string, tokens: number) =>
      run({ name }, [
        { run_type: "llm", input_tokens: tokens, output_tokens: 0, metadata: { ls_model_name: model } },
      ]);
    await cost("dear", "gpt-4", 3_000_000);
    await cost("cheap", "gpt-4", 1_000_000);
    await cost("unknown", "house-model", 9_000_000);
    await cost("middling", "gpt-4", 2_000_000);
    await run({ name: "free" });
    const costOf = (trace: Parameters<PriceBook["costOfTrace"]>[0]) => new PriceBook([]).costOfTrace(trace);
    const named = async (more: Partial<TraceSearch>, limit = 10) =>
      (await traces.search(HERE, { limit, costOf, ...more })).rows.map(({ name }) => name);
    expect(await named({ sort: "cost" })).toEqual(["dear", "middling", "cheap", "free"]);
    expect(await named({ minCost: 60 })).toEqual(["middling", "dear"]);
    expect(await named({ minCost: 60, sort: "total_tokens" })).toEqual(["dear", "middling"]);
    expect(await named({ minCost: 60, name: "mid" })).toEqual(["middling"]);
    expect(await named({ minCost: 91 })).toEqual([]);
    const first = await traces.search(HERE, { limit: 2, costOf, sort: "cost" });
    const cursor = first.next ?? "";
    expect(await named({ sort: "cost", cursor }, 2)).toEqual(["cheap", "free"]);
    const elsewhere = await traces.search(ELSEWHERE, { limit: 2, costOf, sort: "cost" });
    expect(elsewhere).toEqual({ rows: [], next: null });
  });

  test("what runs usually take, is told by those that went well and began before", async () => {
    const { traces, session, run, clock } = await startTraceStore(open);
    for (let i = 1; i <= 100; i++) {
      const child = { run_type: "llm" as const, total_tokens: i * 10 };
      await run({ end_time: clock.now() + 1 + i }, [child]);
    }
    const until = clock.now() + 1;
    await run({ end_time: clock.now() + 1_000_000 });
    await run({ status: "error", end_time: clock.now() + 1_000_000 });
    expect(await traces.baseline(session.id, until)).toEqual({
      count: 100,
      latency: { p50: 50, p95: 95, p99: 99 },
      tokens: { p50: 500, p95: 950, p99: 990 },
    });
    expect(await traces.baseline(session.id)).toMatchObject({ count: 101 });
    expect((await traces.baseline(ELSEWHERE)).count).toBe(0);
  });
});
