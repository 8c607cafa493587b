import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase, Sessions, type TraceSearch, Traces } from "@berth/store";
import { temporaryFolder } from "../every-store.ts";
import { plans } from "../query-plan.ts";
import { HERE, type TraceStore, traceStore } from "./trace-store.ts";

/** Of a word, in a range: without one, the index of what has no words is all of it. */
const WORDS = { limit: 20, query: "x", from: 1, to: 2 };

describe("by index is looked up, however many traces there are,", () => {
  const folder = temporaryFolder();
  let db: Database;
  let session: string;
  let trace: string;
  let cursor: string;

  beforeAll(async () => {
    db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
    const store = await traceStore(db);
    session = store.session.id;
    const ships = await store.sessions.ensure(HERE, "deployed", { ships: true });
    trace = await store.run({}, [{}], ships);
    await store.run();
    cursor = (await store.traces.search(HERE, { limit: 1 })).next ?? "";
  });

  afterAll(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const search = (wanted: () => Partial<TraceSearch>) => (store: TraceStore) =>
    store.traces.search(HERE, { limit: 20, ...wanted() });

  const reads: [string, string, (store: TraceStore) => Promise<unknown>][] = [
    ["a page of the traces", "traces_workspace", search(() => ({}))],
    ["a page behind another", "traces_workspace", search(() => ({ cursor }))],
    ["a page of a project", "traces_session", search(() => ({ sessionId: session, from: 1, to: 2 }))],
    ["those of a status", "traces_workspace_status", search(() => ({ status: "error" }))],
    [
      "those of a status and a project",
      "traces_session_status",
      search(() => ({ sessionId: session, status: "error" })),
    ],
    ["those of a thread", "traces_thread", search(() => ({ threadId: "t" }))],
    [
      "the latest, for an error",
      "traces_session",
      search(() => ({ sessionId: session, error: "x", cursor })),
    ],
    ["a trace", "spans", ({ traces }) => traces.get(HERE, trace)],
    ["a span", "spans_id", ({ traces }) => traces.place(HERE, trace)],
    ["what the engine has not seen", "traces_unscanned", ({ traces }) => traces.unscanned(session, 5)],
    ["what is usual", "traces_session", ({ traces }) => traces.baseline(session, 5)],
    ["what to send on", "spans_unshipped", ({ traces }) => traces.unshipped(5)],
    ["what to send on of short runs", "traces_unscanned", ({ traces }) => traces.unshipped(5)],
    ["whether there is anything to send on", "sessions_shipping", ({ traces }) => traces.unshipped(5)],
    ["what is old", "traces_session", ({ traces }) => traces.sweep(1e12)],
    [
      "a page of projects",
      "sessions_created",
      ({ sessions }) => sessions.list(HERE, { nameContains: "a" }, { limit: 5, offset: 0 }),
    ],
    ["projects with news", "traces_unscanned", ({ sessions }) => sessions.withUnscanned(5)],
  ];

  test("words", async () => {
    const found = await plans(db, async (recorded) => {
      await new Traces(recorded, (await traceStore(db)).clock).search(HERE, WORDS);
    });
    const lines = found.flat();
    expect(lines).toContain("SEARCH traces USING INDEX traces_unindexed (start_time>? AND start_time<?)");
    expect(lines).toContain("SEARCH docs USING INDEX sqlite_autoindex_berth_trace_docs_1 (doc=?)");
    expect(lines.filter((line) => line.startsWith("SCAN"))).toEqual([
      "SCAN berth_trace_words VIRTUAL TABLE INDEX 192:M1><",
      "SCAN found",
    ]);
  });

  test.each(reads)("%s", async (_, index, read) => {
    const found = await plans(db, async (recorded) => {
      const store = await traceStore(db);
      const traces = new Traces(recorded, store.clock);
      await read({ ...store, traces, sessions: new Sessions(recorded, store.clock) });
    });
    const lines = found.flat().join("\n");
    expect(lines).toContain(index);
    // Of a page that an index brought, what is looked at is all of it; projects are few, and so is what an index of
    // threads to be told of holds.
    expect(lines).not.toMatch(/SCAN (?!looked_at\b|sessions\b|forgotten_threads USING INDEX)/);
    expect(lines).not.toContain("TEMP B-TREE");
  });
});
