import { afterAll, beforeAll, expect, test } from "bun:test";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { execute, PostgresServer, withoutPostgres } from "../../postgres/server.ts";
import { describeUnless, notLong, testUnless } from "../../skips.ts";
import type { BerthProcess } from "../berth-process.ts";
import { until } from "../condition.ts";
import { ask, call, type Frame, joinStream, readFrames } from "../crash-http.ts";
import { CRASH_PROJECT } from "../crash-round.ts";
import { Berths } from "./berths.ts";

type Run = { run_id: string; thread_id: string; status: string };

/** A request is answered by then although the database is away. */
const ANSWERED_MS = 5_000;
/** Everything works again by then, on a machine that has nothing else to do. */
const BACK_MS = 2_000;
/** What two runs, one after the other, take at most on such a machine: a busier one may take longer in proportion. */
const QUIET_MS = 500;
/** The driver's own tries to listen again are seconds apart by then. */
const AWAY_MS = 9_000;
/** Runs wait as long for the database as their lease lasts; longer than requests do. */
const LEASE_MS = 7_000;
/** On each Berth; in a long run, more than can be written at once. */
const RUNS = notLong === undefined ? 5 : 2;
const STEPS = 60;

/** For a thread's commands; nothing that makes a thread. */
const COMMAND = { id: 1, method: "run.start", params: { assistant_id: "steps", input: { total: 1 } } };

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const pathOf = (run: Run) => `/threads/${run.thread_id}/runs/${run.run_id}`;

