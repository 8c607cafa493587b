import { expect, test } from "bun:test";
import { admitRun, Feedback, NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore } from "./trace-store.ts";

const DAY = 86_400_000;

everyStore("old traces", (open) => {
  test("are removed with everything in them, and only they", async () => {
    const { traces, session, run, clock, db } = await startTraceStore(open);
    const old = Array.from({ length: 105 }, () => Bun.randomUUIDv7());
    const spans = old.flatMap((id) => [id, Bun.randomUUIDv7()].map((span) => ({ id: span, trace_id: id })));
    await traces.write(spans.map((span) => ({ ...span, session_id: session.id, start_time: clock.now() })));
    await traces.feedback(HERE, [{ trace_id: old[0] ?? "", key: "score", score: 1 }]);
    clock.advance(14 * DAY);
    const young = await run({}, [{}]);
    expect(await traces.sweep(14 * DAY)).toBe(105);
    expect(await traces.sweep(14 * DAY)).toBe(0);
    expect(await outcome(traces.get(HERE, old[0] ?? ""))).toThrow(NotFound);
    expect((await traces.get(HERE, young)).spans).toHaveLength(2);
    expect(await db.read.selectFrom("spans").selectAll().execute()).toHaveLength(2);
    expect(await db.read.selectFrom("trace_feedback").selectAll().execute()).toEqual([]);
  });
});

everyStore("feedback on traces", (open) => {
  test("is of a trace or of a span in it, and takes the place of what had its id", async () => {
    const { traces, run, clock } = await startTraceStore(open);
    const child = Bun.randomUUIDv7();
    const id = await run({}, [{ id: child }]);
    const entry = { id: Bun.randomUUIDv7(), span_id: child, key: "helpful", score: 1 };
    expect(
      await traces.feedback(HERE, [entry, { trace_id: id, key: "tone", value: { a: 1 }, comment: "ok" }]),
    ).toEqual({
      written: 2,
      dropped: 0,
      early: [],
    });
    clock.advance(5);
    await traces.feedback(HERE, [{ ...entry, score: 0 }]);
    const { feedback } = await traces.get(HERE, id);
    expect(feedback).toMatchObject([
      { key: "helpful", span_id: child, score: 0 },
      { key: "tone", span_id: null, value: { a: 1 }, comment: "ok", score: null },
    ]);
    const [first] = feedback;
    expect((first?.modified_at ?? 0) - (first?.created_at ?? 0)).toBe(5);
  });

  test("is left out where there is no such trace, or another workspace's", async () => {
    const { traces, run } = await startTraceStore(open);
    const id = await run();
    expect(
      await traces.feedback(ELSEWHERE, [
        { trace_id: id, key: "a" },
        { span_id: id, key: "a" },
      ]),
    ).toMatchObject({
      dropped: 2,
    });
    expect(
      await traces.feedback(HERE, [{ span_id: Bun.randomUUIDv7(), key: "a" }, { key: "a" }]),
    ).toMatchObject({
      dropped: 2,
    });
    const theirs = { id: Bun.randomUUIDv7(), trace_id: id, key: "a" };
    await traces.feedback(HERE, [theirs]);
    const other = await run();
    expect(await traces.feedback(HERE, [{ ...theirs, trace_id: other }])).toMatchObject({
      dropped: 1,
      early: [],
    });
    const early = { id: Bun.randomUUIDv7(), trace_id: Bun.randomUUIDv7(), key: "a" };
    expect(await traces.feedback(HERE, [early, theirs])).toEqual({ written: 1, dropped: 1, early: [early] });
  });

  test("given in the chat, it is on the trace of the run as well, until it is taken back", async () => {
    const { traces, session, run, clock, db } = await startTraceStore(open);
    const thread = Bun.randomUUIDv7();
    const run_id = await run();
    const now = clock.now();
    const admitted = {
      ...{
        run_id,
        thread_id: thread,
        assistant_id: "a",
        graph_id: "agent",
        created_at: now,
        not_before: now,
      },
      ...{ configurable: {}, metadata: { assistant: {}, run: {} }, kwargs: {}, on_completion: null },
      ...{ multitask_strategy: "enqueue" as const, if_not_exists: "create" as const },
    };
    await db.write((tx) => admitRun(tx, admitted, now, undefined, 0));
    const seen = (await traces.unscanned(session.id, 5)).map(({ trace }) => trace);
    await db.write((tx) => traces.markScanned(tx, seen));
    const feedback = new Feedback(db, clock);
    const target = { run_id, key: "user_score" };
    await feedback.put(thread, { ...target, score: 1 });
    await feedback.put(thread, { ...target, score: 0, value: "wrong" });
    expect((await traces.get(HERE, run_id)).feedback).toMatchObject([{ score: 0, value: "wrong" }]);
    expect(await traces.unscanned(session.id, 5)).toHaveLength(1);
    await feedback.remove(thread, target);
    expect((await traces.get(HERE, run_id)).feedback).toEqual([]);
  });
});

everyStore("what has to be sent on", (open) => {
  test("waits until it arrived as it is now", async () => {
    const { traces, sessions, session, run, clock } = await startTraceStore(open);
    await run();
    expect(await traces.unshipped(10)).toBeUndefined();
    const ours = await sessions.ensure(HERE, "deployed", { ships: true });
    const id = await run({}, [{}], ours);
    await traces.feedback(HERE, [{ trace_id: id, key: "score", score: 1 }]);
    const shipment = await traces.unshipped(1);
    expect(shipment?.session.id).toBe(ours.id);
    expect(shipment?.spans).toHaveLength(1);
    const all = await traces.unshipped(10);
    if (!all) throw new Error("nothing to send");
    expect(all.spans).toHaveLength(2);
    expect(all.feedback).toEqual([]);
    // News come while it is on its way.
    await traces.write([
      { id, trace_id: id, session_id: ours.id, status: "error", end_time: clock.now() + 7 },
    ]);
    await traces.markShipped(all);
    const rest = await traces.unshipped(10);
    expect(rest?.spans.map((span) => [span.id, span.status])).toEqual([[id, "error"]]);
    await traces.markShipped(rest ?? { spans: [], feedback: [] });
    const feedback = await traces.unshipped(10);
    expect(feedback).toMatchObject({ spans: [], feedback: [{ key: "score", trace_id: id }] });
    await traces.markShipped(feedback ?? { spans: [], feedback: [] });
    expect(await traces.unshipped(10)).toBeUndefined();
    expect(session.ships).toBe(false);
  });
});
