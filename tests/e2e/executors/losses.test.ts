import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { Load, randomOf } from "../crash-load.ts";
import { CRASH_PROJECT, expectAllKept } from "../crash-round.ts";

const LONG = process.env.BERTH_LONG === "1";
const ROUNDS = LONG ? 50 : 1;
const KILLS = 3;

// BERTH_SEED=N repeats a round that failed.
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** The processes that a process has started. */
function childrenOf(pid: number): number[] {
  const parentOf = (one: string) => {
    try {
      return Number(readFileSync(`/proc/${one}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

/** Under a mixed load, single executors are killed at moments that the seed decides; the server stays. */
async function lossRound(seed: number): Promise<void> {
  const random = randomOf(seed);
  const berth = await start({ project: CRASH_PROJECT, env: { EXECUTORS: "process:2" } });
  try {
    const load = new Load(berth.url, random);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const executors = () => childrenOf(berth.pid);
      await until("an executor is there", async () => executors().length > 0);
      await Bun.sleep(100 + random() * 900);
      const victim = executors().at(Math.floor(random() * executors().length));
      if (victim !== undefined) process.kill(victim, "SIGKILL");
    }
    await load.stop();
    await expectAllKept(berth.url, load.acknowledged);
  } finally {
    expect(await berth.stop()).toBe(0);
    expect(childrenOf(berth.pid)).toEqual([]);
  }
}

test.skipIf(process.platform !== "linux")(
  `${ROUNDS} rounds of ${KILLS} killed executors under a mixed load lose nothing`,
  async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await lossRound(SEED + round).catch((error: unknown) => {
        console.error(`repeat this round with BERTH_SEED=${SEED + round}`);
        throw error;
      });
    }
  },
  ROUNDS * TEST_LIMIT_MS,
);
