import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LONG_TIMES, quickest, TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../../limits.ts";
import { notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { StallMeter, slownessOfMachine, writingOfMachine } from "./stall-meter.ts";
import { type ApiDocument, type Step, steps } from "./walk.ts";
import { keepingProject, LARGEST } from "./worst-data.ts";

/** So long (ms) a request that is accepted may keep others waiting, on a quiet machine. */
const MOST_MS = 100;
/** What never ends by itself is left after so long. */
const LEAVE_MS = 1_500;
const HEADERS = { "content-type": "application/json" };

const folder = mkdtempSync(join(tmpdir(), "berth-stalls-"));
const meter = new StallMeter();
let berth: BerthProcess;
const ids: Record<string, string> = {};

beforeAll(async () => {
  for (const [name, text] of Object.entries(await keepingProject())) writeFileSync(join(folder, name), text);
  berth = await start({ project: folder, env: { ENGINE_INTERVAL: "0" } });
  await meter.open(berth.url);
});
afterAll(async () => {
  meter.close();
  await berth?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function send({ method, path, body }: Omit<Step, "name">): Promise<{ status: number; text: string }> {
  const gone = AbortSignal.timeout(LEAVE_MS);
  const response = await fetch(berth.url + path, {
    method,
    headers: HEADERS,
    ...(body && { body }),
    signal: AbortSignal.timeout(WAIT_LIMIT_MS),
  });
  const streams = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!streams) return { status: response.status, text: await response.text() };
  const reader = response.body?.getReader();
  gone.addEventListener("abort", () => void reader?.cancel());
  for (;;) if ((await reader?.read())?.done !== false) break;
  return { status: response.status, text: "" };
}

async function made(path: string, body: unknown, method = "POST"): Promise<Record<string, string>> {
  const { status, text } = await send({
    method,
    path,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  expect([path, status < 300 ? "" : text.slice(0, 500)]).toEqual([path, ""]);
  return text === "" ? {} : JSON.parse(text);
}

/** What is larger than this takes the database longer than the limit, so many times as a run or a state is written. */
const LARGE = 8_000_000;
const TIMES_WRITTEN = 10;

/** The longest wait of others while a step is taken, at its best of some tries, and how large it was; 5xx fails. */
async function stallOf(step: Step): Promise<{ stall: number; size: number }> {
  let size = 0;
  const once = () =>
    meter.during(async () => {
      let { status, text } = await send(step);
      if (status === 413 && step.smaller) ({ status, text } = await send({ ...step, body: step.smaller }));
      expect([step.name, status < 500 || status === 503 ? "" : text.slice(0, 500)]).toEqual([step.name, ""]);
      size = Math.max(step.body?.length ?? 0, text.length);
    });
  return { stall: await quickest(MOST_MS, once, 4), size };
}

/** As long as the longest step: what a machine with other work lets wait while nobody asks anything. */
const IDLE_MS = 2_000;

/** So often a step is slow before it is named: the work of others comes and goes between a wait and its measure. */
const TIMES_SLOW = 3;

/**
 * Names what is slower than the limit: a slow or busy machine has more time, and so has what its disk takes for much
 * text. Each of these is measured only where what is known so far does not explain the wait.
 */
async function slowOnes(walk: Step[]): Promise<string[]> {
  const slow: string[] = [];
  for (const step of walk) {
    const stalls: number[] = [];
    for (let stall = await tooLong(step); stall > 0; stall = await tooLong(step)) {
      stalls.push(Math.round(stall));
      if (stalls.length === TIMES_SLOW) break;
    }
    if (stalls.length === TIMES_SLOW) slow.push(`${step.name}: ${stalls.join(", ")} ms`);
  }
  return slow;
}

/** How long (ms) a step keeps others waiting, or 0 where that is no longer than it may on this machine. */
async function tooLong(step: Step): Promise<number> {
  const { stall, size } = await stallOf(step);
  if (process.env.BERTH_LONG) console.log(`${Math.round(stall)} ms: ${step.name}`);
  let allowed = 1.5 * MOST_MS;
  if (stall >= allowed) allowed *= slownessOfMachine();
  if (stall >= allowed) allowed += await meter.during(() => Bun.sleep(IDLE_MS));
  if (stall >= allowed && size > LARGE) allowed += TIMES_WRITTEN * writingOfMachine();
  return stall >= allowed ? stall : 0;
}

const LONG = process.env.BERTH_LONG === "1";
const KEPT_RUNS = LONG ? 20 : 6;
const KEPT_ITEMS = LONG ? 60 : 15;
const megabyte = { a: "x".repeat(1_048_576) };

/** What is kept where all of it is large. */
async function keepMuch(): Promise<void> {
  const assistant_id = "keeping";
  const { thread_id = "" } = await made("/threads", { metadata: JSON.parse(LARGEST.bounded ?? "{}") });
  for (const kind of ["values", "names", "text"])
    await made(`/threads/${thread_id}/runs/wait`, `{"assistant_id":"keeping","input":${LARGEST[`${kind}`]}}`);
  const many = await made("/threads", {});
  for (let at = 0; at < KEPT_RUNS; at += 1)
    await made(`/threads/${many.thread_id}/runs/wait`, { assistant_id, input: megabyte });
  for (let at = 0; at < KEPT_ITEMS; at += 1)
    await made("/store/items", { namespace: ["a"], key: `${at}`, value: megabyte }, "PUT");
  const run = await made(`/threads/${many.thread_id}/runs`, { assistant_id, input: megabyte });
  await send({ method: "GET", path: `/threads/${many.thread_id}/runs/${run.run_id}/join` });
  const assistant = await made("/assistants", {
    graph_id: assistant_id,
    context: JSON.parse(LARGEST.bounded ?? "{}"),
  });
  Object.assign(ids, {
    thread_id: many.thread_id,
    large_thread: thread_id,
    run_id: run.run_id,
    ...assistant,
  });
}

describe("no request keeps others waiting", () => {
  test("neither the largest bodies nor the largest answers", async () => {
    await keepMuch();
    const at = (thread = "") => `/threads/${thread}`;
    const gets = [ids.thread_id, ids.large_thread].flatMap((thread) =>
      ["", "/state", "/history?limit=1000", "/runs?limit=1000", "/storage"].map(
        (path): Step => ({ name: `GET ${path} of ${thread}`, method: "GET", path: at(thread) + path }),
      ),
    );
    const posts: Step[] = [
      { name: "search threads", method: "POST", path: "/threads/search", body: '{"limit":1000}' },
      { name: "search items", method: "POST", path: "/store/items/search", body: '{"limit":1000}' },
      {
        name: "16 million values",
        method: "POST",
        path: "/runs/wait",
        body: `{"assistant_id":"keeping","input":{"a":[${"0,".repeat(15_000_000)}0]}}`,
      },
      ...["values", "names"].map((kind) => ({
        name: `a run with ${kind}`,
        method: "POST",
        path: "/runs/wait",
        body: `{"assistant_id":"keeping","input":${LARGEST[kind]}}`,
      })),
    ];
    expect(await slowOnes([...gets, ...posts])).toEqual([]);
  });

  testUnless(notLong)(
    "each operation with each field",
    async () => {
      const document: ApiDocument = JSON.parse((await send({ method: "GET", path: "/openapi.json" })).text);
      const run = { assistant_id: "keeping", input: {}, if_not_exists: "create" };
      const given = Object.fromEntries(ROUTES_OF_RUNS.map((route) => [route, run]));
      expect(await slowOnes(steps(document, ids, given))).toEqual([]);
    },
    4 * LONG_TIMES * TEST_LIMIT_MS,
  );
});

const ROUTES_OF_RUNS = [
  "/runs",
  "/runs/wait",
  "/runs/stream",
  "/runs/batch",
  "/threads/{thread_id}/runs",
  "/threads/{thread_id}/runs/wait",
  "/threads/{thread_id}/runs/stream",
].map((path) => `POST ${path}`);
