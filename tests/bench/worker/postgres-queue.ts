import {
  admitRun,
  claimRuns,
  type Database,
  finishRun,
  openDatabase,
  QUEUE_SCOPE,
  type Run,
  writesOfRun,
} from "@berth/store";
import type { Figures } from "./job.ts";

const RUNS = 6_000;
const AT_ONCE = 256;
const CLAIMED = 32;
const OWNER = { owner: "bench", until: Number.MAX_SAFE_INTEGER };
const REST = { status: "idle" as const, interrupts: "{}", error: null };

/** Claims and ends runs that do nothing, as one process does: how many a second the queue is good for. */
export async function queueAlone(url: string): Promise<Figures> {
  const db = await openDatabase(url);
  try {
    await fill(db);
    const begun = performance.now();
    let ended = 0;
    while (ended < RUNS) ended += await some(db);
    return { perSecond: (RUNS * 1_000) / (performance.now() - begun) };
  } finally {
    await db.close();
  }
}

async function fill(db: Database): Promise<void> {
  for (let at = 0; at < RUNS; at += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, RUNS - at) }, () => admit(db)));
}

function admit(db: Database): Promise<unknown> {
  const now = db.clock.now();
  const ids = { run_id: Bun.randomUUIDv7(), thread_id: Bun.randomUUIDv7() };
  const wanted = {
    ...ids,
    ...{ assistant_id: "a", graph_id: "g", created_at: now, configurable: {}, kwargs: {} },
    metadata: { assistant: {}, run: {} },
    multitask_strategy: "enqueue" as const,
    not_before: now,
    on_completion: null,
    if_not_exists: "create" as const,
  };
  return db.write((tx) => admitRun(tx, wanted, now, undefined, 0), writesOfRun(ids));
}

/** Takes up some runs, and ends them: each in a write of its own, as processes do. */
async function some(db: Database): Promise<number> {
  const now = db.clock.now();
  const order = { scope: [QUEUE_SCOPE], looks: true };
  const claims = Array.from({ length: AT_ONCE / CLAIMED }, () =>
    db.write((tx) => claimRuns(tx, OWNER, CLAIMED, now), order),
  );
  const claimed = (await Promise.all(claims)).flat();
  await Promise.all(claimed.map(({ run }) => end(db, run, now)));
  return claimed.length;
}

function end(db: Database, run: Run, now: number): Promise<void> {
  const { run_id, thread_id } = run;
  const ending = { run_id, thread_id, status: "success" as const, thread: REST, eventsUntil: now };
  return db.write((tx) => finishRun(tx, ending, now), writesOfRun(run));
}
