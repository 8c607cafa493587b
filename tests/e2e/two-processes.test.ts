import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AT_ONCE_MS, quickest, TEST_LIMIT_MS } from "../limits.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { ask, call, type Frame, joinStream, readFrames } from "./crash-http.ts";
import { CRASH_PROJECT } from "./crash-round.ts";
import { processesBelow } from "./executors/processes.ts";
import { isWritten, query } from "./stored.ts";

type Run = { run_id: string; thread_id: string; status: string };

const LEASE_MS = 3_000;
/** How late one process may hear of what the other did. */
const LATENCY_MS = 500;

const folder = mkdtempSync(join(tmpdir(), "berth-two-"));
const pathOf = (run: Run) => `/threads/${run.thread_id}/runs/${run.run_id}`;
const get = (url: string, run: Run) => ask<Run>(url, "GET", pathOf(run));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function newThread(url: string): Promise<string> {
  return (await ask<{ thread_id: string }>(url, "POST", "/threads", {})).thread_id;
}

async function newRun(url: string, body: object): Promise<Run> {
  return ask<Run>(url, "POST", `/threads/${await newThread(url)}/runs`, body);
}

const steps = (total: number, pause: number) => ({
  assistant_id: "steps",
  input: { total, pause },
  stream_mode: ["values", "custom"],
  stream_resumable: true,
  config: { recursion_limit: 1_000 },
});

const running = (url: string, run: Run) =>
  until(
    "a run under way",
    () => get(url, run),
    ({ status }) => status === "running",
  );

async function stepsOf(url: string, threadId: string): Promise<unknown> {
  const { values } = await ask<{ values: { steps?: number[] } }>(url, "GET", `/threads/${threadId}/state`);
  return values.steps;
}

/** Reads a run's stream from its first event on, in the background. */
async function reader(url: string, run: Run): Promise<{ frames: Frame[]; ended: Promise<boolean> }> {
  const response = await fetch(`${url}${pathOf(run)}/stream`, { headers: { "last-event-id": "-1" } });
  const frames: Frame[] = [];
  return { frames, ended: readFrames(response, frames) };
}

const someCustom = (frames: Frame[]) =>
  until("some events", async () => frames.filter(({ event }) => event === "custom").length >= 2);

/**
 * Stops a process between two of its transactions. One that is stopped inside of one holds SQLite's write lock, and
 * nobody on the file writes before it goes on or is killed (docs/operations.md).
 */
async function freeze({ pid, data }: BerthProcess): Promise<void> {
  await until("the process to stop where it holds no lock", async () => {
    process.kill(pid, "SIGSTOP");
    const isFree = !(await isWritten(data));
    if (!isFree) process.kill(pid, "SIGCONT");
    return isFree;
  });
}

