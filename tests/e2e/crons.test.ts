import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { assistantId } from "@berth/agent";
import { notLong, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { ask, call } from "./crash-http.ts";
import { makeDue, SELDOM } from "./cron-ticks.ts";
import { forEachSdk } from "./sdk.ts";

type Cron = { cron_id: string; thread_id: string | null; next_run_date: string | null };
type Run = { run_id: string; status: string; metadata: Record<string, unknown>; created_at: string };

const MINUTE = 60_000;
/** How late a run may begin on a busy machine. */
const LATE_MS = 5_000;

const input = { messages: [{ role: "human", content: "hello" }] };
const mark = () => ({ mark: crypto.randomUUID() });

let berth: BerthProcess;

beforeAll(async () => {
  berth = await start();
});
afterAll(async () => {
  await berth.stop();
});

const runsOf = (threadId: string) => ask<Run[]>(berth.url, "GET", `/threads/${threadId}/runs`);

async function succeeded(threadId: string, count: number): Promise<Run[]> {
  const all = (runs: Run[]) => runs.length === count && runs.every(({ status }) => status === "success");
  return until(`${count} runs`, () => runsOf(threadId), all);
}

/** The only thread that a cron's assistant left. */
async function threadOf(assistant_id: string): Promise<string> {
  const [thread] = await until(
    "the run's thread",
    () =>
      ask<{ thread_id: string }[]>(berth.url, "POST", "/threads/search", {
        metadata: { assistant_id },
        status: "idle",
      }),
    (threads) => threads.length > 0,
  );
  return thread?.thread_id ?? "";
}

async function ownAssistant(): Promise<string> {
  const { assistant_id } = await ask<{ assistant_id: string }>(berth.url, "POST", "/assistants", {
    graph_id: "agent",
  });
  return assistant_id;
}

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });
  /** The three clients' types differ; what comes over the wire is this. */
  const cronOf = (answer: unknown): Cron => answer as Cron;

  test("a cron on a thread: create, search, count, update, delete", async () => {
    const { crons, threads } = connect();
    const metadata = mark();
    const { thread_id } = await threads.create();
    const payload = { schedule: "0 8 * * 1-5", input, metadata, streamMode: "updates" as const };
    const made = await crons.createForThread(thread_id, "agent", payload);
    const { cron_id } = cronOf(made);
    expect(made).toMatchObject({
      thread_id,
      assistant_id: assistantId("agent"),
      schedule: "0 8 * * 1-5",
      metadata,
      enabled: true,
      payload: { input },
    } as object);
    expect(cronOf(made).next_run_date).toMatch(/T08:00:00\.000Z$/);
    const mine = { threadId: thread_id, assistantId: "agent", limit: 10, offset: 0 };
    expect((await crons.search(mine)).map((cron) => cronOf(cron))).toEqual([cronOf(made)]);
    expect(await crons.count({ threadId: thread_id, assistantId: "agent" })).toBe(1);
    const updated = await crons.update(cron_id, { schedule: "30 9 * * *", enabled: false });
    expect(updated).toMatchObject({ cron_id, schedule: "30 9 * * *", next_run_date: null } as object);
    expect(await crons.search({ ...mine, enabled: true })).toEqual([]);
    await crons.delete(cron_id);
    expect(await crons.count({ threadId: thread_id })).toBe(0);
    await expect(crons.delete(cron_id)).rejects.toThrow("HTTP 404");
  });

  test("a cron without a thread runs, and keeps the thread that it is told to keep", async () => {
    const { crons, threads } = connect();
    const assistant = await ownAssistant();
    const payload = { schedule: SELDOM, input, onRunCompleted: "keep" as const, metadata: mark() };
    const { cron_id } = cronOf(await crons.create(assistant, payload));
    expect(await makeDue(berth.data, [cron_id])).toEqual([cron_id]);
    const thread_id = await threadOf(assistant);
    const [run] = await succeeded(thread_id, 1);
    expect(run?.metadata).toMatchObject({ ...payload.metadata, cron_id, graph_id: "agent" });
    const { values } = await threads.getState<{ messages: { content: string }[] }>(thread_id);
    expect(values.messages.map(({ content }) => content)).toEqual([
      "hello",
      "begin",
      "tool_call__begin",
      "end",
    ]);
    await crons.delete(cron_id);
  });

  test("what cannot be is told as such", async () => {
    const { crons } = connect();
    await expect(crons.create("agent", { schedule: "nonsense" })).rejects.toThrow(/HTTP 422.*five fields/);
    await expect(crons.create("no such graph", { schedule: SELDOM })).rejects.toThrow(/No assistant found/);
    const nobody = crons.createForThread(crypto.randomUUID(), "agent", { schedule: SELDOM });
    await expect(nobody).rejects.toThrow("HTTP 404");
  });
});

