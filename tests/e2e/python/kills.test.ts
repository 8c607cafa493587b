import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { noPython, testPython } from "../../python-here.ts";
import { describeUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { commandOf, isThere, processesBelow } from "../executors/processes.ts";

const PROJECT = join(import.meta.dir, "project");
const LONG = process.env.BERTH_LONG === "1";
const ROUNDS = LONG ? 50 : 1;
const RUNS = 6;
const STEPS = 12;

type Part = { event: string; data: unknown; id?: string };

// Which processes there are, only Linux tells.
describeUnless(noPython ?? (process.platform === "linux" ? undefined : "needs /proc"))(
  "kill -9 of a worker",
  () => {
    let berth: BerthProcess;
    const client = () => new Client({ apiUrl: berth.url });
    const workers = () => processesBelow(berth.pid).filter((pid) => commandOf(pid).includes("python"));
    let [killed, attempts, events] = [0, 0, 0];

    beforeAll(async () => {
      const env = { PYTHON: testPython() ?? "", EXECUTORS: "2", RUN_LEASE_MS: "5000" };
      berth = await start({ project: PROJECT, env });
    });
    afterAll(async () => {
      const left = workers();
      expect(await berth.stop()).toBe(0);
      await until(
        "no process is left",
        async () => left.filter(isThere),
        (pids) => pids.length === 0,
      );
      console.log(`kills of workers: ${killed} in ${ROUNDS} rounds; ${attempts} attempts, ${events} events`);
    });

    /** A run with a reader from its beginning to its end. */
    async function readRun(): Promise<void> {
      const { thread_id } = await client().threads.create();
      const seen: Part[] = [];
      const input = { wanted: STEPS, steps: [] };
      const stream = client().runs.stream(thread_id, "counted", { input, streamMode: ["values"] });
      for await (const part of stream) seen.push(part as Part);
      events += seen.length;
      attempts += seen.filter(({ event }) => event === "metadata").length;
      expect(seen.filter(({ event }) => event === "error")).toEqual([]);
      const states = seen
        .filter(({ event }) => event === "values")
        .map(({ data }) => data as { steps: number[] });
      const whole = Array.from({ length: STEPS }, (_, at) => at);
      expect(states.at(-1)?.steps).toEqual(whole);
      // A state that was shown is one that was kept: none is taken back by the attempt that follows.
      for (const [at, { steps }] of states.entries())
        expect(steps.length).toBeGreaterThanOrEqual(states[at - 1]?.steps.length ?? 0);
      const [run, ...more] = await client().runs.list(thread_id);
      expect([run?.status, more.length]).toEqual(["success", 0]);
      expect((await client().threads.getState<{ steps: number[] }>(thread_id)).values.steps).toEqual(whole);
    }

    for (let round = 0; round < ROUNDS; round += 1)
      test(`at a random moment, round ${round + 1}: every run goes on and ends once`, async () => {
        const runs = Array.from({ length: RUNS }, readRun);
        const ended = Promise.all(runs);
        await Bun.sleep(100 + Math.random() * 400);
        for (const pid of workers()) {
          process.kill(pid, "SIGKILL");
          killed += 1;
        }
        await ended;
      });
  },
);

describeUnless(noPython ?? (process.platform === "linux" ? undefined : "needs /proc"))(
  "a worker that is blocked",
  () => {
    test("for longer than HANG_SECONDS is replaced with its executor, and does not stay behind", async () => {
      const folder = mkdtempSync(join(tmpdir(), "berth-python-hangs-"));
      const flag = join(folder, "blocks");
      const mark = crypto.randomUUID();
      const env = { PYTHON: testPython() ?? "", EXECUTORS: "1", HANG_SECONDS: "2", MARK: mark };
      const berth = await start({ project: PROJECT, env });
      try {
        const client = new Client({ apiUrl: berth.url });
        const { thread_id } = await client.threads.create();
        const input = { seconds: 600, flag };
        await client.runs.create(thread_id, "blocking", { input });
        await until(
          "it blocks",
          async () => existsSync(flag),
          (blocks) => blocks,
        );
        expect(marked(mark).length).toBeGreaterThan(0);
        const blocked = processesBelow(berth.pid).filter((pid) => commandOf(pid).includes("python"));
        await until(
          "its worker is gone",
          async () => blocked.filter(isThere).length < blocked.length,
          (gone) => gone,
        );
        expect(await client.runs.wait(null, "plain", { input: {} })).toEqual({ steps: ["only"] });
      } finally {
        await berth.kill9();
        rmSync(folder, { recursive: true, force: true });
        rmSync(berth.data, { recursive: true, force: true });
      }
      await until(
        "no worker is left",
        async () => marked(mark),
        (pids) => pids.length === 0,
      );
    });
  },
);

/** Workers with a mark in their environment, whoever their parent is by now. */
function marked(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(
      (pid) =>
        commandOf(pid).includes("from the first frame") && environmentOf(pid).includes(mark) && isThere(pid),
    );
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