describe("two processes on one database", () => {
  let a: BerthProcess;
  let b: BerthProcess;

  beforeAll(async () => {
    a = await start({ project: CRASH_PROJECT, env: { RUN_LEASE_MS: String(LEASE_MS) } });
    b = await a.restartOnSameData();
  });

  afterAll(async () => {
    await a.stop();
    await b.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test(
    "run each of 200 runs once, in one of them",
    async () => {
      const file = join(folder, "witnesses");
      const labels = upTo(200).map(String);
      const create = (label: string, at: number) =>
        newRun(at % 2 ? a.url : b.url, { assistant_id: "witness", input: { file, label, pause: 5 } });
      const runs = await Promise.all(labels.map(create));
      await Promise.all(
        runs.map(async (run, at) => {
          // Asked of the process that did not take it.
          expect(await ask(at % 2 ? b.url : a.url, "GET", `${pathOf(run)}/join`)).toMatchObject({
            label: labels[at],
          });
          expect(await get(a.url, run)).toMatchObject({ status: "success" });
        }),
      );
      const lines = readFileSync(file, "utf8").trim().split("\n");
      const seen = lines.map((line) => line.split(" "));
      expect(seen.map(([, label]) => Number(label)).sort((x, y) => x - y)).toEqual(upTo(200));
      const owner = new Map(
        [a, b].flatMap(({ pid }) => [pid, ...processesBelow(pid)].map((one) => [one, pid])),
      );
      expect(new Set(seen.map(([pid]) => owner.get(Number(pid))))).toEqual(new Set([a.pid, b.pid]));
    },
    TEST_LIMIT_MS,
  );

  test(
    "keep the order of a thread's runs, whoever they were given to",
    async () => {
      const file = join(folder, "ordered");
      const thread_id = await newThread(a.url);
      const labels = upTo(40).map(String);
      for (const [at, label] of labels.entries()) {
        const input = { file, label, pause: at === 0 ? 300 : 1 };
        await ask(at % 2 ? a.url : b.url, "POST", `/threads/${thread_id}/runs`, {
          assistant_id: "witness",
          input,
        });
      }
      const kept = await until(
        "all runs",
        async () =>
          (await ask<{ values: { labels?: string[] } }>(a.url, "GET", `/threads/${thread_id}/state`)).values
            .labels ?? [],
        (all) => all.length === labels.length,
      );
      expect(kept).toEqual(labels);
      const lines = readFileSync(file, "utf8").trim().split("\n");
      expect(lines.map((line) => line.split(" ")[1])).toEqual(labels);
    },
    TEST_LIMIT_MS,
  );

  test(
    "show each other's runs live, without a gap or a repeat",
    async () => {
      const run = await newRun(a.url, steps(10, 60));
      const near = await reader(a.url, run);
      const far = await reader(b.url, run);
      const endOf = async (one: { ended: Promise<boolean> }) => {
        expect(await one.ended).toBe(true);
        return performance.now();
      };
      const join = ask(b.url, "GET", `${pathOf(run)}/join`).then(() => performance.now());
      const [nearEnd, farEnd, joinEnd] = await Promise.all([endOf(near), endOf(far), join]);
      expect(far.frames).toEqual(near.frames);
      expect(far.frames).toEqual(await joinStream(b.url, pathOf(run), "-1"));
      expect(far.frames.filter(({ event }) => event === "custom")).toHaveLength(10);
      expect(farEnd - nearEnd).toBeLessThan(AT_ONCE_MS);
      expect(joinEnd - nearEnd).toBeLessThan(AT_ONCE_MS);
    },
    TEST_LIMIT_MS,
  );

  test(
    "pass an event on soon after it happened",
    async () => {
      const run = await newRun(a.url, steps(9, 400));
      const near = await reader(a.url, run);
      const far = await reader(b.url, run);
      const customs = (frames: Frame[]) => frames.filter(({ event }) => event === "custom").length;
      let count = 0;
      const passedOn = async () => {
        count += 1;
        await until("the event where it happens", async () => customs(near.frames) >= count);
        const since = performance.now();
        await until("the event over there", async () => customs(far.frames) >= count);
        return performance.now() - since;
      };
      expect(await quickest(LATENCY_MS, passedOn)).toBeLessThan(LATENCY_MS);
      await call(a.url, "POST", `${pathOf(run)}/cancel?wait=true`);
      await near.ended;
    },
    TEST_LIMIT_MS,
  );

  test(
    "cancel each other's runs, at once",
    async () => {
      for (const action of ["interrupt", "rollback"]) {
        const run = await newRun(a.url, steps(900, 50));
        await running(b.url, run);
        const since = performance.now();
        const answer = await call(b.url, "POST", `${pathOf(run)}/cancel?wait=true&action=${action}`);
        expect(answer.status).toBe(204);
        expect(performance.now() - since).toBeLessThan(AT_ONCE_MS);
        const found = await call(b.url, "GET", pathOf(run));
        if (action === "rollback") expect(found.status).toBe(404);
        else expect(found.body).toMatchObject({ status: "interrupted" });
        expect(await ask(a.url, "GET", `/threads/${run.thread_id}`)).not.toMatchObject({ status: "busy" });
      }
    },
    TEST_LIMIT_MS,
  );

  test(
    "make way for each other's runs",
    async () => {
      for (const multitask_strategy of ["interrupt", "rollback"]) {
        const run = await newRun(a.url, steps(500, 20));
        await running(b.url, run);
        const input = { total: 3, pause: 1 };
        const path = `/threads/${run.thread_id}/runs`;
        const next = await ask<Run>(b.url, "POST", path, {
          assistant_id: "steps",
          input,
          multitask_strategy,
        });
        await ask(b.url, "GET", `${pathOf(next)}/join`);
        expect(await get(a.url, next)).toMatchObject({ status: "success" });
        if (multitask_strategy === "interrupt") {
          expect(await get(b.url, run)).toMatchObject({ status: "interrupted" });
        } else {
          expect((await call(b.url, "GET", pathOf(run))).status).toBe(404);
          expect(await stepsOf(a.url, run.thread_id)).toEqual([1, 2, 3]);
        }
      }
    },
    TEST_LIMIT_MS,
  );

  test(
    "continue one another's threads from what the other wrote last",
    async () => {
      const thread_id = await newThread(a.url);
      for (const total of upTo(12)) {
        const body = { assistant_id: "steps", input: { total, pause: 0 } };
        await ask(total % 2 ? a.url : b.url, "POST", `/threads/${thread_id}/runs/wait`, body);
      }
      for (const { url } of [a, b]) expect(await stepsOf(url, thread_id)).toEqual(upTo(12));
    },
    TEST_LIMIT_MS,
  );

  test(
    "a process that froze past its lease has lost its run and writes nothing more of it",
    async () => {
      const run = await newRun(a.url, steps(40, 50));
      const near = await reader(a.url, run);
      await someCustom(near.frames);
      await freeze(a);
      const far = await reader(b.url, run);
      const attempts = (frames: Frame[]) => frames.filter(({ event }) => event === "metadata").length;
      await until("the other process to go on", async () => attempts(far.frames) === 2);
      process.kill(a.pid, "SIGCONT");
      expect(await far.ended).toBe(true);
      expect(await near.ended).toBe(true);
      const whole = await joinStream(b.url, pathOf(run), "-1");
      expect(far.frames).toEqual(whole);
      // The reader of the frozen process goes on with what the other one wrote.
      expect(near.frames).toEqual(whole);
      expect(await get(a.url, run)).toMatchObject({ status: "success" });
      expect(await stepsOf(a.url, run.thread_id)).toEqual(upTo(40));
      expect(await query(a.data, `select attempt from runs where run_id = '${run.run_id}'`)).toEqual([
        { attempt: 2 },
      ]);
      const again = await ask<{ steps: number[] }>(
        a.url,
        "POST",
        `/threads/${run.thread_id}/runs/wait`,
        steps(41, 1),
      );
      expect(again.steps).toEqual(upTo(41));
    },
    TEST_LIMIT_MS,
  );

  test(
    "the one that is left takes over what a killed one was doing",
    async () => {
      const runs = await Promise.all(upTo(4).map(() => newRun(a.url, steps(30, 40))));
      const readers = await Promise.all(runs.map((run) => reader(b.url, run)));
      await Promise.all(readers.map(({ frames }) => someCustom(frames)));
      const data = a.data;
      await a.kill9();
      const killedAt = Date.now();
      // Looked for at once: the log of a run that has ended is folded.
      const [first] = await until(
        "a second attempt",
        () =>
          query<{ at: number }>(
            data,
            `select at from events where body like 'metadata%"attempt":2%' order by at limit 1`,
          ),
        ({ length }) => length > 0,
      );
      const waited = (first?.at ?? Number.POSITIVE_INFINITY) - killedAt;
      expect(waited).toBeLessThan(LEASE_MS + AT_ONCE_MS);
      for (const { ended } of readers) expect(await ended).toBe(true);
      for (const [at, run] of runs.entries()) {
        expect(await get(b.url, run)).toMatchObject({ status: "success" });
        expect(await stepsOf(b.url, run.thread_id)).toEqual(upTo(30));
        expect(readers[at]?.frames).toEqual(await joinStream(b.url, pathOf(run), "-1"));
      }
    },
    TEST_LIMIT_MS,
  );
});
