import { expect, test } from "bun:test";
import { BadRequest, type TraceSearch } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore } from "./trace-store.ts";

const json = (value: unknown) => JSON.stringify(value);

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
    const { traces, run, find } = await start();
    await run({
      name: "hotel",
      inputs: json({ messages: [{ type: "human", content: "Ein Zimmer in Zürich, bitte!" }] }),
    });
    await run({ name: "train", outputs: json({ said: "The train to ZÜRICH leaves at 9:40" }) }, [
      { name: "look_up", status: "error", error: { type: "Refused", message: "no seat_map for wagon 17" } },
    ]);
    await run({ name: "rail", inputs: json("東京の天気") });
    await run({ name: "open", status: "pending", end_time: undefined, inputs: json("zürich") });
    // Nothing is found before its words are written, and nothing twice.
    expect(await find("zürich")).toEqual([]);
    expect(await traces.index(100)).toBe(3);
    expect(await traces.index(100)).toBe(0);
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
    const { traces, run, find } = await start();
    const [made, model, order] = [Bun.randomUUIDv7(), Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const id = await run({
      name: "orders",
      inputs: json({ order: { id: order }, messages: [{ type: "human", content: "where?", id: made }] }),
      outputs: json({ messages: [{ role: "assistant", content: "there", id: `run-${model}` }] }),
    });
    await run({ name: "named", outputs: json([{ type: "ai", content: "here", id: "chatcmpl-A7" }]) });
    await traces.index(10);
    for (const found of [id, order, "where", "there"]) expect(await find(found)).toEqual(["orders"]);
    for (const missed of [made, model]) expect(await find(missed)).toEqual([]);
    expect(await find("chatcmpl-A7")).toEqual(["named"]);
  });

  test("follows what changes, and forgets what is deleted", async () => {
    const { traces, run, find, clock } = await start();
    const id = await run({ name: "one", outputs: json("apples") });
    await run({ name: "two", outputs: json("apples") });
    await traces.index(10);
    await traces.label(HERE, id, ["reviewed", "good"]);
    await traces.index(10);
    expect(await find("apples reviewed")).toEqual(["one"]);
    expect(await outcome(traces.label(ELSEWHERE, id, []))).toThrow("Trace not found");
    await traces.delete(HERE, id);
    expect(await find("apples")).toEqual(["two"]);
    clock.advance(10_000);
    await traces.sweep(1);
    expect(await find("apples")).toEqual([]);
  });

  test("goes on page by page", async () => {
    const { traces, run } = await start();
    for (let n = 0; n < 5; n++) await run({ name: `n${n}`, outputs: json("pear") });
    await traces.index(10);
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
