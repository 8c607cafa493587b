import { expect, test } from "bun:test";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../limits.ts";
import { start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { ask } from "./crash-http.ts";
import { randomOf } from "./crash-load.ts";
import { query } from "./stored.ts";

const LONG = process.env.BERTH_LONG === "1";
const ROUNDS = LONG ? 40 : 1;
const EACH = 30;
/** The sweeps of the project run at this pace. */
const PACE_MS = 500;
const PROJECT = join(import.meta.dir, "memory-project");
const TABLES = ["checkpoints", "channel_values", "checkpoint_writes", "thread_labels", "runs", "events"];

// BERTH_SEED=N repeats a round that failed.
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

type Kinds = { ends: string[]; keeps: string[]; stays: string[] };

/** Threads with a state that end, that lose their history, and that stay, and items that end and stay. */
async function fill(url: string): Promise<Kinds> {
  const thread = async (ttl: unknown) => {
    const { thread_id } = await ask<{ thread_id: string }>(url, "POST", "/threads", { ttl });
    const input = { owner: "nobody", query: "x" };
    await ask(url, "POST", `/threads/${thread_id}/runs/wait`, { assistant_id: "recall", input });
    return thread_id;
  };
  const threads = (ttl: unknown) => Promise.all(Array.from({ length: EACH }, () => thread(ttl)));
  const kinds = {
    ends: await threads(60),
    keeps: await threads({ ttl: 60, strategy: "keep_latest" }),
    stays: await threads(null),
  };
  for (let at = 0; at < EACH; at += 1) {
    const item = { namespace: ["n"], value: { text: `note ${at}` } };
    await ask(url, "PUT", "/store/items", { ...item, key: `ends ${at}`, ttl: 60 });
    await ask(url, "PUT", "/store/items", { ...item, key: `stays ${at}`, ttl: null });
  }
  return kinds;
}

/** The time of all that end is over now, at once. */
async function makeDue(data: string): Promise<void> {
  await query(data, "update threads set ttl_expires_at = 1 where ttl_expires_at is not null");
  await query(data, "update items set expires_at = 1 where expires_at is not null");
}

/** Rows that are of no thread, or of no item. */
async function orphans(data: string): Promise<Record<string, number>> {
  const count = async (rows: string) =>
    (await query<{ n: number }>(data, `select count(*) as n ${rows}`))[0]?.n ?? -1;
  const found: Record<string, number> = {};
  for (const table of TABLES)
    found[table] = await count(`from ${table} where thread_id not in (select thread_id from threads)`);
  found.item_vectors = await count(
    "from item_vectors where (namespace, key) not in (select namespace, key from items)",
  );
  found.items = await count("from items where key like 'ends%'");
  return found;
}

async function round(seed: number): Promise<void> {
  const random = randomOf(seed);
  const first = await start({ project: PROJECT });
  const kinds = await fill(first.url);
  await makeDue(first.data);
  await Bun.sleep(random() * PACE_MS * 1.5);
  await first.kill9();
  const second = await first.restartOnSameData();
  try {
    const all = Object.fromEntries([...TABLES, "item_vectors", "items"].map((table) => [table, 0]));
    const left = async () => (await ask<number>(second.url, "POST", "/threads/count", {})) - 2 * EACH;
    await until("the threads to be swept", left, (count) => count === 0);
    await until(
      "nothing to be left of them",
      () => orphans(second.data),
      (found) => Bun.deepEquals(found, all),
    );
    const history = async (id: string) =>
      (await ask<unknown[]>(second.url, "GET", `/threads/${id}/history`)).length;
    for (const id of kinds.keeps)
      await until(
        "its history to go",
        () => history(id),
        (states) => states === 1,
      );
    for (const id of kinds.stays) expect(await history(id)).toBeGreaterThan(1);
    const { items } = await ask<{ items: { key: string; score: number | null }[] }>(
      second.url,
      "POST",
      "/store/items/search",
      { query: "note", limit: 100 },
    );
    expect(items).toHaveLength(EACH);
    expect(items.every(({ key, score }) => key.startsWith("stays") && score !== null)).toBe(true);
  } finally {
    await second.stop();
  }
}

test(
  `kill -9 in a sweep leaves every thread and item whole or gone, in ${ROUNDS} rounds`,
  async () => {
    for (let at = 0; at < ROUNDS; at += 1) {
      try {
        await round(SEED + at);
      } catch (error) {
        console.error(`repeat this round with BERTH_SEED=${SEED + at}`);
        throw error;
      }
    }
    if (LONG) console.log(`${ROUNDS} rounds from seed ${SEED}`);
  },
  ROUNDS * TEST_LIMIT_MS,
);
