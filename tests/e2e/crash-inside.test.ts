import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AT_ONCE_MS, TEST_LIMIT_MS } from "../limits.ts";
import { notLong, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { ask, call, type Frame, joinStream, readFrames } from "./crash-http.ts";
import { CRASH_PROJECT } from "./crash-round.ts";
import { query } from "./stored.ts";

type Run = { run_id: string; thread_id: string; status: string };
type State = { values: Record<string, unknown>; next: string[] };

const folder = mkdtempSync(join(tmpdir(), "berth-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In the node, or so many milliseconds behind it. */
const MOMENTS = notLong === undefined ? (["inside", 0, 1, 3, 8, 12] as const) : (["inside", 1, 8] as const);

const LEASE = { RUN_LEASE_MS: "1000" };
let markers = 0;

function newMarker(): string {
  markers += 1;
  return join(folder, `marker-${markers}`);
}

/** A graph in a process of its own ends that one only; see `executors/losses.test.ts`. */
const WITHIN: Record<string, string> = process.env.EXECUTORS?.startsWith("process") ? { EXECUTORS: "1" } : {};

const startCrashProject = (env: Record<string, string> = LEASE) =>
  start({ project: CRASH_PROJECT, env: { ...WITHIN, ...env } });

async function newThread(url: string): Promise<string> {
  const { thread_id } = await ask<{ thread_id: string }>(url, "POST", "/threads", {});
  return thread_id;
}

const createRun = (url: string, threadId: string, body: object): Promise<Run> =>
  ask<Run>(url, "POST", `/threads/${threadId}/runs`, body);

const pathOf = (run: Run) => `/threads/${run.thread_id}/runs/${run.run_id}`;

async function ended(url: string, run: Run): Promise<Run> {
  return until(
    `the end of run ${run.run_id}`,
    () => ask<Run>(url, "GET", pathOf(run)),
    ({ status }) => status !== "pending" && status !== "running",
  );
}

const stateOf = (url: string, threadId: string) => ask<State>(url, "GET", `/threads/${threadId}/state`);

async function dead(berth: BerthProcess): Promise<void> {
  await until("the death of the process", () =>
    fetch(`${berth.url}/ok`).then(
      () => false,
      () => true,
    ),
  );
  await berth.kill9();
}

describe("a graph that kills its process", () => {
  test.concurrent(
    "is tried three times, then the run ends in an error that says so, and the server stays up",
    async () => {
      const marker = newMarker();
      let berth = await startCrashProject();
      const threadId = await newThread(berth.url);
      const input = { marker, times: 99, when: "inside" };
      const run = await createRun(berth.url, threadId, { assistant_id: "deadly", input });
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await dead(berth);
        berth = await berth.restartOnSameData();
      }
      const waiting = await createRun(berth.url, threadId, {
        assistant_id: "steps",
        input: { total: 1, pause: 1 },
      });
      expect(await ended(berth.url, run)).toMatchObject({ status: "error" });
      expect(readFileSync(marker, "utf8")).toBe("xxx");
      const joined = await ask<{ __error__: unknown }>(berth.url, "GET", `${pathOf(run)}/join`);
      expect(joined.__error__).toEqual({
        error: "RunLost",
        message: "the process stopped 3 times while the run was under way",
      });
      expect(await ended(berth.url, waiting)).toMatchObject({ status: "success" });
      const frames = await joinStream(berth.url, pathOf(run), "-1");
      const attempts: { run_id: string; attempt: number }[] = frames
        .filter(({ event }) => event === "metadata")
        .map(({ data }) => JSON.parse(data));
      // The graph may kill its process before the beginning of an attempt is committed: then nobody was told of it.
      const numbers = attempts.map(({ attempt }) => attempt);
      expect(numbers).toEqual([...new Set(numbers)].toSorted());
      expect([1, 2, 3]).toEqual(expect.arrayContaining(numbers));
      expect(attempts).toEqual(numbers.map((attempt) => ({ run_id: run.run_id, attempt })));
      expect(frames.at(-1)?.event).toBe("error");
      await berth.stop();
    },
    TEST_LIMIT_MS,
  );

  test.concurrent(
    "at any moment around its last checkpoint and its end, still ends once and well",
    async () => {
      let berth = await startCrashProject();
      for (const when of MOMENTS) {
        const threadId = await newThread(berth.url);
        const input = { marker: newMarker(), times: 1, when };
        const run = await createRun(berth.url, threadId, { assistant_id: "deadly", input });
        await dead(berth);
        berth = await berth.restartOnSameData();
        expect(await ended(berth.url, run)).toMatchObject({ status: "success" });
        const { values, next } = await stateOf(berth.url, threadId);
        expect(values.trail).toEqual(["first", "second"]);
        expect(next).toEqual([]);
        expect(await ask(berth.url, "GET", `/threads/${threadId}`)).toMatchObject({ status: "idle" });
        const joined = await ask(berth.url, "GET", `${pathOf(run)}/join`);
        expect(joined.trail).toEqual(["first", "second"]);
        const events = await query<{ body: string }>(
          berth.data,
          `select body from events where run_id = '${run.run_id}'`,
        );
        const ends = events
          .flatMap(({ body }) => body.split("\n"))
          .filter((line) => line.startsWith("end\t"));
        expect(ends).toEqual(['end\t{"status":"success","stopped":false}']);
      }
      await berth.stop();
    },
    TEST_LIMIT_MS,
  );

  testUnless(notLong)(
    "between an answer to an interrupt and the end: the answer counts once",
    async () => {
      let berth = await startCrashProject();
      for (const durability of ["async", "sync", "exit"]) {
        const threadId = await newThread(berth.url);
        const asked = await createRun(berth.url, threadId, {
          assistant_id: "asking",
          input: { marker: newMarker() },
        });
        await ended(berth.url, asked);
        const answered = await createRun(berth.url, threadId, {
          assistant_id: "asking",
          command: { resume: "fine", update: { said: ["updated"] } },
          durability,
        });
        await dead(berth);
        berth = await berth.restartOnSameData();
        expect(await ended(berth.url, answered)).toMatchObject({ status: "success" });
        const { values } = await stateOf(berth.url, threadId);
        expect(values.said).toEqual(["updated", "answer: fine", "closed"]);
      }
      await berth.stop();
    },
    TEST_LIMIT_MS,
  );

  testUnless(notLong)(
    "in a stateless run: it starts over, and leaves nothing behind",
    async () => {
      let berth = await startCrashProject();
      const input = { marker: newMarker(), times: 1, when: "inside" };
      const created = await ask<Run>(berth.url, "POST", "/runs", { assistant_id: "deadly", input });
      await dead(berth);
      berth = await berth.restartOnSameData();
      const joined = await ask(berth.url, "GET", `/runs/${created.run_id}/join`);
      expect(joined.trail).toEqual(["first", "second"]);
      expect(await query(berth.data, "select count(*) as count from threads")).toEqual([{ count: 0 }]);
      expect(await query(berth.data, "select count(*) as count from checkpoints")).toEqual([{ count: 0 }]);
      await berth.stop();
    },
    TEST_LIMIT_MS,
  );

  test.concurrent(
    "a run that was to be cancelled when the process died is cancelled, not continued",
    async () => {
      let berth = await startCrashProject();
      const threads = [await newThread(berth.url), await newThread(berth.url)];
      const runs: Run[] = [];
      for (const threadId of threads) {
        const input = { total: 1_000, pause: 20 };
        runs.push(await createRun(berth.url, threadId, { assistant_id: "steps", input }));
      }
      await berth.kill9();
      // The request was committed, and the process died before it could act on it.
      const actions = ["interrupt", "rollback"];
      for (const [at, run] of runs.entries())
        await query(berth.data, `update runs set cancel = '${actions[at]}' where run_id = '${run.run_id}'`);
      berth = await berth.restartOnSameData();
      const [kept, rolledBack] = runs;
      if (!kept || !rolledBack) throw new Error("two runs were created");
      expect(await ended(berth.url, kept)).toMatchObject({ status: "interrupted" });
      await until(
        "the rollback",
        async () => (await call(berth.url, "GET", pathOf(rolledBack))).status,
        (status) => status === 404,
      );
      const { values } = await stateOf(berth.url, rolledBack.thread_id);
      expect(values).toEqual({});
      for (const threadId of threads) {
        expect(await ask(berth.url, "GET", `/threads/${threadId}`)).not.toMatchObject({ status: "busy" });
      }
      await berth.stop();
    },
    TEST_LIMIT_MS,
  );
});

testUnless(notLong)(
  "a run that somebody waited for goes on when they know its id",
  async () => {
    let berth = await startCrashProject();
    const input = { total: 4, pause: 100 };
    for (const where of ["", `/threads/${await newThread(berth.url)}`]) {
      const waiting = await fetch(`${berth.url}${where}/runs/wait`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ assistant_id: "steps", input }),
      });
      const location = waiting.headers.get("location");
      await berth.kill9();
      await waiting.text().catch(() => "");
      berth = await berth.restartOnSameData();
      const joined = await ask(berth.url, "GET", location ?? "/");
      expect(joined.steps).toEqual([1, 2, 3, 4]);
    }
    await berth.stop();
  },
  TEST_LIMIT_MS,
);

