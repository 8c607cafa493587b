import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, type AgentSettings, createAgent, loadProject, type Run } from "@berth/agent";
import { ownCode } from "@berth/agent/code";
import { type Clock, type Database, openDatabase } from "@berth/store";
import { WAIT_LIMIT_MS } from "../../limits.ts";
import { databaseUrl } from "../../postgres/for-data.ts";

const PROJECT = join(import.meta.dir, "..", "..", "e2e", "crash-project");
const LEASE_MS = 10_000;

/**
 * Several agents, as several processes would be, on one database file and one clock that the test turns.
 * @param real the time of now instead, for what is about how long something takes
 */
export async function openRunsRig(project = PROJECT, real?: Clock) {
  const folder = await mkdtemp(join(tmpdir(), "berth-runs-"));
  const file = join(folder, "berth.db");
  const time = { now: Date.UTC(2026, 0, 1) };
  const clock = real ?? { now: () => time.now };
  const opened: { agent: Agent; db: Database }[] = [];

  const openAgent = async (given: Partial<AgentSettings> = {}, dir = project) => {
    const db = await openDatabase(await databaseUrl(file), clock);
    const agent = await createAgent({
      db,
      clock,
      code: await ownCode(await loadProject(dir)),
      log: () => {},
      settings: {
        concurrency: 4,
        leaseMs: LEASE_MS,
        renewMs: LEASE_MS * 0.3,
        jobTimeoutMs: 60_000,
        eventsTtlMs: 60_000,
        threadLog: { ttlMs: 3_600_000, runs: 100, chars: 16_000_000 },
        graphConfig: {},
        publicUrl: () => "http://localhost",
        ...given,
      },
    });
    opened.push({ agent, db });
    return { agent, db };
  };

  return {
    file,
    openAgent,
    leaseMs: LEASE_MS,
    now: clock.now,
    advance: (ms: number) => {
      time.now += ms;
    },
    close: async () => {
      for (const { agent } of opened) await agent.queue.stop(0);
      for (const { db } of opened) await db.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts a run on a new thread. */
export async function startRun(
  { runs, threads }: Agent,
  assistant: string,
  input: unknown,
  more: object = {},
): Promise<Run> {
  const { thread_id } = await threads.create({});
  const request = { assistant_id: assistant, input, config: { recursion_limit: 10_000 }, ...more };
  return runs.create(request, { threadId: thread_id, headers: {}, follow: "none" });
}

/** Looks until it holds. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const limit = Date.now() + WAIT_LIMIT_MS;
  while (!(await holds())) {
    if (Date.now() > limit) throw new Error(`not within ${WAIT_LIMIT_MS} ms: ${what}`);
    await Bun.sleep(5);
  }
}
