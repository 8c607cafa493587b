import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../limits.ts";
import { notLong, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { ask } from "./crash-http.ts";
import { randomOf } from "./crash-load.ts";
import { CRASH_PROJECT } from "./crash-round.ts";
import { makeDue, runsOfCrons, SELDOM, ticksLeft } from "./cron-ticks.ts";

const LONG = process.env.BERTH_LONG === "1";
const ROUNDS = LONG ? 50 : 1;
const LEASE_MS = 1_500;
const THREADS = 12;
/** How often a process looks for crons that are due. */
const PACE_MS = 500;

// BERTH_SEED=N repeats a round that failed.
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

type Cron = { cron_id: string };

/** Crons that fire when they are made due, and how many ticks each of them got. */
class Ticks {
  readonly given = new Map<string, number>();
  #ids: string[] = [];

  constructor(readonly data: string) {}

  /** One on each of some threads, and as many that need none; their runs can all be counted. */
  async create(url: string): Promise<void> {
    const file = join(this.data, "witnesses");
    const body = { assistant_id: "witness", schedule: SELDOM, input: { file, label: "tick", pause: 20 } };
    const creating = Array.from({ length: THREADS }, async () => {
      const { thread_id } = await ask<{ thread_id: string }>(url, "POST", "/threads", {});
      return [
        await ask<Cron>(url, "POST", `/threads/${thread_id}/runs/crons`, body),
        await ask<Cron>(url, "POST", "/runs/crons", { ...body, on_run_completed: "keep" }),
      ];
    });
    this.#ids = (await Promise.all(creating)).flat().map(({ cron_id }) => cron_id);
    for (const id of this.#ids) this.given.set(id, 0);
  }

  /** A new tick for every cron that has none waiting; gives how many. */
  async give(): Promise<number> {
    const due = await makeDue(this.data, this.#ids);
    for (const id of due) this.given.set(id, (this.given.get(id) ?? 0) + 1);
    return due.length;
  }

  get total(): number {
    return [...this.given.values()].reduce((sum, one) => sum + one, 0);
  }

  /** Every tick made one run, no more and no less, and every run came to its end. */
  async check(): Promise<void> {
    await until(
      "every tick to be taken",
      () => ticksLeft(this.data),
      (left) => left === 0,
    );
    const runs = await until(
      "every run to end",
      () => runsOfCrons(this.data),
      (found) => [...found.values()].flat().every((status) => status !== "pending" && status !== "running"),
    );
    for (const [id, ticks] of this.given) {
      expect([id, runs.get(id) ?? []]).toEqual([id, Array(ticks).fill("success")]);
    }
  }
}

type Figures = { seed: number; ticks: number; left: number; inFlight: number };

/** What a kill left behind. */
async function wreck(data: string): Promise<Pick<Figures, "left" | "inFlight">> {
  const statuses = [...(await runsOfCrons(data)).values()].flat();
  return {
    left: await ticksLeft(data),
    inFlight: statuses.filter((status) => status === "pending" || status === "running").length,
  };
}

/** Ticks come, the process is killed at a moment that the seed decides, more ticks come, and another one starts. */
async function round(seed: number): Promise<Figures> {
  const random = randomOf(seed);
  const first = await start({ project: CRASH_PROJECT, env: { RUN_LEASE_MS: String(LEASE_MS) } });
  const ticks = new Ticks(first.data);
  await ticks.create(first.url);
  for (let turn = 0; turn < 3; turn += 1) {
    await ticks.give();
    await Bun.sleep(random() * PACE_MS);
  }
  await first.kill9();
  const left = await wreck(first.data);
  await ticks.give();
  const second = await first.restartOnSameData();
  try {
    await ticks.check();
    return { seed, ticks: ticks.total, ...left };
  } finally {
    await second.stop();
  }
}

describe("kill -9 around a tick", () => {
  test(
    `loses none and doubles none, in ${ROUNDS} rounds`,
    async () => {
      const all: Figures[] = [];
      for (let at = 0; at < ROUNDS; at += 1) {
        try {
          all.push(await round(SEED + at));
        } catch (error) {
          console.error(`repeat this round with BERTH_SEED=${SEED + at}`);
          throw error;
        }
      }
      if (LONG) console.log(summary(all));
    },
    ROUNDS * TEST_LIMIT_MS,
  );
});

function summary(rounds: Figures[]): string {
  const total = (pick: (one: Figures) => number) => rounds.reduce((sum, one) => sum + pick(one), 0);
  return [
    `${rounds.length} rounds, ${total(({ ticks }) => ticks)} ticks, each of them one run;`,
    `the kills left ${total(({ left }) => left)} ticks untaken and ${total(({ inFlight }) => inFlight)} runs in flight,`,
    `${rounds.filter(({ left, inFlight }) => left > 0 && inFlight > 0).length} rounds both`,
  ].join(" ");
}

describe("two processes on one database", () => {
  testUnless(notLong)(
    "run each tick once, also when one of them is killed",
    async () => {
      const env = { RUN_LEASE_MS: String(LEASE_MS) };
      const a = await start({ project: CRASH_PROJECT, env });
      let b: BerthProcess | undefined;
      try {
        b = await a.restartOnSameData();
        const ticks = new Ticks(a.data);
        await ticks.create(a.url);
        const giveFor = async (ms: number) => {
          for (const end = Date.now() + ms; Date.now() < end; await Bun.sleep(20)) await ticks.give();
        };
        await giveFor(4 * PACE_MS);
        await ticks.check();
        await giveFor(3 * PACE_MS);
        await a.kill9();
        await giveFor(2 * PACE_MS);
        await ticks.check();
        expect(ticks.total).toBeGreaterThan(4 * THREADS);
      } finally {
        await b?.stop();
        rmSync(a.data, { recursive: true, force: true });
      }
    },
    TEST_LIMIT_MS,
  );
});
