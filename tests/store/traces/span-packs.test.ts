import { expect, test } from "bun:test";
import { NotFound, type SpanWrite } from "@berth/store";
import { isOnServer } from "../../../store/database/index.ts";
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
    const { traces } = store;
    const foreign = shortRun(store).map((span) => ({ ...span, id: span.id.replace(/-7/, "-4") }));
    const long = shortRun(store).map((span) => ({ ...span, end_time: (span.start_time ?? 0) + 60_000 }));
    const [model = { id: "" }, ...rest] = shortRun(store);
    const orphan = [{ ...model, parent_id: Bun.randomUUIDv7() }, ...rest] as SpanWrite[];
    const gone = shortRun(store, { session_id: Bun.randomUUIDv7() });
    const { written, dropped } = await traces.writeWhole([foreign, long, orphan, gone]);
    expect({ written, dropped }).toEqual({ written: 9, dropped: 3 });
    expect(await rowsOf(store)).toHaveLength(9);
    expect(await packsOf(store)).toEqual([]);
    const { spans } = await traces.get(HERE, idsOf(long)[2]);
    for (const span of spans) expect(span.dotted_order).toEndWith(span.id);
  });

  test("are not found by ids that another run speaks of", async () => {
    const store = await startTraceStore(open);
    const [before, run] = [shortRun(store), shortRun(store)];
    const [model, , trace] = idsOf(run);
    await store.traces.writeWhole([before.map((span) => ({ ...span, outputs: `["${model}",1]` })), run]);
    await store.traces.feedback(HERE, [{ span_id: model, key: "helpful", score: 1 }]);
    expect((await store.traces.get(HERE, trace)).feedback).toMatchObject([{ span_id: model }]);
  });

  test("keep bodies as they are, those of several spans once", async () => {
    const store = await startTraceStore(open);
    const { traces, db } = store;
    const said = '{"said":"a \\"quote\\", ü, 語, \\n and \\u2028"}';
    const spans = shortRun(store, { inputs: said, outputs: `${said} ` });
    await traces.writeWhole([spans]);
    const { spans: read } = await traces.get(HERE, idsOf(spans)[2]);
    expect(read.map(({ outputs }) => outputs)).toEqual([`{"n":2}`, `${said} `, `${said} `]);
    expect(read[1]?.inputs).toBe(said);
    const { spans: pack } = await db.read.selectFrom("span_packs").select("spans").executeTakeFirstOrThrow();
    const text = typeof pack === "string" ? pack : Bun.zstdDecompressSync(pack).toString();
    expect(text.split(said)).toHaveLength(3);
  });

  test("are read as an earlier Berth wrote them", async () => {
    const store = await startTraceStore(open);
    const { traces, db } = store;
    const spans = shortRun(store);
    const [model, node, trace] = idsOf(spans);
    await traces.writeWhole([spans]);
    const written = await traces.get(HERE, trace);
    const earlier = [
      [
        model,
        1,
        "offline",
        "llm",
        "error",
        0,
        40,
        "talk",
        null,
        '{"messages":["hi"]}',
        null,
        3,
        4,
        7,
        5,
      ].concat(...["Overloaded", 'say "please"']),
      [node, 2, "talk", "chain", "success", 0, 40, "talk"],
      [
        ...[
          trace,
          null,
          "agent",
          "chain",
          "success",
          0,
          40,
          null,
          '{"attempt":1,"who":"ada"}',
          '{"n":1}',
          '{"n":2}',
        ],
        ...[null, null, null, null, null, null, '["a","b\\""]'],
      ],
    ];
    for (const text of [
      JSON.stringify(earlier),
      Bun.zstdCompressSync(JSON.stringify(earlier), { level: 1 }),
    ]) {
      if (typeof text !== "string" && isOnServer(db.read)) continue;
      await db.write((tx) => tx.updateTable("span_packs").set({ spans: text }).execute());
      expect(await traces.get(HERE, trace)).toEqual(written);
    }
  });
});

