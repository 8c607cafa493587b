import { Database as BunDatabase } from "bun:sqlite";
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { BadRequest, type Database, openDatabase, type TraceSearch, Traces } from "@berth/store";
import { sql } from "kysely";
import { isOnServer } from "../../../store/database/index.ts";
import { everyStore, temporaryFolder } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore, traceStore } from "./trace-store.ts";

const json = (value: unknown) => JSON.stringify(value);

/** The same database, which refuses to write. */
function unwritable(db: Database): Database {
  const write: Database["write"] = (work, how) =>
    db.write(async (tx) => {
      if (isOnServer(tx)) await sql`set transaction read only`.execute(tx);
      else await sql`pragma query_only = on`.execute(tx);
      try {
        return await work(tx);
      } finally {
        if (!isOnServer(tx)) await sql`pragma query_only = off`.execute(tx);
      }
    }, how);
  return Object.create(db, { write: { value: write } });
}

everyStore("a search for what traces say", (open) => {
  const start = async () => {
    const store = await startTraceStore(open);
    const find = async (query: string, more: Partial<TraceSearch> = {}, workspace = HERE) => {
      const { rows } = await store.traces.search(workspace, { limit: 10, query, ...more });
      return rows.map(({ name }) => name);
    };
    return { ...store, find };
  };

  test("finds words of inputs, outputs and errors of all spans, whole or as a beginning", async () => {
    const { run, find } = await start();
    await run({
      name: "hotel",
      inputs: json({ messages: [{ type: "human", content: "Ein Zimmer in Zürich, bitte!" }] }),
    });
    await run({ name: "train", outputs: json({ said: "The train to ZÜRICH leaves at 9:40" }) }, [
      { name: "look_up", status: "error", error: { type: "Refused", message: "no seat_map for wagon 17" } },
    ]);
    await run({ name: "rail", inputs: json("東京の天気") });
    await run({ name: "open", status: "pending", end_time: undefined, inputs: json("zürich") });
    expect(await find("zürich")).toEqual(["train", "hotel"]);
    expect(await find("ZIMMER zürich ")).toEqual(["hotel"]);
    expect(await find("zimm")).toEqual(["hotel"]);
    expect(await find("zimm ")).toEqual([]);
    expect(await find("zurich")).toEqual([]);
    expect(await find("seat_map wagon 17")).toEqual(["train"]);
    expect(await find("look_up")).toEqual(["train"]);
    expect(await find("天気")).toEqual(["rail"]);
    // Names of fields are not what was said.
    expect(await find("messages")).toEqual([]);
    expect(await find("human")).toEqual(["hotel"]);
    expect(await find('zürich" OR "zimmer')).toEqual([]);
    expect(await find("'':* & | !()")).toEqual([]);
    expect(await find("zürich", {}, ELSEWHERE)).toEqual([]);
    expect(await find("zürich", { status: "error" })).toEqual([]);
    expect(await find("zürich", { name: "TRAIN" })).toEqual(["train"]);
  });

  test("finds a trace by its ids and those that a project uses, not by those that messages are given", async () => {
    const { run, find } = await start();
    const [made, model, order] = [Bun.randomUUIDv7(), Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const id = await run({
      name: "orders",
      inputs: json({ order: { id: order }, messages: [{ type: "human", content: "where?", id: made }] }),
      outputs: json({ messages: [{ role: "assistant", content: "there", id: `run-${model}` }] }),
    });
    await run({ name: "named", outputs: json([{ type: "ai", content: "here", id: "chatcmpl-A7" }]) });
    for (const found of [id, order, "where", "there"]) expect(await find(found)).toEqual(["orders"]);
    for (const missed of [made, model]) expect(await find(missed)).toEqual([]);
    expect(await find("chatcmpl-A7")).toEqual(["named"]);
  });

  test("follows what changes, and forgets what is deleted", async () => {
    const { traces, run, find, clock } = await start();
    const id = await run({ name: "one", outputs: json("apples") });
    await run({ name: "two", outputs: json("apples") });
    expect(await find("apples")).toEqual(["two", "one"]);
    await traces.label(HERE, id, ["reviewed", "good"]);
    expect(await find("apples reviewed")).toEqual(["one"]);
    expect(await outcome(traces.label(ELSEWHERE, id, []))).toThrow("Trace not found");
    await traces.delete(HERE, id);
    expect(await find("apples")).toEqual(["two"]);
    clock.advance(10_000);
    await traces.sweep(1);
    expect(await find("apples")).toEqual([]);
  });

  test("writes words when somebody looks for some, and no others", async () => {
    const { db, traces, clock, run, find } = await start();
    const written = async () => {
      const rows = await db.read.selectFrom("berth_trace_docs").select("trace_id").orderBy("doc").execute();
      return rows.map(({ trace_id }) => trace_id);
    };
    const first = await run({ name: "first", outputs: json("plum") });
    const then = clock.now();
    const second = await run({ name: "second", outputs: json("plum") });
    await traces.search(HERE, { limit: 10, name: "first" });
    await traces.search(HERE, { limit: 10, query: "?!" });
    await traces.index(1_000);
    expect(await written()).toEqual([]);
    expect(await find("plum", { to: then })).toEqual(["first"]);
    expect(await written()).toEqual([first]);
    // Two at once write them once.
    expect(await Promise.all([find("plum"), find("plu")])).toEqual([
      ["second", "first"],
      ["second", "first"],
    ]);
    expect(await written()).toEqual([first, second]);
  });

  test("ends a page where its time for writing words ends, and leaves nothing out", async () => {
    const { db, session, clock } = await start();
    const traces = new Traces(db, clock, { indexForMs: 0 });
    const names = Array.from({ length: 120 }, (_, n) => `n${n}`);
    await traces.writeWhole(
      names.map((name, n) => {
        clock.advance(1);
        const id = Bun.randomUUIDv7();
        const times = { start_time: clock.now(), end_time: clock.now() + 1 + (n % 7) };
        const outputs = json(n % 40 === 0 ? "a quince" : "a pear");
        return [{ ...times, id, trace_id: id, session_id: session.id, name, status: "success", outputs }];
      }),
    );
    const pages = async (search: Partial<TraceSearch>) => {
      const all: string[][] = [];
      for (let cursor: string | undefined; ; ) {
        const { rows, next } = await traces.search(HERE, { limit: 2, query: "quince", ...search, cursor });
        all.push(rows.map(({ name }) => name));
        if (next === null) return all;
        cursor = next;
      }
    };
    // The newest fifty, and no word of the others.
    const { rows, next } = await traces.search(HERE, { limit: 2, query: "quince" });
    expect([rows.map(({ name }) => name), typeof next]).toEqual([["n80"], "string"]);
    // What is sorted by something else is sorted among all of them.
    expect(await pages({ sort: "latency_ms" })).toEqual([[], ["n40", "n80"], ["n0"]]);
    expect(await pages({})).toEqual([["n80", "n40"], ["n0"]]);
    await db.write((tx) => tx.updateTable("traces").set({ unindexed: 1 }).execute());
    expect(await pages({})).toEqual([["n80"], ["n40"], ["n0"]]);
  });

  test("goes on to write words where a search had no time for them", async () => {
    const { db, run, clock } = await start();
    const traces = new Traces(db, clock, { indexForMs: 0 });
    for (let n = 0; n < 60; n++) await run({ name: `n${n}` });
    const left = async () => {
      const rows = await db.read.selectFrom("traces").select("id").where("unindexed", "=", 1).execute();
      return rows.length;
    };
    await traces.search(HERE, { limit: 1, query: "quince" });
    expect(await left()).toBe(10);
    await traces.index(0);
    expect(await left()).toBe(0);
    await run({ name: "one more" });
    await traces.index(0);
    expect(await left()).toBe(1);
  });

  test("finds what has its words already where none can be written", async () => {
    const { db, clock, run, find, traces } = await start();
    await run({ name: "old", outputs: json("quince") });
    expect(await find("quince")).toEqual(["old"]);
    await run({ name: "new", outputs: json("quince") });
    const reading = new Traces(unwritable(db), clock);
    const names = async (search: Partial<TraceSearch>) => {
      const { rows, next } = await reading.search(HERE, { limit: 10, ...search });
      return [rows.map(({ name }) => name), next];
    };
    expect(await names({ query: "quince" })).toEqual([["old"], null]);
    expect(await names({ query: "quince", sort: "latency_ms" })).toEqual([["old"], null]);
    expect(await names({ query: "quince", name: "new" })).toEqual([[], null]);
    expect(await names({ name: "new" })).toEqual([["new"], null]);
    // As soon as it can be written again.
    await traces.index(1_000);
    expect(await find("quince")).toEqual(["new", "old"]);
  });

  test("fails where what it writes is refused for another reason", async () => {
    const { db, clock, run } = await start();
    await run({ name: "one" });
    const write = () => Promise.reject(new Error("a mistake"));
    const traces = new Traces(Object.create(db, { write: { value: write } }), clock);
    expect(await outcome(traces.search(HERE, { limit: 10, query: "quince" }))).toThrow("a mistake");
  });

  test("goes on page by page", async () => {
    const { traces, run } = await start();
    for (let n = 0; n < 5; n++) await run({ name: `n${n}`, outputs: json("pear") });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await traces.search(HERE, { limit: 2, query: "pear", cursor });
      names.push(...page.rows.map(({ name }) => name));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    expect(names).toEqual(["n4", "n3", "n2", "n1", "n0"]);
  });

  test("sorts by what they took, and finds by feedback", async () => {
    const { traces, run, clock } = await start();
    const llm = (total_tokens: number) => [{ run_type: "llm" as const, total_tokens }];
    const quick = await run({ name: "quick", end_time: clock.now() + 10 }, llm(900));
    const slow = await run({ name: "slow", end_time: clock.now() + 9_000 }, llm(1));
    await run({ name: "middle", end_time: clock.now() + 500 }, llm(50));
    const find = async (search: Partial<TraceSearch>) => {
      const page = await traces.search(HERE, { limit: 2, ...search });
      const rest = page.next
        ? await traces.search(HERE, { limit: 2, ...search, cursor: page.next })
        : undefined;
      return [...page.rows, ...(rest?.rows ?? [])].map(({ name }) => name);
    };
    expect(await find({ sort: "latency_ms" })).toEqual(["slow", "middle", "quick"]);
    expect(await find({ sort: "total_tokens" })).toEqual(["quick", "middle", "slow"]);
    await traces.feedback(HERE, [
      { trace_id: quick, key: "helpful", score: 1 },
      { trace_id: slow, key: "helpful", score: 0 },
      { trace_id: slow, key: "tone", score: 1 },
    ]);
    expect(await find({ feedbackKey: "helpful" })).toEqual(["slow", "quick"]);
    expect(await find({ feedbackKey: "helpful", maxScore: 0.5 })).toEqual(["slow"]);
    expect(await find({ minScore: 1, sort: "latency_ms" })).toEqual(["slow", "quick"]);
    expect(await find({ feedbackKey: "other" })).toEqual([]);
    expect(await outcome(find({ sort: "latency_ms", cursor: "bm8" }))).toThrow(BadRequest);
  });
});

test("a search for words finds what has its words already on a full disk, or while another process writes", async () => {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, "berth.db")}`;
  const db = await openDatabase(url);
  try {
    const { traces, run } = await traceStore(db);
    const find = async () =>
      (await traces.search(HERE, { limit: 10, query: "quince" })).rows.map(({ name }) => name);
    await run({ name: "first", outputs: json("quince") });
    expect(await find()).toEqual(["first"]);
    const words = Array.from({ length: 3_000 }, (_, n) => `w${n}`).join(" ");
    for (let n = 0; n < 10; n++) await run({ name: "later", outputs: json(`quince ${words}`) });
    await db.write((tx) => sql`pragma max_page_count = 1`.execute(tx));
    expect(await find()).toEqual(["first"]);
    await db.write((tx) => sql`pragma max_page_count = 1000000`.execute(tx));
    const other = new BunDatabase(join(folder, "berth.db"));
    other.run("begin immediate");
    expect(await find()).toEqual(["first"]);
    other.run("rollback");
    other.close();
    expect(await find()).toHaveLength(10);
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
