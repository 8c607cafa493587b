import { expect, test } from "bun:test";
import { NotFound, type SpanWrite } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore, type TraceStore } from "./trace-store.ts";

/** A short run: its graph, a node, and a model call in it that failed. */
function shortRun({ clock, session }: TraceStore, changed: Partial<SpanWrite> = {}): SpanWrite[] {
  clock.advance(1);
  const start = clock.now();
  const id = () => Bun.randomUUIDv7("hex", start);
  const [trace, node, model] = [id(), id(), id()];
  const base = { trace_id: trace, session_id: session.id, thread_id: "t", start_time: start, ...changed };
  const end_time = start + 40;
  return [
    {
      ...{ ...base, id: model, parent_id: node, name: "offline", run_type: "llm", status: "error", end_time },
      ...{ error: { type: "Overloaded", message: 'say "please"' }, first_token_time: start + 5 },
      ...{ inputs: '{"messages":["hi"]}', input_tokens: 3, output_tokens: 4, total_tokens: 7, node: "talk" },
    },
    { ...base, id: node, parent_id: trace, name: "talk", node: "talk", status: "success", end_time },
    {
      ...{ ...base, id: trace, name: "agent", status: "success", end_time, tags: ["a", 'b"'] },
      ...{ inputs: '{"n":1}', outputs: '{"n":2}', metadata: { attempt: 1, who: "ada" } },
    },
  ] as SpanWrite[];
}

const idsOf = (spans: SpanWrite[]) => spans.map(({ id }) => id) as [string, string, string];
const rowsOf = ({ db }: TraceStore) => db.read.selectFrom("spans").select("id").execute();
const packsOf = ({ db }: TraceStore) => db.read.selectFrom("span_packs").select("trace_id").execute();

everyStore("the spans of a short run, kept as one row,", (open) => {
  test("read as if each had a row of its own", async () => {
    const store = await startTraceStore(open);
    const { traces } = store;
    const spans = shortRun(store);
    const [model, node, trace] = idsOf(spans);
    expect(await traces.writeWhole([spans])).toEqual({ written: 3, dropped: 0, unknownSessions: [] });
    expect(await rowsOf(store)).toEqual([]);
    const packed = await traces.get(HERE, trace);
    expect(packed.trace).toMatchObject({ name: "agent", span_count: 3, total_tokens: 7, thread_id: "t" });
    // The same news again change nothing, but each span has a row from then on.
    await traces.write(spans.slice(0, 1));
    expect((await rowsOf(store)).map(({ id }) => id).sort()).toEqual([model, node, trace].sort());
    expect(await packsOf(store)).toEqual([]);
    expect(await traces.get(HERE, trace)).toEqual(packed);
    const orders = packed.spans.map(({ id, dotted_order }) => [id, dotted_order]);
    const order = (id: string) => String(new Map(orders as [string, string][]).get(id));
    expect(order(trace)).toBe(`20260101T000000001000Z${trace}`);
    expect(order(model)).toBe(`${order(node)}.20260101T000000001000Z${model}`);
    expect(await traces.unscanned(store.session.id, 5)).toMatchObject([{ trace: { id: trace } }]);
  });

  test("take what comes later", async () => {
    const store = await startTraceStore(open);
    const { traces, session } = store;
    const spans = shortRun(store);
    const [model, , trace] = idsOf(spans);
    const late = { id: Bun.randomUUIDv7(), trace_id: trace, session_id: session.id, name: "late" };
    await traces.writeWhole([spans, [{ ...late, parent_id: trace }]]);
    await traces.write([{ id: model, trace_id: trace, session_id: session.id, outputs: '{"said":1}' }]);
    const { trace: told, spans: all } = await traces.get(HERE, trace);
    expect(told.span_count).toBe(4);
    expect(all.find(({ id }) => id === model)).toMatchObject({ outputs: '{"said":1}', revision: 2 });
  });

  test("are found by their ids, in their workspace, and take feedback", async () => {
    const store = await startTraceStore(open);
    const { traces, session, clock } = store;
    const runs = Array.from({ length: 3 }, () => shortRun(store));
    await traces.writeWhole(runs);
    clock.advance(60_000);
    const [model, , trace] = idsOf(runs[1] ?? []);
    for (const id of [model, trace]) {
      expect(await traces.place(HERE, id)).toEqual({ trace_id: trace, session_id: session.id });
      expect(await traces.place(ELSEWHERE, id)).toBeUndefined();
    }
    expect(await traces.place(HERE, Bun.randomUUIDv7("hex", clock.now()))).toBeUndefined();
    const near = model.slice(0, 15);
    for (const odd of ['%","%', `${near}%' or 1=1 --`.padEnd(36, "x"), `${near}${"%".repeat(21)}`])
      expect(await traces.place(HERE, odd)).toBeUndefined();
    await traces.feedback(HERE, [{ span_id: model, key: "helpful", score: 0 }]);
    expect((await traces.get(HERE, trace)).feedback).toMatchObject([{ span_id: model, score: 0 }]);
  });

  test("go when their trace goes", async () => {
    const store = await startTraceStore(open);
    const { traces, clock } = store;
    const old = shortRun(store);
    await traces.writeWhole([old]);
    clock.advance(86_400_000);
    await traces.writeWhole([shortRun(store)]);
    expect(await traces.sweep(3_600_000)).toBe(1);
    expect(await packsOf(store)).toHaveLength(1);
    expect(await outcome(traces.get(HERE, idsOf(old)[2]))).toThrow(NotFound);
  });

  test("are rows where a pack would lose something", async () => {
    const store = await startTraceStore(open);
    const { traces, sessions } = store;
    const ships = await sessions.ensure(HERE, "deployed", { ships: true });
    const foreign = shortRun(store).map((span) => ({ ...span, id: span.id.replace(/-7/, "-4") }));
    const long = shortRun(store).map((span) => ({ ...span, end_time: (span.start_time ?? 0) + 60_000 }));
    const [model = { id: "" }, ...rest] = shortRun(store);
    const orphan = [{ ...model, parent_id: Bun.randomUUIDv7() }, ...rest] as SpanWrite[];
    const shipped = shortRun(store, { session_id: ships.id });
    const gone = shortRun(store, { session_id: Bun.randomUUIDv7() });
    const { written, dropped } = await traces.writeWhole([foreign, long, orphan, shipped, gone]);
    expect({ written, dropped }).toEqual({ written: 12, dropped: 3 });
    expect(await rowsOf(store)).toHaveLength(12);
    expect(await packsOf(store)).toEqual([]);
    const { spans } = await traces.get(HERE, idsOf(long)[2]);
    for (const span of spans) expect(span.dotted_order).toEndWith(span.id);
  });
});
