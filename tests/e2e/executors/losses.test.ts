import { expect, test } from "bun:test";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { Load, randomOf } from "../crash-load.ts";
import { CRASH_PROJECT, expectAllKept } from "../crash-round.ts";
import { isThere, processesBelow } from "./processes.ts";

const LONG = process.env.BERTH_LONG === "1";
const ROUNDS = LONG ? 50 : 1;
const KILLS = 3;

// BERTH_SEED=N repeats a round that failed.
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Under a mixed load, single executors are killed at moments that the seed decides; the server stays. */
async function lossRound(seed: number): Promise<void> {
  const random = randomOf(seed);
  const berth = await start({ project: CRASH_PROJECT, env: { EXECUTORS: "process:2" } });
  try {
    const load = new Load(berth.url, random);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const executors = () => processesBelow(berth.pid);
      await until("an executor is there", async () => executors().length > 0);
      await Bun.sleep(100 + random() * 900);
      const victim = executors().at(Math.floor(random() * executors().length));
      if (victim !== undefined) process.kill(victim, "SIGKILL");
    }
    await load.stop();
    await expectAllKept(berth.url, load.acknowledged);
  } finally {
    const below = processesBelow(berth.pid);
    expect(await berth.stop()).toBe(0);
    await until(
      "what it started is gone",
      async () => below.filter(isThere),
      (left) => left.length === 0,
    );
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