describe("on a thread", () => {
  test("each tick continues it, and is told when the next one comes", async () => {
    const { thread_id } = await ask<{ thread_id: string }>(berth.url, "POST", "/threads", {});
    const body = { assistant_id: "agent", schedule: SELDOM, input };
    const cron = await ask<Cron>(berth.url, "POST", `/threads/${thread_id}/runs/crons`, body);
    for (const tick of [1, 2, 3]) {
      await makeDue(berth.data, [cron.cron_id]);
      await succeeded(thread_id, tick);
    }
    const after = await ask<Cron>(berth.url, "GET", `/runs/crons/${cron.cron_id}`);
    // It is as it was, and names its newest run.
    const runs = await ask<{ run_id: string }[]>(berth.url, "GET", `/threads/${thread_id}/runs`);
    expect(after).toEqual({
      ...cron,
      last_run_id: runs[0]?.run_id,
      last_run_date: expect.any(String),
    } as Cron);
    const { values } = await ask<{ values: { messages: unknown[] } }>(
      berth.url,
      "GET",
      `/threads/${thread_id}/state`,
    );
    expect(values.messages.length).toBe(12);
    await call(berth.url, "DELETE", `/threads/${thread_id}`);
    expect((await call(berth.url, "GET", `/runs/crons/${cron.cron_id}`)).status).toBe(404);
  });

  test("a tick that came while nobody was there runs once at the next start", async () => {
    const { thread_id } = await ask<{ thread_id: string }>(berth.url, "POST", "/threads", {});
    const body = { assistant_id: "agent", schedule: "* * * * *", enabled: false, input };
    const { cron_id } = await ask<Cron>(berth.url, "POST", `/threads/${thread_id}/runs/crons`, body);
    await ask(berth.url, "PATCH", `/runs/crons/${cron_id}`, { enabled: true, schedule: SELDOM });
    await berth.kill9();
    expect(await makeDue(berth.data, [cron_id])).toEqual([cron_id]);
    berth = await berth.restartOnSameData();
    await succeeded(thread_id, 1);
    const { next_run_date } = await ask<Cron>(berth.url, "GET", `/runs/crons/${cron_id}`);
    expect(Date.parse(next_run_date ?? "")).toBeGreaterThan(Date.now());
  });
});

describe("what the Python client sends and reads", () => {
  const headers = { "user-agent": "langgraph-sdk-py/0.4.5", accept: "*/*" };
  const send = (method: string, path: string, body?: unknown) => call(berth.url, method, path, body, headers);

  test("create, update, search, count, delete", async () => {
    const metadata = mark();
    const created = await send("POST", "/runs/crons", {
      schedule: "0 9 * * *",
      input,
      config: { recursion_limit: 5, configurable: { model: "small" } },
      metadata,
      context: { user: "ada" },
      assistant_id: "agent",
      checkpoint_during: true,
      interrupt_before: ["tool"],
      webhook: "https://hook.invalid/hook",
      on_run_completed: "keep",
      multitask_strategy: "enqueue",
      end_time: "2099-01-01T00:00:00.000001+00:00",
      enabled: true,
      timezone: "Europe/Berlin",
      stream_mode: ["values", "updates"],
      stream_subgraphs: true,
      stream_resumable: true,
      durability: "sync",
    });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({ timezone: "Europe/Berlin", end_time: "2099-01-01T00:00:00.000Z" });
    const { cron_id } = created.body as Cron;
    // A naive datetime has no offset.
    const change = { end_time: "2098-06-01T12:30:00", timezone: "America/New_York" };
    const changed = await send("PATCH", `/runs/crons/${cron_id}`, change);
    expect(changed.body).toMatchObject({
      end_time: "2098-06-01T12:30:00.000Z",
      timezone: "America/New_York",
    });
    const filter = { assistant_id: assistantId("agent"), metadata };
    const search = { ...filter, limit: 10, offset: 0, sort_by: "next_run_date", sort_order: "asc" };
    const found = await send("POST", "/runs/crons/search", { ...search, select: ["cron_id", "schedule"] });
    expect(found.body).toEqual([{ cron_id, schedule: "0 9 * * *" }]);
    expect((await send("POST", "/runs/crons/count", filter)).text).toBe("1");
    expect((await send("DELETE", `/runs/crons/${cron_id}`)).status).toBe(204);
  });
});

testUnless(notLong)(
  "a cron of every minute runs at the minute, three times in a row",
  async () => {
    const { thread_id } = await ask<{ thread_id: string }>(berth.url, "POST", "/threads", {});
    const body = { assistant_id: "agent", schedule: "* * * * *", input };
    const { cron_id, next_run_date } = await ask<Cron>(
      berth.url,
      "POST",
      `/threads/${thread_id}/runs/crons`,
      body,
    );
    const first = Date.parse(next_run_date ?? "");
    for (const tick of [0, 1, 2]) {
      await Bun.sleep(Math.max(0, first + tick * MINUTE - Date.now()));
      await succeeded(thread_id, tick + 1);
    }
    await ask(berth.url, "PATCH", `/runs/crons/${cron_id}`, { enabled: false });
    const late = (await runsOf(thread_id)).reverse();
    for (const [tick, { created_at }] of late.entries()) {
      const ms = Date.parse(created_at) - (first + tick * MINUTE);
      console.log(`tick ${tick + 1}: ${ms} ms behind its minute`);
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThan(LATE_MS);
    }
  },
  4 * MINUTE,
);
