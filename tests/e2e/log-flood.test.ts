import { afterAll, beforeAll, expect, test } from "bun:test";
import { MAX_REVISION_LOG_LINES } from "@berth/store";
import { quickest } from "../limits.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { query } from "./stored.ts";
import { langGraphBundle, type ProjectFiles } from "./tiny-agent.ts";

const KEY = "a-key-for-much-output";
/** 7.5 MB of lines of two bytes. */
const LINES = 3_750_000;
/** 7.5 MB at once stalled Berth for 5.5 s; each transaction takes a few milliseconds now. */
const STALL_MS = 1_000;

let berth: BerthProcess;
let noisy: string;
const api = new DeploymentApi(() => berth.url, KEY);

/** An agent that prints as many lines of two bytes as it is asked for. */
async function noisyAgent(): Promise<ProjectFiles> {
  return {
    "graph.json": JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }),
    "langgraph.js": await langGraphBundle(),
    "agent.ts": `
import { writeSync } from "node:fs";
import { Annotation, StateGraph } from "./langgraph.js";
const State = Annotation.Root({ said: Annotation });
const say = async ({ said }) => {
  writeSync(1, "x\\n".repeat(Number(said)) + "done " + said + "\\n");
  return { said };
};
export const graph = new StateGraph(State).addNode("say", say).addEdge("__start__", "say").compile();
`,
  };
}

const print = (lines: number) =>
  api.ask("POST", `/d/${noisy}/runs/wait`, { assistant_id: "agent", input: { said: String(lines) } });

async function logged(text: string): Promise<string[]> {
  const asked = new URLSearchParams({
    deployment_id: noisy,
    query: text,
    page_size: "100",
    sort_order: "desc",
  });
  const { items } = await api.ask<{ items: { message: string }[] }>("GET", `/v2/deployment-logs?${asked}`);
  return items.map(({ message }) => message);
}

/** The longest answer (ms) of `/ok` while something happens. */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    const began = performance.now();
    await fetch(`${berth.url}/ok`);
    longest = Math.max(longest, performance.now() - began);
    await Bun.sleep(5);
  }
  await working;
  return longest;
}

/** How many log lines were ever written. */
async function writtenLines(): Promise<number> {
  const rows = await query<{ last: number }>(
    berth.data,
    "select last from control_counters where name = 'logs'",
  );
  return Number(rows[0]?.last);
}

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY } });
  ({ id: noisy } = await api.fromSource("noisy"));
  const revision = await api.push(noisy, await noisyAgent());
  expect(await api.settled(noisy, revision)).toMatchObject({ status: "DEPLOYED" });
});

afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

test("much output of a deployment does not block Berth; the log keeps the newest lines and states the rest", async () => {
  let lines = LINES;
  let written = 0;
  const stall = await quickest(STALL_MS, () =>
    longestStall(async () => {
      lines += 1;
      const before = await writtenLines();
      await print(lines);
      await until("its last line is in the log", async () => (await logged(`done ${lines}`)).length > 0);
      written = (await writtenLines()) - before;
    }),
  );
  expect(stall).toBeLessThan(STALL_MS);
  expect(written).toBeLessThanOrEqual(2 * MAX_REVISION_LOG_LINES);
  const dropped = (await logged("lines were dropped")).map((text) => Number(/\d+/.exec(text)?.[0]));
  expect(dropped[0]).toBeGreaterThan(LINES - MAX_REVISION_LOG_LINES);
  expect(dropped[0]).toBeLessThanOrEqual(lines);
});
