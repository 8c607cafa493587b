import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { isThere, processesBelow } from "./processes.ts";

const HANG_SECONDS = 3;
const LONG = process.env.BERTH_LONG === "1";
const TALKS = { words: 100, pause: 20 };
const TALKERS = LONG ? 20 : 4;

const KEY = "the-key-of-the-executors";

type Way = [what: string, input: { how: string; ms?: number }, told: RegExp];

const AGAIN = "; the run was tried 3 times";
const BUSY = new RegExp(`busy for \\d+ s without a pause${AGAIN}`);

const SPINS: Way = ["spins for good", { how: "spins", ms: 3_600_000 }, BUSY];
/** What every node can do, whatever runs it. `exits.test.ts` has the last two in every run. */
const EVERYWHERE: Way[] = [
  SPINS,
  ["waits for good", { how: "waits" }, BUSY],
  ["ends the process", { how: "exits" }, /process\.exit\(3\)/],
  ["kills the process", { how: "kills" }, /process\.kill\(\d+\)/],
];
const DIES: Way = [
  "has its process killed",
  { how: "dies" },
  new RegExp(`ended \\(signal SIGKILL\\)${AGAIN}`),
];
const IN_PROCESSES: Way[] = [
  DIES,
  [
    "takes 2 GB",
    { how: "fills", ms: 3_600_000 },
    new RegExp(`took \\d+ MiB of memory, more than its limit of 512 MiB${AGAIN}`),
  ],
];

describe.each([
  ["2", LONG ? EVERYWHERE : [SPINS]],
  ["process:2", LONG ? [...EVERYWHERE, ...IN_PROCESSES] : [DIES]],
] as const)("with EXECUTORS=%s", (EXECUTORS, ways) => {
  let berth: BerthProcess;
  const client = () => new Client({ apiUrl: berth.url, apiKey: KEY });
  const control = new DeploymentApi(() => berth.url, KEY);

  beforeAll(async () => {
    const env = { EXECUTORS, HANG_SECONDS: String(HANG_SECONDS), MEMORY_LIMIT: "512M", SERVICE_API_KEY: KEY };
    berth = await start({ project: join(import.meta.dir, "project"), env });
  });

  afterAll(async () => {
    const below = processesBelow(berth.pid);
    expect(await berth.stop()).toBe(0);
    await until(
      "what it started is gone",
      async () => below.filter(isThere),
      (left) => left.length === 0,
    );
  });

  /** A deployment from its creation until it serves. */
  async function deployed(): Promise<void> {
    const { id, latest_revision_id } = await control.fromTemplate(`beside-${Bun.randomUUIDv7()}`);
    expect(await control.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
    await control.ask("DELETE", `/v2/deployments/${id}`);
  }

  /** The words that a client hears of a run, in order. */
  async function heard(): Promise<number[]> {
    const words: number[] = [];
    const { thread_id } = await client().threads.create();
    const input = { ...TALKS };
    for await (const { event, data } of client().runs.stream(thread_id, "talks", {
      input,
      streamMode: "custom",
    })) {
      if (event === "custom") words.push((data as { word: number }).word);
    }
    return words;
  }

  /** How a run of the graph that breaks ends, on a thread of its own. */
  async function ended(
    input: Record<string, unknown>,
  ): Promise<{ status: string; error?: unknown; attempt?: number }> {
    const { thread_id } = await client().threads.create();
    const { run_id } = await client().runs.create(thread_id, "breaks", { input });
    await client()
      .runs.join(thread_id, run_id)
      .catch(() => undefined);
    const { status } = await client().runs.get(thread_id, run_id);
    const { error } = (await client().threads.get(thread_id)) as unknown as { error?: unknown };
    return { status, error };
  }

  /** Asks `/ok` until something is over; how often it answered. */
  async function answersUntil(over: Promise<unknown>): Promise<number> {
    let isOver = false;
    let answers = 0;
    over.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
      answers += 1;
      await Bun.sleep(20);
    }
    return answers;
  }

  // In threads and in processes the same code decides: a short run looks at one of them.
  const testInThreads = testUnless(EXECUTORS === "2" ? undefined : notLong);

  const everyWord = Array.from({ length: TALKS.words }, (_, word) => word);

  describe("beside clients that read a stream, and a deploy", () => {
    test.each([...ways])("a node that %s fails its own run, and says why", async (what, input, told) => {
      const talkers = Promise.all(Array.from({ length: TALKERS }, heard));
      const deploy = LONG || what === ways[0]?.[0] ? deployed() : Promise.resolve();
      const end = ended(input);
      // Where the one who answers ran it, there would be one answer at most, and none before its end.
      expect(await answersUntil(Promise.all([end, talkers]))).toBeGreaterThan(1);
      expect(await end).toMatchObject({ status: "error" });
      await deploy;
      expect(JSON.stringify((await end).error)).toMatch(told);
      for (const words of await talkers) expect([...new Set(words)].sort((a, b) => a - b)).toEqual(everyWord);
    });

    for (const how of ["throws", "rejects"])
      testInThreads(`what a node ${how} where nobody waits for it ends nothing`, async () => {
        const talkers = Promise.all(Array.from({ length: TALKERS }, heard));
        expect(await ended({ how })).toMatchObject({ status: "success" });
        for (const words of await talkers) expect(words).toEqual(everyWord);
      });
  });

  testInThreads("a node that is busy for less than the limit is left alone", async () => {
    expect(await ended({ how: "spins", ms: (HANG_SECONDS * 1_000) / 2 })).toMatchObject({
      status: "success",
    });
  });

  testUnless(notLong)("a run without a thread whose node spins ends with its error, too", async () => {
    const run = client().runs.wait(null, "breaks", { input: { how: "spins", ms: 3_600_000 } });
    await expect(run).rejects.toThrow(/without a pause/);
  });
});
