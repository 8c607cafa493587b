import { expect, test } from "bun:test";
import {
  Conflict,
  copyThread,
  createThread,
  type Database,
  deleteThread,
  settle,
  sweepThreads,
  Threads,
  type ThreadTtl,
} from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { everyStore, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";

const MINUTE = 60_000;

everyStore("threads that end", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    const threads = new Threads(db, clock);
    const create = async (ttl: ThreadTtl | null) => (await threads.create({ ttl })).thread_id;
    const sweep = async (limit = 100) =>
      (await sweepThreads(db, { now: clock.now(), limit, remove: deleteThread })).map(
        ({ thread_id }) => thread_id,
      );
    return { db, clock, threads, create, sweep };
  };

  test("say when, and are gone with everything when they say so", async () => {
    const { db, clock, threads, create, sweep } = await start();
    const ends = await create({ strategy: "delete", minutes: 1 });
    const stays = await create(null);
    await checkpoint(db, ends, { n: 1 });
    expect((await threads.get(ends)).ttl).toEqual({
      strategy: "delete",
      minutes: 1,
      expires_at: clock.now() + MINUTE,
    });
    expect((await threads.get(stays)).ttl).toBeNull();
    clock.advance(MINUTE - 1);
    expect(await sweep()).toEqual([]);
    clock.advance(1);
    expect(await sweep()).toEqual([ends]);
    expect(await threads.find(ends)).toBeUndefined();
    expect(await rows(db, ends)).toBe(0);
    expect(await threads.find(stays)).toBeDefined();
  });

  test("that keep their latest state lose the rest, again and again", async () => {
    const { db, clock, threads, create, sweep } = await start();
    const id = await create({ strategy: "keep_latest", minutes: 2 });
    for (let n = 1; n <= 3; n += 1) await checkpoint(db, id, { n });
    clock.advance(2 * MINUTE);
    expect(await sweep()).toEqual([id]);
    expect(await sweep()).toEqual([]);
    const { rows: left } = await checkpoints(db, id);
    expect(left).toHaveLength(1);
    expect(left[0]?.channel_values).toEqual({ n: 3 });
    expect((await threads.get(id)).ttl?.expires_at).toBe(clock.now() + 2 * MINUTE);
  });

  test("wait while they are busy; a patch starts or ends the time", async () => {
    const { db, clock, threads, create, sweep } = await start();
    const id = await create({ strategy: "delete", minutes: 1 });
    await db.write((tx) => tx.updateTable("threads").set({ status: "busy" }).execute());
    clock.advance(MINUTE);
    expect(await sweep()).toEqual([]);
    await db.write((tx) => settle(tx, id, { status: "idle", interrupts: "{}", error: null }, clock.now()));
    await threads.patch(id, { a: 1 }, { strategy: "delete", minutes: 1 });
    expect(await sweep()).toEqual([]);
    await threads.patch(id, {});
    clock.advance(MINUTE);
    expect((await threads.patch(id, {}, null)).ttl).toBeNull();
    expect(await sweep()).toEqual([]);
    await threads.patch(id, {}, { strategy: "delete", minutes: 0.5 });
    clock.advance(MINUTE / 2);
    expect(await sweep()).toEqual([id]);
  });

  test("are swept no more at once than asked", async () => {
    const { clock, create, sweep } = await start();
    for (let n = 0; n < 45; n += 1) await create({ strategy: "delete", minutes: 1 });
    clock.advance(MINUTE);
    expect(await sweep(30)).toHaveLength(30);
    expect(await sweep(30)).toHaveLength(15);
  });
});

everyStore("copies of threads", (open) => {
  test("have the state and the history, and go their own way", async () => {
    const clock = standingClock();
    const db = await open();
    const threads = new Threads(db, clock);
    const words = Array.from({ length: 40 }, (_, at) => `word ${at}`);
    const { thread_id } = await threads.create({ metadata: { graph_id: "g" } });
    for (let n = 1; n <= 3; n += 1) await checkpoint(db, thread_id, { n, words: words.slice(0, n * 10) });
    const to = crypto.randomUUID();
    const copy = await db.write((tx) => copyThread(tx, thread_id, to, clock.now()));
    expect(copy).toMatchObject({ thread_id: to, status: "idle", metadata: { graph_id: "g", thread_id: to } });
    expect(await threads.get(to)).toEqual(copy);
    const [original, copied] = [await checkpoints(db, thread_id), await checkpoints(db, to)];
    expect(copied.rows).toEqual(original.rows);
    expect(copied.threadIds).toEqual([to, to, to]);
    await checkpoint(db, to, { n: 4, words });
    await db.write((tx) => deleteThread(tx, thread_id));
    expect((await checkpoints(db, to)).rows[0]?.channel_values).toEqual({ n: 4, words });
  });

  test("need a thread", async () => {
    const db = await open();
    const copied = db.write((tx) => copyThread(tx, crypto.randomUUID(), crypto.randomUUID(), 1));
    expect(await outcome(copied)).toThrow(Conflict);
  });

  test("what a thread takes is counted", async () => {
    const db = await open();
    const threads = new Threads(db, standingClock());
    const { thread_id } = await threads.create({});
    expect(await threads.storage(thread_id)).toMatchObject({ total_bytes: 0, checkpoints: { count: 0 } });
    const words = Array.from({ length: 40 }, (_, at) => `wörd ${at}`);
    for (let n = 1; n <= 3; n += 1) await checkpoint(db, thread_id, { n, words: words.slice(0, n * 10) });
    const storage = await threads.storage(thread_id);
    expect(storage.checkpoints.count).toBe(3);
    const { n, words: list } = storage.channel_values.by_channel;
    expect(n).toEqual({ versions: 3, bytes: 3 });
    expect(list?.versions).toBe(3);
    // Each element once, however many versions have it.
    const elements = new TextEncoder().encode(JSON.stringify(words.slice(0, 30))).length;
    expect(list?.bytes).toBeGreaterThanOrEqual(elements);
    expect(list?.bytes).toBeLessThan(elements + 400);
    const { checkpoints: saved, channel_values: values, pending_writes: writes } = storage;
    expect(storage.total_bytes).toBe(saved.bytes + values.bytes + writes.bytes);
  });
});

