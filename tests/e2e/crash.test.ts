import { describe, test } from "bun:test";
import { TEST_LIMIT_MS } from "../limits.ts";
import { crashRound, expectRecovered, type RoundFigures } from "./crash-round.ts";

const LONG = process.env.BERTH_LONG === "1";
const QUICK_LEASE = { RUN_LEASE_MS: "2000" };
const ROUNDS = LONG ? 50 : 1;
/** One round takes some ten seconds on a busy machine. */

// BERTH_SEED=N repeats a round that failed.
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

describe("kill -9 under a mixed load loses nothing", () => {
  test.concurrent(
    `${ROUNDS} rounds with a short lease`,
    async () => {
      const figures: RoundFigures[] = [];
      for (let round = 0; round < ROUNDS; round += 1) figures.push(await seeded(SEED + round, QUICK_LEASE));
      if (LONG) console.log(summary(figures));
    },
    ROUNDS * TEST_LIMIT_MS,
  );

  test.concurrent(
    "a round with the lease as it is",
    async () => {
      await seeded(SEED + ROUNDS, {});
    },
    TEST_LIMIT_MS,
  );
});

async function seeded(seed: number, env: Record<string, string>): Promise<RoundFigures> {
  try {
    const figures = await crashRound(seed, env);
    expectRecovered(figures);
    if (LONG) console.log(JSON.stringify(figures));
    return figures;
  } catch (error) {
    console.error(`repeat this round with BERTH_SEED=${seed}`);
    throw error;
  }
}

function summary(rounds: RoundFigures[]): string {
  const total = (pick: (round: RoundFigures) => number) => rounds.reduce((sum, one) => sum + pick(one), 0);
  return [
    `${rounds.length} rounds, ${total((one) => one.acknowledged)} creates acknowledged and found,`,
    `${total((one) => one.told)} protocol events told and kept,`,
    `${total((one) => one.inFlight)} runs in flight, ${total((one) => one.continued)} went on,`,
    `the last within ${Math.max(...rounds.map((one) => one.recoveryMs))} ms of the next start`,
  ].join(" ");
}