describeUnless(withoutPostgres())("two Berths whose database has trouble", () => {
  let server: PostgresServer;
  let berths: Berths;
  let a: BerthProcess;
  let b: BerthProcess;

  beforeAll(async () => {
    server = await PostgresServer.start();
    await execute(server.url(), "create database berth");
    berths = await Berths.on(server.url("berth"));
    const env = { RUN_LEASE_MS: String(LEASE_MS), LOG_LEVEL: "info" };
    a = await berths.start({ project: CRASH_PROJECT, env });
    b = await berths.start({ project: CRASH_PROJECT, env });
  });
  afterAll(async () => {
    await berths.stop();
    await server.remove();
  });

  async function newRun(url: string, total: number, pause: number): Promise<Run> {
    const { thread_id } = await ask<Run>(url, "POST", "/threads", {});
    return ask<Run>(url, "POST", `/threads/${thread_id}/runs`, {
      assistant_id: "steps",
      input: { total, pause },
      stream_mode: ["values", "custom"],
      stream_resumable: true,
      config: { recursion_limit: 1_000 },
    });
  }

  async function reader(url: string, run: Run) {
    const response = await fetch(`${url}${pathOf(run)}/stream`, { headers: { "last-event-id": "-1" } });
    const frames: Frame[] = [];
    return { frames, ended: readFrames(response, frames) };
  }

  /** How many Berths hear what others commit. */
  const listening = async () =>
    (
      await execute(
        server.url("berth"),
        "select pid from pg_stat_activity where datname = 'berth' and application_name = 'berth' and query ilike 'listen%'",
      )
    ).length;

  /** A run from each Berth that is waited for there; how long they took (ms). */
  async function allDoTheirWork(): Promise<number> {
    const since = performance.now();
    for (const { url } of [a, b]) {
      const fresh = await newRun(url, 2, 1);
      expect(await ask(url, "GET", `${pathOf(fresh)}/join`)).toMatchObject({ steps: [1, 2] });
    }
    return performance.now() - since;
  }

  const stepsOf = async (url: string, run: Run) =>
    (await ask<{ values: { steps: number[] } }>(url, "GET", `/threads/${run.thread_id}/state`)).values.steps;

  test(
    "that goes away: they say so, and all works again soon after its return",
    async () => {
      const beforeMs = await allDoTheirWork();
      const runs = await Promise.all(upTo(2 * RUNS).map((at) => newRun(at % 2 ? a.url : b.url, STEPS, 250)));
      const joined = runs.map((run) => call(a.url, "GET", `${pathOf(run)}/join`));
      const far = await Promise.all(runs.map((run, at) => reader(at % 2 ? a.url : b.url, run)));
      for (const { frames } of far) await until("its first events", async () => frames.length > 3);
      await server.stop();
      const since = performance.now();
      for (const { url } of [a, b]) {
        for (const [method, path] of [
          ["GET", "/ok"],
          ["GET", "/threads/00000000-0000-4000-8000-000000000000"],
          ["POST", "/threads"],
          ["POST", "/threads/00000000-0000-4000-8000-000000000000/commands"],
        ] as const) {
          const since = performance.now();
          const answer = await call(url, method, path, method === "POST" ? COMMAND : undefined);
          expect([path, answer.status]).toEqual([path, 503]);
          expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
          expect(performance.now() - since).toBeLessThan(ANSWERED_MS);
        }
      }
      await Bun.sleep(Math.max(0, since + AWAY_MS - performance.now()));
      const seen = far.map(({ frames }) => frames.length);
      await server.start();
      const back = performance.now();
      for (const { url } of [a, b])
        await until("it is well", async () => (await call(url, "GET", "/ok")).status === 200);
      await until("both to listen", async () => (await listening()) === 2);
      for (const [at, { frames }] of far.entries())
        await until("a reader to get more", async () => frames.length > (seen[at] ?? 0));
      const readMs = performance.now() - back;
      const againMs = await allDoTheirWork();
      console.log(
        `readers got more ${Math.round(readMs)} ms after the return; runs took ${Math.round(againMs)} ms, and ${Math.round(beforeMs)} before`,
      );
      const busyMs = Math.max(QUIET_MS, beforeMs, await allDoTheirWork());
      expect(readMs + againMs).toBeLessThan(BACK_MS * (busyMs / QUIET_MS));
      for (const [at, run] of runs.entries()) {
        expect((await joined[at])?.body).toMatchObject({ steps: upTo(STEPS) });
        expect(await stepsOf(b.url, run)).toEqual(upTo(STEPS));
        expect(await ask(a.url, "GET", pathOf(run))).toMatchObject({ status: "success" });
        expect(await far[at]?.ended).toBe(true);
        expect(far[at]?.frames).toEqual(await joinStream(a.url, pathOf(run), "-1"));
      }
      for (const failure of ["stray error", "traces.dropped"])
        expect(a.output() + b.output()).not.toContain(failure);
    },
    TEST_LIMIT_MS,
  );

  testUnless(notLong)(
    "whose connections are ended again and again: nothing is lost",
    async () => {
      const runs = await Promise.all(upTo(8).map((at) => newRun(at % 2 ? a.url : b.url, 40, 20)));
      const far = await Promise.all(runs.map((run, at) => reader(at % 2 ? a.url : b.url, run)));
      let ended = false;
      const ending = Promise.all(far.map((one) => one.ended)).finally(() => {
        ended = true;
      });
      let kills = 0;
      while (!ended) {
        await execute(
          server.url(),
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'berth' order by random() limit 4",
        );
        kills += 1;
        const made = await call(a.url, "POST", "/threads", {});
        expect([200, 503]).toContain(made.status);
        if (made.status === 200) await ask(b.url, "GET", `/threads/${(made.body as Run).thread_id}`);
      }
      expect(kills).toBeGreaterThan(1);
      expect(await ending).toEqual(runs.map(() => true));
      for (const [at, run] of runs.entries()) {
        expect(await stepsOf(b.url, run)).toEqual(upTo(40));
        expect(far[at]?.frames).toEqual(await joinStream(a.url, pathOf(run), "-1"));
      }
    },
    TEST_LIMIT_MS,
  );

  testUnless(notLong)(
    "one of them freezes for longer than its leases, and goes on",
    async () => {
      const run = await newRun(a.url, 60, 50);
      const near = await reader(a.url, run);
      await until("its first events", async () => near.frames.length > 3);
      const holder = (await execute(server.url("berth"), "select host, pid from control_lease")) as {
        pid: number;
      }[];
      process.kill(a.pid, "SIGSTOP");
      try {
        const far = await reader(b.url, run);
        const isAgain = (frames: Frame[]) => frames.filter(({ event }) => event === "metadata").length === 2;
        await until("the other one to go on", async () => isAgain(far.frames));
        if (Number(holder[0]?.pid) === a.pid)
          await until("the other one to lead", async () => {
            const [row] = await execute(server.url("berth"), "select pid from control_lease");
            return Number(row?.pid) === b.pid;
          });
        process.kill(a.pid, "SIGCONT");
        expect(await far.ended).toBe(true);
        expect(await near.ended).toBe(true);
        const whole = await joinStream(b.url, pathOf(run), "-1");
        expect(far.frames).toEqual(whole);
        expect(near.frames).toEqual(whole);
      } finally {
        process.kill(a.pid, "SIGCONT");
      }
      expect(await stepsOf(a.url, run)).toEqual(upTo(60));
      expect(await ask(a.url, "GET", pathOf(run))).toMatchObject({ status: "success" });
      const after = await newRun(a.url, 2, 1);
      expect(await ask(b.url, "GET", `${pathOf(after)}/join`)).toMatchObject({ steps: [1, 2] });
    },
    TEST_LIMIT_MS,
  );
});
