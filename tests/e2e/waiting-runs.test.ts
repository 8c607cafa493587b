import { afterAll, beforeAll, expect, test } from "bun:test";
import type { System } from "@berth/server";
import { Client } from "@langchain/langgraph-sdk";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";

let berth: BerthProcess;
const client = () => new Client({ apiUrl: berth.url });

beforeAll(async () => {
  berth = await start({ env: { BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "1", RUN_CONCURRENCY: "2" } });
});
afterAll(async () => {
  await berth.stop();
});

const queue = async () => ((await (await fetch(`${berth.url}/v1/system`)).json()) as System).queue;

const long = { assistant_id: "delay", input: { messages: [], delay: 60_000 } };

test("what waits is told: how many, since when, and why", async () => {
  expect(await queue()).toMatchObject({
    ...{ pending: 0, running: 0, places: 2 },
    waiting: { due: 0, behind: 0, later: 0, since: null, why: null, runs: [] },
  });
  const { thread_id } = await client().threads.create();
  await client().runs.create(thread_id, "delay", { input: long.input });
  await client().runs.create(thread_id, "delay", { input: long.input, multitaskStrategy: "enqueue" });
  await until("it is behind", queue, ({ waiting }) => waiting.why === "thread" && waiting.behind === 1);
  const created = Date.now();
  await client().runs.createBatch(
    Array.from({ length: 4 }, () => ({ assistantId: "delay", input: long.input })),
  );
  await client().runs.create(null, "delay", { input: long.input, afterSeconds: 3_600 });
  const told = await until("all places are taken", queue, ({ waiting }) => waiting.due === 4);
  expect(told).toMatchObject({ running: 2, places: 2, waiting: { behind: 1, later: 1, why: "places" } });
  expect(Math.abs(Date.parse(String(told.waiting.since)) - created)).toBeLessThan(60_000);
  const { runs } = told.waiting;
  expect(runs.map(({ why }) => why)).toEqual(["thread", "places", "places", "places", "time"]);
  expect(runs[0]).toMatchObject({ thread_id, graph_id: "delay" });
  expect(Date.parse(runs[4]?.not_before ?? "")).toBeGreaterThan(Date.now() + 1_800_000);
  const metrics = await (await fetch(`${berth.url}/metrics`)).text();
  expect(metrics).toMatch(/^berth_runs_places 2$/m);
  const [, seconds] = /^berth_runs_waiting_seconds (\S+)$/m.exec(metrics) ?? [];
  expect(Number(seconds)).toBeGreaterThan(0);
});
