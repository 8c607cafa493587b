import { expect, test } from "bun:test";
import { TEST_LIMIT_MS } from "../limits.ts";
import { type CrashFigures, crashRound, POINTS } from "./webhooks/crash-round.ts";

const LONG = process.env.BERTH_LONG === "1";
const ROUNDS = LONG ? 200 : POINTS.length;

test(
  `no webhook is lost in ${ROUNDS} kills, nor sent more often than it was tried`,
  async () => {
    const figures: CrashFigures[] = [];
    for (let seed = 1; seed <= ROUNDS; seed += 1) figures.push(await crashRound(seed));
    expect(new Set(figures.map(({ point }) => point)).size).toBe(POINTS.length);
    const sum = (of: (round: CrashFigures) => number) =>
      figures.reduce((total, round) => total + of(round), 0);
    if (LONG)
      console.log(
        `${ROUNDS} kills: ${sum(({ committed }) => committed)} committed, all of them came, in ` +
          `${sum(({ requests }) => requests)} requests; ${sum(({ twice }) => twice)} came more than once, ` +
          `at most ${Math.max(...figures.map(({ mostTimes }) => mostTimes))} times`,
      );
  },
  LONG ? 900_000 : TEST_LIMIT_MS,
);
