import { expect, test } from "bun:test";
import { ModelPrices, NotFound, RunFigures, type SpanWrite, stepFor, Traces } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore } from "../traces/trace-store.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Figures over a fresh database, asked for with everything that was written until now. */
async function startFigures(open: Parameters<typeof startTraceStore>[0]) {
  const store = await startTraceStore(open);
  const figures = new RunFigures(store.db, store.clock);
  const prices = new ModelPrices(store.db, store.clock);
  const read = async (
    query: Partial<Parameters<RunFigures["read"]>[1]> = {},
    back = HOUR,
    workspace: string = HERE,
  ) => {
    const to = store.clock.now() + 1_000;
    const from = to - back;
    const stepMs = stepFor(from, to, store.clock.now());
    return figures.read(workspace, { from, to, stepMs, ...query }, await prices.book(workspace));
  };
  return { ...store, figures, prices, read };
}

const call = (model: string, input: number, output: number, more: Partial<SpanWrite> = {}) => ({
  ...{ run_type: "llm" as const, name: "model", input_tokens: input, output_tokens: output },
  metadata: { ls_model_name: model },
  ...more,
});

everyStore("figures", (open) => {
  test("the cost of 1,000 runs is what a count by hand says", async () => {
    const { read, traces, session, clock } = await startFigures(open);
    // Dollars for a million tokens, as the list that Berth brings says them: in, out, and from a cache.
    const BY_HAND = { "gpt-4o-2024-08-06": [2.5, 10, 1.25], "claude-sonnet-4-5": [3, 15, 0.3] } as const;
    let dollars = 0;
    let tokens = 0;
    const pieces: SpanWrite[] = [];
    const whole: SpanWrite[][] = [];
    for (let number = 0; number < 1_000; number++) {
      const model = number % 3 === 0 ? "claude-sonnet-4-5" : "gpt-4o-2024-08-06";
      const [input, output, cached] = [100 + number, 10 + (number % 50), number % 4 === 0 ? 64 : 0];
      const [inPrice, outPrice, cachePrice] = BY_HAND[model];
      dollars += ((input - cached) * inPrice + cached * cachePrice + output * outPrice) / 1e6;
      tokens += input + output;
      const metadata = { ls_model_name: model, input_token_details: { cache_read: cached } };
      const id = Bun.randomUUIDv7();
      const base = { trace_id: id, session_id: session.id, status: "success" as const };
      const times = { start_time: clock.now(), end_time: clock.now() + 100 };
      const spans = [
        {
          ...{ ...base, ...times, ...call(model, input, output, { metadata }) },
          ...{ id: Bun.randomUUIDv7(), parent_id: id },
        },
        { ...base, ...times, id, name: "agent" },
      ];
      // Half of them as they come from a process elsewhere, half as they are written when a run ends.
      if (number % 2 === 0) pieces.push(...spans);
      else whole.push(spans);
    }
    await traces.write(pieces);
    await traces.writeWhole(whole);
    const { total, buckets } = await read();
    expect(total).toMatchObject({ runs: 1_000, errors: 0, calls: 1_000, unpriced: [] });
    expect(total.inputTokens + total.outputTokens).toBe(tokens);
    expect(Math.abs(total.cost - dollars) / dollars).toBeLessThan(0.01);
    expect(buckets.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(total.cost, 9);
    // A year is the same sum, read from days.
    const year = await read({}, 365 * DAY);
    expect(year.stepMs).toBe(DAY);
    expect(year.total.cost).toBeCloseTo(total.cost, 9);
    expect(year.total.latency).toEqual(total.latency);
  });

  test("what is told of a run in pieces, in any order and twice, is counted once", async () => {
    const { traces, session, clock, read } = await startFigures(open);
    const id = Bun.randomUUIDv7();
    const base = { trace_id: id, session_id: session.id };
    const root: SpanWrite = {
      ...{ ...base, id, name: "agent", start_time: clock.now() },
      metadata: { assistant_id: "a1", revision_id: "r1" },
    };
    const model: SpanWrite = {
      ...{ ...base, id: Bun.randomUUIDv7(), parent_id: id, start_time: clock.now() + 10 },
      ...call("gpt-4o", 1_000, 100),
      ...{ first_token_time: clock.now() + 30, end_time: clock.now() + 90, status: "success" },
    };
    await traces.write([model]);
    await traces.write([root]);
    expect((await read()).total).toMatchObject({ runs: 0, calls: 0 });
    const end: SpanWrite = { ...base, id, end_time: clock.now() + 200, status: "error" };
    for (const batch of [[end], [end, model], [root], [{ ...model, output_tokens: 200 }], [end]])
      await traces.write(batch);
    const { total, groups } = await read({ by: "revision" });
    expect(total).toMatchObject({ runs: 1, errors: 1, calls: 1, inputTokens: 1_000, outputTokens: 200 });
    expect(total.cost).toBeCloseTo((1_000 * 2.5 + 200 * 10) / 1e6, 9);
    // Bins are 5 % wide: what is read of them is at most 2.5 % off.
    expect(Math.abs((total.latency?.p95 ?? 0) - 200)).toBeLessThanOrEqual(5);
    expect(Math.abs((total.firstToken?.p50 ?? 0) - 30)).toBeLessThanOrEqual(1);
    expect(groups.map(({ key }) => key)).toEqual(["r1"]);
    expect((await read({ assistantId: "a1" })).total.runs).toBe(1);
    expect((await read({ assistantId: "a2" })).total.runs).toBe(0);
  });

  test("figures are told apart by project, revision, assistant and model", async () => {
    const { run, read, sessions } = await startFigures(open);
    const other = await sessions.ensure(HERE, "other");
    const foreign = await sessions.ensure(ELSEWHERE, "theirs");
    const of = (revision: string, assistant: string) => ({
      metadata: { revision_id: revision, assistant_id: assistant },
    });
    for (let at = 0; at < 3; at++) await run(of("r1", "a1"), [call("gpt-4o", 10, 1)]);
    await run({ ...of("r2", "a2"), status: "error" }, [call("gpt-4o", 10, 1), call("of-nobody", 5, 5)]);
    await run({ status: "interrupted" }, [], other);
    await run({}, [call("gpt-4o", 1, 1)], foreign);
    const shown = async (by: "session" | "revision" | "assistant" | "model") =>
      (await read({ by })).groups.map(({ key, total }) => [key, total.runs ?? total.calls, total.errors]);
    expect(await shown("revision")).toEqual([
      ["r1", 3, 0],
      ["r2", 1, 1],
      ["", 1, 0],
    ]);
    expect((await shown("session")).map(([, runs]) => runs)).toEqual([4, 1]);
    expect(await shown("assistant")).toContainEqual(["a2", 1, 1]);
    expect(await shown("model")).toEqual([
      ["gpt-4o", 4, 0],
      ["of-nobody", 1, 0],
    ]);
    const { total } = await read();
    expect(total).toMatchObject({ runs: 5, errors: 1, interrupted: 1, unpriced: ["of-nobody"] });
    expect((await read({ model: "of-nobody" })).total).toMatchObject({ runs: null, calls: 1, cost: 0 });
    expect((await read({ sessionIds: [other.id] })).total.runs).toBe(1);
    expect((await read({}, HOUR, ELSEWHERE)).total.runs).toBe(1);
  });

  test("a workspace's own price counts from its moment on, before the list", async () => {
    const { run, read, prices, clock } = await startFigures(open);
    await run({}, [call("gpt-4o", 1_000_000, 0)]);
    clock.advance(2 * 60_000);
    const own = {
      model: "GPT-4o",
      since: clock.now() - 60_000,
      output: 0,
      cache_read: null,
      cache_write: null,
    };
    const { id } = await prices.put(HERE, { ...own, input: 7 });
    await run({}, [call("openai/gpt-4o", 1_000_000, 0)]);
    expect((await read()).total.cost).toBeCloseTo(2.5 + 7, 6);
    expect((await prices.put(HERE, { ...own, input: 9 })).id).toBe(id);
    expect((await read()).total.cost).toBeCloseTo(2.5 + 9, 6);
    expect(await prices.list(ELSEWHERE)).toEqual([]);
    expect(await outcome(prices.delete(ELSEWHERE, id))).toThrow(NotFound);
    await prices.delete(HERE, id);
    expect((await read()).total.cost).toBeCloseTo(5, 6);
  });

  test("a bucket has a limit of rows: beyond it, assistants are counted as one", async () => {
    const { run, read } = await startFigures(open);
    for (let at = 0; at < 205; at++) await run({ metadata: { assistant_id: `a${at}` } });
    const { total, groups, isCut } = await read({ by: "assistant" });
    expect(total.runs).toBe(205);
    expect(groups).toHaveLength(100);
    expect(isCut).toBe(true);
    expect(groups[0]).toMatchObject({ key: "other", total: { runs: expect.any(Number) } });
  });

  test("traces of an earlier Berth are counted, once; those that go are not taken away", async () => {
    const { db, run, read, traces, clock } = await startFigures(open);
    const id = await run({ metadata: { assistant_id: "a1" } }, [call("gpt-4o", 10, 10)]);
    await db.write(async (tx) => {
      await tx.deleteFrom("run_figures").execute();
      const unknown = { counted: 0, model_usage: null, assistant_id: null } as const;
      await tx.updateTable("traces").set(unknown).execute();
    });
    expect((await read()).total.runs).toBe(0);
    expect(await traces.countOld()).toBe(1);
    expect(await new Traces(db, clock).countOld()).toBe(0);
    expect((await read({ assistantId: "a1" })).total).toMatchObject({ runs: 1, calls: 1, inputTokens: 10 });
    await traces.delete(HERE, id);
    expect((await read()).total.runs).toBe(1);
  });

  test("a project that is deleted takes its figures along, and time takes the rest", async () => {
    const { db, run, read, sessions, session, clock, figures } = await startFigures(open);
    const other = await sessions.ensure(HERE, "other");
    await run();
    await run({}, [], other);
    await sessions.delete(HERE, session.id);
    expect((await read()).total.runs).toBe(1);
    clock.advance(3 * DAY);
    await figures.sweep();
    const kept = () => db.read.selectFrom("run_figures").select("step_s").orderBy("step_s").execute();
    expect((await kept()).map(({ step_s }) => Number(step_s))).toEqual([3_600, 86_400]);
    clock.advance(400 * DAY);
    await figures.sweep();
    expect(await kept()).toEqual([]);
  });
});