test.concurrent(
  "what a graph forgot to catch ends neither its run nor the server",
  async () => {
    const berth = await startCrashProject();
    const run = await createRun(berth.url, await newThread(berth.url), { assistant_id: "stray", input: {} });
    const joined = await ask(berth.url, "GET", `${pathOf(run)}/join`);
    expect(joined).toEqual({ done: true });
    const strays = ["a forgotten promise", "a forgotten timer"];
    await until("both are told", async () => strays.every((stray) => berth.output().includes(stray)));
    expect(await berth.stop()).toBe(0);
  },
  TEST_LIMIT_MS,
);

describe("SIGTERM", () => {
  test.concurrent(
    "lets a short run end",
    async () => {
      const berth = await startCrashProject();
      const threadId = await newThread(berth.url);
      const run = await createRun(berth.url, threadId, {
        assistant_id: "steps",
        input: { total: 5, pause: 100 },
      });
      const joined = fetch(`${berth.url}${pathOf(run)}/join`).then((answer) => answer.json());
      const stopped = berth.stop();
      expect(await joined).toMatchObject({ steps: [1, 2, 3, 4, 5] });
      expect(await stopped).toBe(0);
    },
    TEST_LIMIT_MS,
  );

  test.concurrent(
    "hands a long run back: the next process goes on at once, as the same attempt, and readers miss nothing",
    async () => {
      const data = mkdtempSync(join(folder, "handed-"));
      // Who had to wait for the lease to end would be late.
      const grace = { BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "0", RUN_LEASE_MS: "60000" };
      const first = await start({ project: CRASH_PROJECT, env: grace, data });
      const threadId = await newThread(first.url);
      const response = await fetch(`${first.url}/threads/${threadId}/runs/stream`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          assistant_id: "steps",
          input: { total: 12, pause: 50 },
          config: { recursion_limit: 100 },
          stream_mode: ["values", "custom"],
          stream_resumable: true,
        }),
      });
      const run_id = response.headers.get("content-location")?.split("/").at(-1) ?? "";
      const run = { run_id, thread_id: threadId, status: "running" };
      const seen: Frame[] = [];
      const reading = readFrames(response, seen);
      await until("three steps", async () => seen.filter(({ event }) => event === "custom").length >= 3);
      expect(await first.stop()).toBe(0);
      expect(await reading).toBe(false);
      expect(await query(data, "select status, attempt from runs")).toEqual([
        { status: "pending", attempt: 0 },
      ]);

      const restartedAt = Date.now();
      const second = await start({ project: CRASH_PROJECT, data });
      const readyAt = Date.now();
      // A reader that comes from the start while the run goes on, and one that comes back.
      const [whole, rest] = await Promise.all([
        joinStream(second.url, pathOf(run), "-1"),
        joinStream(second.url, pathOf(run), seen.at(-1)?.id ?? "-1"),
      ]);
      expect([...seen, ...rest]).toEqual(whole);
      expect(whole).toEqual(await joinStream(second.url, pathOf(run), "-1"));
      const first2 = await query<{ at: number }>(
        data,
        `select min(at) as at from events where at >= ${restartedAt}`,
      );
      expect((first2[0]?.at ?? Number.POSITIVE_INFINITY) - readyAt).toBeLessThan(AT_ONCE_MS);
      expect((await stateOf(second.url, threadId)).values.steps).toEqual(
        Array.from({ length: 12 }, (_, index) => index + 1),
      );
      expect(await query(data, "select status, attempt from runs")).toEqual([
        { status: "success", attempt: 1 },
      ]);
      await second.stop();
    },
    TEST_LIMIT_MS,
  );
});
