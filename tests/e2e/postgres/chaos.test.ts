import { expect, test } from "bun:test";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { withoutPostgres } from "../../postgres/server.ts";
import { describeUnless, notLong } from "../../skips.ts";
import { Chaos, type ChaosFigures } from "./chaos-round.ts";
import { FAULTS, type FaultKind } from "./faults.ts";

const LONG = process.env.BERTH_LONG === "1";
const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 100);
// BERTH_SEED=N repeats a round that failed; CHAOS_FAULT=NAME has only this one break.
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const ONLY = process.env.CHAOS_FAULT as FaultKind | undefined;

describeUnless(withoutPostgres() ?? notLong)("three Berths on one Postgres behind a load balancer", () => {
  test(
    `lose nothing while something breaks, in ${ROUNDS} rounds`,
    async () => {
      const chaos = await Chaos.start(SEED);
      const figures: ChaosFigures[] = [];
      try {
        for (let at = 0; at < ROUNDS; at += 1) {
          const fault = ONLY ?? FAULTS[at % FAULTS.length] ?? "nothing";
          figures.push(await seeded(chaos, SEED + at, fault));
        }
        const deployed = await chaos.deployed();
        if (LONG) console.log(JSON.stringify(deployed));
        expect(deployed.deleted).toBeGreaterThan(0);
      } finally {
        await chaos.stop();
        if (LONG) console.log(summary(figures));
      }
    },
    ROUNDS * TEST_LIMIT_MS,
  );
});

async function seeded(chaos: Chaos, seed: number, fault: FaultKind): Promise<ChaosFigures> {
  try {
    const figures = await chaos.round(seed, fault);
    if (LONG) console.log(JSON.stringify(figures));
    return figures;
  } catch (error) {
    console.error(`a round with ${fault} failed; repeat it with BERTH_SEED=${seed} CHAOS_FAULT=${fault}`);
    for (const berth of chaos.cluster.berths) console.error(warnings(berth.output()).slice(-4_000));
    throw error;
  }
}

const warnings = (printed: string) =>
  printed
    .split("\n")
    .filter((line) => !line.includes('"level":"info"'))
    .join("\n");

function summary(rounds: ChaosFigures[]): string {
  const sum = (pick: (round: ChaosFigures) => number) => rounds.reduce((all, one) => all + pick(one), 0);
  const last = rounds.at(-1);
  return [
    `${rounds.length} rounds, ${sum(({ acknowledged }) => acknowledged)} things acknowledged and kept;`,
    `${last?.runs} marked runs in ${last?.executions} executions, none by two at once`,
    `(a process noticed within ${last?.afterThaw} ms that it was thawed; ${last?.starved} attempts were starved);`,
    `${last?.ticks} ticks of crons, each of them one run;`,
    `${sum(({ followed }) => followed)} readers got ${sum(({ events }) => events)} events once each,`,
    `over ${sum(({ reconnects }) => reconnects)} reconnects; ${last?.deliveries} deliveries, each with the same bytes`,
  ].join(" ");
}
