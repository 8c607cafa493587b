import { afterAll, beforeAll } from "bun:test";
import { admitRun, type Database, type NewRun, openDatabase, type Run, type Tx } from "@berth/store";
import { SQL } from "bun";
import { newDatabase } from "../../postgres/server.ts";

/** Two processes' worth of connections to one database on a real server, for the tests around the call. */
export function twoDatabases() {
  const opened: Database[] = [];
  let beside: SQL | undefined;
  beforeAll(async () => {
    const url = await newDatabase();
    beside = new SQL(url, { max: 1, bigint: true });
    // At once: only one of them migrates, and the other one waits for it.
    opened.push(...(await Promise.all([openDatabase(url), openDatabase(url)])));
  });
  afterAll(async () => {
    for (const db of opened) await db.close();
    await beside?.close();
  });
  const at = (index: number): Database => {
    const db = opened[index % opened.length];
    if (!db) throw new Error("the databases are not open yet");
    return db;
  };
  return {
    /** One or the other, by number. */
    at,
    /** Does something in both at the same time. */
    both: <T>(work: (db: Database, index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> =>
      Promise.allSettled([work(at(0), 0), work(at(1), 1)]),
    /** Asks the database beside them; numbers come back as numbers. */
    query: async (statement: string): Promise<Record<string, unknown>[]> => {
      const rows: Record<string, unknown>[] = (await beside?.unsafe(statement)) ?? [];
      return rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === "bigint" ? Number(value) : value,
          ]),
        ),
      );
    },
  };
}

/** What came of those that went well. @throws what another one than `expected` failed with */
export function wellOf<T>(
  results: PromiseSettledResult<T>[],
  expected: new (...given: never[]) => Error,
): T[] {
  return results.flatMap((one) => {
    if (one.status === "fulfilled") return [one.value];
    if (!(one.reason instanceof expected)) throw one.reason;
    return [];
  });
}

/** How often each race is run. */
export const TIMES = process.env.BERTH_LONG === "1" ? 300 : 40;

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A run that somebody asks for. */
export const wanted = (thread_id: string, more: Partial<NewRun> = {}): NewRun => ({
  run_id: Bun.randomUUIDv7(),
  thread_id,
  assistant_id: crypto.randomUUID(),
  graph_id: "agent",
  created_at: 1,
  configurable: {},
  metadata: { assistant: {}, run: {} },
  kwargs: {},
  multitask_strategy: "enqueue",
  not_before: 1,
  on_completion: null,
  if_not_exists: "create",
  ...more,
});

/** Writes so many pending runs, each on a thread of its own. */
export async function pendingRuns(db: Database, count: number): Promise<Run[]> {
  const admit = (tx: Tx) => admitRun(tx, wanted(crypto.randomUUID()), 1, undefined, 0);
  return Promise.all(upTo(count).map(async () => (await db.write(admit)).run));
}
