import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import type { Calls } from "./calls.ts";
import type { Figures, GraphName } from "./job.ts";

const STATELESS = 1_000;
const YOUNG = { threads: 50, turns: 20 };
const STREAMS = 40;
const TOKENS = 200;
const OLD_TURNS = 200;
const AT_ONCE = 8;
/** Berth folds logs a second after the end of a run, and packs traces soon. */
const QUIET_MS = 2_500;
const LIMIT_MS = 20_000;

/** Bytes that runs leave in the database: pages that hold something, tables and indexes together. */
export async function disk({ calls, data }: Bench): Promise<Figures> {
  if (data === undefined) throw new Error("only a Berth has a file to be looked at");
  const file = new Database(join(data, "berth.db"), { readonly: true });
  const growth = (work: () => Promise<void>) => growthOf(file, work);
  try {
    // What every first run leaves is nobody's run's.
    await growth(() => many(calls, "echo", AT_ONCE));
    const stateless = await growth(() => many(calls, "echo", STATELESS));
    const ages = Array.from({ length: YOUNG.threads }, () => Bun.randomUUIDv7());
    const turn = await growth(() => everyThread(ages, (thread) => turns(calls, thread, YOUNG.turns)));
    const old = ages.slice(0, 4);
    const toOld = OLD_TURNS - 2 * YOUNG.turns;
    await growth(() => everyThread(old, (thread) => turns(calls, thread, toOld)));
    const last = await growth(() => everyThread(old, (thread) => turns(calls, thread, YOUNG.turns)));
    const streams = await growth(() => many(calls, "timed", STREAMS));
    const perTurn = turn / (YOUNG.threads * YOUNG.turns);
    const perLast = last / (old.length * YOUNG.turns);
    return {
      stateless: stateless / STATELESS,
      ...{ turn: perTurn, last: perLast, growth: perLast / perTurn },
      token: streams / (STREAMS * TOKENS),
    };
  } finally {
    file.close();
  }
}

/** By how many bytes the file grows, once it no longer changes. */
async function growthOf(file: Database, work: () => Promise<void>): Promise<number> {
  const before = held(file);
  await work();
  const limit = performance.now() + LIMIT_MS;
  let size = held(file);
  for (let since = performance.now(); performance.now() - since < QUIET_MS; await Bun.sleep(100)) {
    const now = held(file);
    if (now !== size && performance.now() < limit) since = performance.now();
    size = now;
  }
  return size - before;
}

function held(file: Database): number {
  const of = (name: string) => Number(Object.values(file.query<object, []>(`PRAGMA ${name}`).get() ?? {})[0]);
  return (of("page_count") - of("freelist_count")) * of("page_size");
}

async function many(calls: Calls, graph: GraphName, count: number): Promise<void> {
  const once = async (): Promise<unknown> => (graph === "timed" ? calls.stream(graph) : calls.run(graph));
  for (let at = 0; at < count; at += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, once));
}

async function everyThread(threads: string[], work: (thread: string) => Promise<void>): Promise<void> {
  for (let at = 0; at < threads.length; at += AT_ONCE)
    await Promise.all(threads.slice(at, at + AT_ONCE).map(work));
}

async function turns(calls: Calls, thread: string, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await calls.run("echo", thread);
}