everyStore("labels of threads", (open) => {
  test("find what containment in the metadata finds, as they change", async () => {
    const clock = standingClock();
    const db = await open();
    const threads = new Threads(db, clock);
    const made: string[] = [];
    for (const metadata of [
      { a: 1, b: "x" },
      { a: "1", b: "x" },
      { a: true, c: { d: 1 } },
      { a: null, b: "x", long: "l".repeat(300) },
      {},
    ]) {
      made.push((await threads.create({ metadata })).thread_id);
      clock.advance(1);
    }
    const find = async (metadata: Record<string, unknown>) => {
      const { rows: found, total } = await threads.search({ metadata, limit: 10, offset: 0 });
      expect([total, await threads.count({ metadata })]).toEqual([found.length, found.length]);
      return found
        .map(({ thread_id }) => made.indexOf(thread_id))
        .sort()
        .join("");
    };
    expect(await find({ a: 1 })).toBe("0");
    expect(await find({ a: "1" })).toBe("1");
    expect(await find({ a: true })).toBe("2");
    expect(await find({ a: null })).toBe("3");
    expect(await find({ b: "x" })).toBe("013");
    expect(await find({ b: "x", a: 1 })).toBe("0");
    expect(await find({ c: { d: 1 } })).toBe("2");
    expect(await find({ a: true, c: {} })).toBe("2");
    expect(await find({ long: "l".repeat(300) })).toBe("3");
    expect(await find({ none: null })).toBe("");
    await threads.patch(made[0] ?? "", { b: "y", a: [1] });
    expect(await find({ b: "x" })).toBe("13");
    expect(await find({ b: "y" })).toBe("0");
    expect(await find({ a: 1 })).toBe("");
    expect(await find({ a: [1] })).toBe("0");
    await db.write((tx) => deleteThread(tx, made[1] ?? ""));
    expect(await find({ b: "x" })).toBe("3");
  });

  test("that many threads have are walked in order", async () => {
    const clock = standingClock();
    const db = await open();
    const threads = new Threads(db, clock);
    await db.write(async (tx) => {
      for (let n = 0; n < 1_200; n += 1) {
        const metadata = { even: n % 2 === 0, kind: "many", n };
        await createThread(tx, { thread_id: crypto.randomUUID(), metadata }, n);
      }
    });
    const page = async (metadata: Record<string, unknown>, offset = 0) => {
      const { rows: found, total } = await threads.search({ metadata, limit: 3, offset });
      return [total, ...found.map((thread) => thread.metadata.n)];
    };
    expect(await page({ kind: "many" })).toEqual([1_200, 1_199, 1_198, 1_197]);
    expect(await page({ kind: "many", even: true }, 5)).toEqual([600, 1_188, 1_186, 1_184]);
    expect(await page({ kind: "many", n: 7 })).toEqual([1, 7]);
  });
});

/** Saves one more checkpoint, with these values in it. */
async function checkpoint(db: Database, threadId: string, values: Record<string, unknown>): Promise<void> {
  const saver = new Checkpoints(db);
  const config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  const last = await saver.getTuple(config);
  const version = saver.getNextVersion(undefined);
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, version]));
  const parent = last
    ? { configurable: { ...config.configurable, checkpoint_id: last.checkpoint.id } }
    : config;
  const metadata = { source: "loop" as const, step: 1, parents: {}, thread_id: threadId };
  await saver.put(
    parent,
    { ...emptyCheckpoint(), channel_values: values, channel_versions: versions },
    metadata,
    versions,
  );
}

async function checkpoints(db: Database, threadId: string) {
  const found = [];
  for await (const tuple of new Checkpoints(db).list({ configurable: { thread_id: threadId } }))
    found.push(tuple);
  return {
    rows: found.map(({ checkpoint: { id, channel_values } }) => ({ id, channel_values })),
    threadIds: found.map(({ metadata }) => metadata && "thread_id" in metadata && metadata.thread_id),
  };
}

/** How many rows of any table a thread has. */
async function rows(db: Database, threadId: string): Promise<number> {
  let count = 0;
  for (const table of ["threads", "checkpoints", "channel_values", "list_chunks", "thread_labels"] as const) {
    count += (await db.read.selectFrom(table).select("thread_id").where("thread_id", "=", threadId).execute())
      .length;
  }
  return count;
}
