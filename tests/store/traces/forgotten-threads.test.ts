import { expect, test } from "bun:test";
import { NotFound, noteForgotten, type SpanWrite, type WholeTrace } from "@berth/store";
import { isOnServer } from "../../../store/database/index.ts";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore, type TraceStore } from "./trace-store.ts";

const SAID = "what-somebody-said";
const thread_id = "the-thread";

/** A span that says something wherever it can. */
const talking = {
  ...{ thread_id, run_type: "llm", node: "n", input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  ...{ inputs: JSON.stringify(SAID), outputs: JSON.stringify(SAID), metadata: { said: SAID }, tags: [SAID] },
  ...{ status: "error", error: { type: "BoomError", message: SAID } },
} as const satisfies Partial<SpanWrite>;

/** Deletes the thread, as its owner would. */
async function forget({ db, clock, traces }: TraceStore, workspaceId = HERE): Promise<void> {
  await db.write((tx) => noteForgotten(tx, { thread_id, at: clock.now() }, { workspaceId }));
  await traces.strip();
}

/** All that is stored of traces, as text. */
async function stored({ db }: TraceStore): Promise<string> {
  const tables = ["traces", "spans", "span_packs", "trace_feedback"] as const;
  const rows = await Promise.all(tables.map((table) => db.read.selectFrom(table).selectAll().execute()));
  return JSON.stringify(rows);
}

const shape = ({ spans }: WholeTrace) =>
  spans.map((span) => [span.id, span.name, span.status, span.start_time, span.end_time, span.total_tokens]);

everyStore("traces of a thread that was deleted", (open) => {
  test("say what ran and not what was said, packed or not", async () => {
    const store = await startTraceStore(open);
    const { traces, run, session, clock } = store;
    const rows = await run(talking, [talking, talking]);
    const packed = Bun.randomUUIDv7("hex", clock.now());
    const place = {
      trace_id: packed,
      session_id: session.id,
      start_time: clock.now(),
      end_time: clock.now(),
    };
    const child = {
      ...talking,
      ...place,
      id: Bun.randomUUIDv7("hex", clock.now()),
      parent_id: packed,
      name: "child",
    };
    await traces.writeWhole([[child, { ...talking, ...place, id: packed, name: "root" }]]);
    expect(await store.db.read.selectFrom("span_packs").select("trace_id").execute()).toHaveLength(1);
    await traces.feedback(HERE, [{ trace_id: rows, key: "liked", score: 1, comment: SAID }]);
    const before = await Promise.all([rows, packed].map((id) => traces.get(HERE, id)));
    await forget(store);
    expect(await stored(store)).not.toContain(SAID);
    const after = await Promise.all([rows, packed].map((id) => traces.get(HERE, id)));
    expect(after.map(shape)).toEqual(before.map(shape));
    for (const { trace, spans } of after) {
      expect(trace).toMatchObject({ thread_id, metadata: { content_deleted: true } });
      expect(spans.every(({ error }) => error?.type === "BoomError" && error.message === "")).toBeTrue();
    }
    expect(after[0]?.feedback).toMatchObject([{ key: "liked", score: 1, comment: null }]);
    // The engine is not to take them for another failure.
    expect(await traces.unscanned(session.id, 10)).toEqual([]);
  });

  test("go where their packs are damaged too, and keep no others back", async () => {
    const store = await startTraceStore(open);
    const { traces, session, clock, db } = store;
    const times = { start_time: clock.now(), end_time: clock.now() };
    const ids = Array.from({ length: 4 }, () => Bun.randomUUIDv7("hex", clock.now())).sort();
    const [cut = "", squeezed = "", other = "", sound = ""] = ids;
    for (const id of ids)
      await traces.writeWhole([
        [{ ...talking, ...times, id, trace_id: id, session_id: session.id, name: "n" }],
      ]);
    const damage = (id: string, spans: string | Uint8Array) =>
      db.write((tx) => tx.updateTable("span_packs").set({ spans }).where("trace_id", "=", id).execute());
    await damage(cut, `[["${SAID}`);
    await damage(squeezed, isOnServer(db.read) ? SAID : new Uint8Array([40, 181, 47, 253, 1, 2, 3]));
    await damage(other, `{"said":"${SAID}"}`);
    await forget(store);
    expect(await stored(store)).not.toContain(SAID);
    const packs = await db.read.selectFrom("span_packs").select("trace_id").execute();
    expect(packs).toEqual([{ trace_id: sound }]);
    expect((await traces.get(HERE, sound)).spans).toMatchObject([{ name: "n", inputs: null }]);
    for (const id of [cut, squeezed, other]) {
      const { trace, spans } = await traces.get(HERE, id);
      expect([trace.metadata, spans]).toEqual([{ content_deleted: true }, []]);
    }
    expect(await db.read.selectFrom("forgotten_threads").select("pending").execute()).toEqual([
      { pending: 0 },
    ]);
  });

  test("take nothing that comes late, while another thread of the id is another one", async () => {
    const store = await startTraceStore(open);
    const { traces, session, clock } = store;
    const trace = Bun.randomUUIDv7();
    const news = { ...talking, id: trace, trace_id: trace, session_id: session.id, name: "agent" };
    const start_time = clock.now();
    await traces.write([{ ...news, start_time, status: "pending" }]);
    await forget(store);
    await traces.write([{ ...news, end_time: clock.now() }]);
    const late = Bun.randomUUIDv7("hex", clock.now());
    const whole = { ...news, id: late, trace_id: late, start_time, end_time: start_time + 1 };
    await traces.writeWhole([[whole]]);
    expect(await stored(store)).not.toContain(SAID);
    clock.advance(1);
    const anew = Bun.randomUUIDv7();
    await traces.write([
      { ...news, id: anew, trace_id: anew, start_time: clock.now(), end_time: clock.now() },
    ]);
    expect((await traces.get(HERE, anew)).spans[0]?.inputs).toContain(SAID);
  });

  test("are those of its workspace and tracing project only", async () => {
    const store = await startTraceStore(open);
    const { traces, run, sessions, clock } = store;
    const other = await sessions.ensure(HERE, "other");
    const far = await sessions.ensure(ELSEWHERE, "far");
    const [mine, beside, elsewhere] = [
      ...[await run(talking), await run(talking, [], other), await run(talking, [], far)],
    ];
    const text = async (workspace: string, id: string | undefined) =>
      JSON.stringify(await traces.get(workspace, id ?? ""));
    await traces.forgetThreads([{ thread_id, at: clock.now() + 1_000_000 }], {
      ...{ workspaceId: HERE, sessionId: other.id },
    });
    expect(await text(HERE, beside)).not.toContain(SAID);
    expect(await text(HERE, mine)).toContain(SAID);
    await forget(store);
    expect(await text(HERE, mine)).not.toContain(SAID);
    expect(await text(ELSEWHERE, elsewhere)).toContain(SAID);
    // What was told to be of the future is of now.
    clock.advance(1_000);
    expect(await text(HERE, await run(talking, [], other))).toContain(SAID);
  });

  test("are remembered no longer than traces are", async () => {
    const store = await startTraceStore(open);
    await forget(store);
    store.clock.advance(10);
    await store.traces.sweep(5);
    expect(await store.db.read.selectFrom("forgotten_threads").selectAll().execute()).toEqual([]);
  });
});

everyStore("a trace", (open) => {
  test("is deleted with everything in it, by its own workspace", async () => {
    const store = await startTraceStore(open);
    const { traces, run, db } = store;
    const [id, kept] = [await run(talking, [talking]), await run({}, [{}])];
    await traces.feedback(HERE, [{ trace_id: id, key: "liked", score: 1 }]);
    expect(await outcome(traces.delete(ELSEWHERE, id))).toThrow(NotFound);
    await traces.delete(HERE, id);
    expect(await outcome(traces.delete(HERE, id))).toThrow(NotFound);
    expect(await stored(store)).not.toContain(id);
    expect((await traces.get(HERE, kept)).spans).toHaveLength(2);
    expect(await db.read.selectFrom("trace_feedback").selectAll().execute()).toEqual([]);
  });
});