everyStore("the spans of a short run that have to be sent on", (open) => {
  const shipping = async () => {
    const store = await startTraceStore(open);
    const ships = await store.sessions.ensure(HERE, "deployed", { ships: true });
    const runs = Array.from({ length: 3 }, () => shortRun(store, { session_id: ships.id }));
    await store.traces.writeWhole(runs);
    return { ...store, store, runs, ships };
  };
  const waiting = async ({ traces }: TraceStore, limit = 50) => {
    const shipment = await traces.unshipped(limit);
    if (!shipment) throw new Error("nothing to send");
    return shipment;
  };

  test("are one row, and are sent together, the oldest first", async () => {
    const { store, traces, runs } = await shipping();
    expect(await rowsOf(store)).toEqual([]);
    expect(await packsOf(store)).toHaveLength(3);
    const some = await waiting(store, 4);
    expect(some.spans.map(({ id }) => id)).toEqual(runs.slice(0, 2).flatMap(idsOf));
    const [first] = runs;
    if (!first) throw new Error("no run");
    const known = (await traces.get(HERE, idsOf(first)[2])).spans;
    expect(some.spans.slice(0, 3).sort((a, b) => (a.dotted_order < b.dotted_order ? -1 : 1))).toEqual(known);
    await traces.markShipped(some);
    const rest = await waiting(store);
    expect(rest.spans.map(({ id }) => id)).toEqual(runs.slice(2).flatMap(idsOf));
    await traces.markShipped(rest);
    expect(await traces.unshipped(50)).toBeUndefined();
    expect(await packsOf(store)).toHaveLength(3);
  });

  test("are sent again where not all of them went, or there is news of one", async () => {
    const { store, traces, runs, ships } = await shipping();
    const all = await waiting(store);
    const [model = "", , trace = ""] = idsOf(runs[1] ?? []);
    await traces.write([{ id: model, trace_id: trace, session_id: ships.id, outputs: '"late"' }]);
    await traces.markShipped({ ...all, spans: all.spans.slice(0, 8) });
    const again = await waiting(store);
    expect(new Set(again.spans.map(({ id }) => id))).toEqual(new Set(runs.slice(1).flatMap(idsOf)));
    expect(again.spans.find(({ id }) => id === model)?.outputs).toBe('"late"');
    await traces.markShipped(again);
    expect(await traces.unshipped(50)).toBeUndefined();
  });

  test("are sent one by one where somebody refused them together", async () => {
    const { store, traces, runs } = await shipping();
    const all = await waiting(store);
    await traces.shipOneByOne(all);
    expect(await packsOf(store)).toEqual([]);
    const one = await waiting(store, 1);
    expect(one.spans).toHaveLength(1);
    await traces.markShipped(one);
    expect((await waiting(store)).spans).toHaveLength(8);
    expect((await traces.get(HERE, idsOf(runs[0] ?? [])[2])).spans).toHaveLength(3);
  });

  test("keep nothing back where they are damaged, and say nothing more where their thread was deleted", async () => {
    const { store, traces, runs, db, clock, ships } = await shipping();
    const [damaged, ...others] = runs.map((run) => idsOf(run)[2]);
    await traces.forgetThreads([{ thread_id: "t", at: clock.now() }], {
      workspaceId: HERE,
      sessionId: ships.id,
    });
    await db.write((tx) =>
      tx
        .updateTable("span_packs")
        .set({ spans: "[" })
        .where("trace_id", "=", damaged ?? "")
        .execute(),
    );
    const sent = await waiting(store);
    expect(new Set(sent.spans.map(({ trace_id }) => trace_id))).toEqual(new Set(others));
    expect(sent.spans.flatMap(({ inputs, outputs }) => [inputs, outputs]).filter(Boolean)).toEqual([]);
    await traces.markShipped(sent);
    expect(await traces.unshipped(50)).toBeUndefined();
  });
});
