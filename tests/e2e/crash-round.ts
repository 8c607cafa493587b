import { expect } from "bun:test";
import { join } from "node:path";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { ON_POSTGRES } from "../postgres/for-data.ts";
import { start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { ask, call, joinStream } from "./crash-http.ts";
import { type Acknowledged, Load, randomOf } from "./crash-load.ts";
import { checkTalks } from "./crash-talks.ts";
import { query } from "./stored.ts";

export const CRASH_PROJECT = join(import.meta.dir, "crash-project");

/** The order that the record of the issue names: a run in flight goes on within 15 s of the next start. */
const MOST_RECOVERY_MS = 15_000;

export type RoundFigures = {
  seed: number;
  /** Ms of load before the kill. */
  killedAfter: number;
  acknowledged: number;
  /** Runs that were being executed when the process died, and how many of them went on. */
  inFlight: number;
  continued: number;
  /** Events of the thread protocol that readers had seen when the process died. */
  told: number;
  /** From the start of the next process to the first event of the last run that went on. */
  recoveryMs: number;
  /** What of it went by until that process was ready: how slow the machine is. */
  startMs: number;
};

/** One round: load, `kill -9` at a moment that the seed decides, a new process, and everything checked. */
export async function crashRound(seed: number, env: Record<string, string>): Promise<RoundFigures> {
  const random = randomOf(seed);
  const first = await start({ project: CRASH_PROJECT, env });
  const load = new Load(first.url, random);
  const killedAfter = 150 + Math.floor(random() * 900);
  await Bun.sleep(killedAfter);
  await first.kill9();
  await load.stop();
  const { acknowledged } = load;
  const inFlight = await query<{ run_id: string }>(
    first.data,
    "select run_id from runs where status = 'running'",
  );
  const restartedAt = Date.now();
  const second = await first.restartOnSameData();
  const startMs = Date.now() - restartedAt;
  try {
    await expectAllKept(second.url, acknowledged);
    const went = await wentOn(second.data, restartedAt, inFlight);
    return {
      seed,
      killedAfter,
      acknowledged: acknowledged.threads.size + acknowledged.assistants.size + acknowledged.items.size,
      inFlight: inFlight.length,
      continued: went.length,
      told: acknowledged.talks.reduce((sum, { frames }) => sum + frames.length, 0),
      recoveryMs: Math.max(0, ...went.map(({ at }) => at - restartedAt)),
      startMs,
    };
  } finally {
    if (!ON_POSTGRES)
      expect(await query(second.data, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
    await second.stop();
  }
}

/** Everything that a server said yes to is there, and every run ends well, once. */
export async function expectAllKept(url: string, acknowledged: Acknowledged): Promise<void> {
  await checkEntities(url, acknowledged);
  await checkRuns(url, acknowledged);
  await checkStreams(url, acknowledged);
  await checkTalks(url, acknowledged.talks);
  await until(
    "no thread to be busy",
    () => ask<unknown[]>(url, "POST", "/threads/search", { status: "busy" }),
    (busy) => busy.length === 0,
  );
}

/** Holds for the figures of a round. */
export function expectRecovered({ inFlight, continued, recoveryMs, startMs }: RoundFigures): void {
  expect(continued).toBe(inFlight);
  expect(recoveryMs - startMs).toBeLessThan(Math.max(MOST_RECOVERY_MS, 5 * startMs));
}

/** Of the runs in flight at the crash, those that the next process wrote events of, and when it first did. */
async function wentOn(
  data: string,
  since: number,
  inFlight: { run_id: string }[],
): Promise<{ run_id: string; at: number }[]> {
  const sql = `select run_id, min(at) as at from events where at >= ${since} group by run_id`;
  const rows = await query<{ run_id: string; at: number }>(data, sql);
  return rows.filter(({ run_id }) => inFlight.some((run) => run.run_id === run_id));
}

async function checkEntities(
  url: string,
  { threads, assistants, items, updates }: Acknowledged,
): Promise<void> {
  for (const [id, turn] of threads) {
    expect(await ask(url, "GET", `/threads/${id}`)).toMatchObject({ metadata: { turn } });
  }
  for (const [id, name] of assistants)
    expect(await ask(url, "GET", `/assistants/${id}`)).toMatchObject({ name });
  for (const [key, turn] of items) {
    const { value } = await ask<{ value: { turn: number } }>(
      url,
      "GET",
      `/store/items?namespace=crash&key=${key}`,
    );
    // One more put may have been committed whose answer the crash swallowed.
    expect([turn, turn + 50]).toContain(value.turn);
  }
  for (const [id, marks] of updates) {
    const { values } = await ask<{ values: { marks?: string[] } }>(url, "GET", `/threads/${id}/state`);
    const kept = values.marks ?? [];
    expect(kept.slice(0, marks.length)).toEqual(marks);
    expect(kept.length).toBeLessThanOrEqual(marks.length + 1);
  }
}

/** Every run that was acknowledged ends well, once, and its thread holds each superstep's result once. */
async function checkRuns(url: string, { runs, counts }: Acknowledged): Promise<void> {
  await Promise.all(runs.map(({ thread_id, run_id }) => expectSuccess(url, thread_id, run_id)));
  for (const [threadId, totals] of counts) {
    await expectIdle(url, threadId);
    const { values } = await ask<{ values: { steps?: number[]; marks?: string[] } }>(
      url,
      "GET",
      `/threads/${threadId}/state`,
    );
    const { steps = [], marks = [] } = values;
    expect(steps).toEqual(Array.from(steps, (_, index) => index + 1));
    // A run more may have been committed whose answer the crash swallowed.
    expect(steps.length).toBeGreaterThanOrEqual(totals.at(-1) ?? 0);
    expect([...marks].sort()).toEqual(steps.flatMap((step) => [`L${step}`, `R${step}`]).sort());
  }
}

async function expectSuccess(url: string, threadId: string, runId: string): Promise<void> {
  const path = `/threads/${threadId}/runs/${runId}`;
  const limit = AbortSignal.timeout(WAIT_LIMIT_MS);
  await fetch(`${url}${path}/join`, { signal: limit }).then((answer) => answer.text());
  const { status } = await ask<{ status: string }>(url, "GET", path);
  const said =
    status === "success" ? [] : await joinStream(url, path, "-1").catch((error) => [String(error)]);
  // A run that failed says why in its log.
  expect([runId, status, said.slice(-4)]).toEqual([runId, "success", []]);
}

async function expectIdle(url: string, threadId: string): Promise<void> {
  const limit = Date.now() + WAIT_LIMIT_MS;
  for (;;) {
    const { body } = await call(url, "GET", `/threads/${threadId}`);
    const { status } = body as { status: string };
    if (status !== "busy" || Date.now() > limit) {
      expect(status).toBe("idle");
      return;
    }
    await Bun.sleep(20);
  }
}

/** A rejoined reader gets exactly what it had not seen, and what it had seen is what the log holds. */
async function checkStreams(url: string, { streams }: Acknowledged): Promise<void> {
  for (const { thread_id, run_id, frames } of streams) {
    const path = `/threads/${thread_id}/runs/${run_id}`;
    const rest = await joinStream(url, path, frames.at(-1)?.id ?? "-1");
    const whole = await joinStream(url, path, "-1");
    expect([...frames, ...rest]).toEqual(whole);
    const ids = whole.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect([run_id, whole.map(({ event }) => event)]).toEqual([run_id, expect.arrayContaining(["metadata"])]);
  }
}
