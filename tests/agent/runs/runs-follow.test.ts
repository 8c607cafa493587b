import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  admitRun,
  appendSegment,
  claimRuns,
  createThread,
  type Database,
  finishRun,
  type NewRun,
  openDatabase,
} from "@berth/store";
import { followRun, RunFeed, SharedReads } from "../../../agent/events/follow.ts";
import { databaseUrl } from "../../postgres/for-data.ts";

const THREAD = "01920000-0000-7000-8000-0000000000aa";
const NOW = 1_000;
const WAITS_FOREVER_MS = 200;

let db: Database;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "berth-follow-"));
  db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
  await db.write((tx) => createThread(tx, { thread_id: THREAD }, NOW));
});

afterEach(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const newRun = (run_id: string, not_before = NOW): NewRun => ({
  run_id,
  thread_id: THREAD,
  assistant_id: "a",
  graph_id: "g",
  configurable: {},
  metadata: { assistant: {}, run: {} },
  kwargs: {},
  created_at: NOW,
  multitask_strategy: "enqueue",
  not_before,
  on_completion: null,
  if_not_exists: "reject",
});

const admit = (run_id: string, not_before?: number) =>
  db.write((tx) => admitRun(tx, newRun(run_id, not_before), NOW, undefined, 0));

const event = (seq: number, name = "custom") => ({ seq, name, json: `{"n":${seq}}` });

const append = (run_id: string, events: ReturnType<typeof event>[]) =>
  db.write((tx) => appendSegment(tx, { thread_id: THREAD, run_id, at: NOW, events, temporary: false }));

/** True when the promise is still open after a moment. */
const waits = (promise: Promise<void>) =>
  Promise.race([promise.then(() => false), Bun.sleep(WAITS_FOREVER_MS).then(() => true)]);

describe("a feed", () => {
  test("wakes a reader for what came while it looked into the log", async () => {
    const feed = new RunFeed(0);
    const { version } = feed;
    feed.push([event(1)]);
    expect(await waits(feed.changed(version, undefined))).toBe(false);
    expect(await waits(feed.changed(feed.version, undefined))).toBe(true);
  });

  test("keeps no reader that has gone, and none behind the end", async () => {
    const feed = new RunFeed(0);
    expect(await waits(feed.changed(0, AbortSignal.abort()))).toBe(false);
    feed.end();
    expect(await waits(feed.changed(0, undefined))).toBe(false);
  });

  test("says when events of an earlier attempt are only in the log", () => {
    const feed = new RunFeed(7);
    feed.push([event(8)]);
    expect(feed.since(0)).toBeUndefined();
    expect(feed.since(6)).toBeUndefined();
    expect(feed.since(7)?.map(({ seq }) => seq)).toEqual([8]);
  });
});

describe("following a run", () => {
  test("goes on in the log when the run went on elsewhere", async () => {
    await admit("run");
    const feed = new RunFeed(0);
    await append("run", [event(1)]);
    feed.push([event(1)]);
    const running = new Map([["run", feed]]);
    const seen: number[] = [];
    const nudged = async () => {
      // The other process writes; this one lost the run.
      if (seen.at(-1) === 1) await append("run", [event(2), event(3)]);
      else await append("run", [event(4, "end")]);
    };
    const follow = { db, reads: new SharedReads(db), feed: (id: string) => running.get(id), nudged };
    for await (const events of followRun(follow, "run", 0)) {
      seen.push(...events.map(({ seq }) => seq));
      running.delete("run");
      feed.end();
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  test("waits, and does not spin, when the log was taken from under a running feed", async () => {
    await admit("run");
    const feed = new RunFeed(0);
    for (let seq = 1; seq <= 3_000; seq += 1) feed.push([event(seq)]);
    const follow = { db, reads: new SharedReads(db), feed: () => feed, nudged: () => Bun.sleep(5) };
    const ended = followRun(follow, "run", 0)
      .next()
      .then(() => undefined);
    expect(await waits(ended)).toBe(true);
    feed.push([event(3_001, "end")]);
    feed.end();
    await db.write((tx) => tx.deleteFrom("runs").execute());
    expect(await waits(ended)).toBe(false);
  });
});

describe("the order of a thread's runs", () => {
  const order = async () => {
    const taken: string[] = [];
    for (;;) {
      const lease = { owner: "me", until: NOW * 2 };
      const claimed = await db.write((tx) => claimRuns(tx, lease, 10, NOW + 100));
      if (claimed.length === 0) return taken;
      expect(claimed).toHaveLength(1);
      for (const { run } of claimed) {
        taken.push(run.run_id);
        const thread = { status: "idle" as const, interrupts: "{}", error: null };
        const ending = { run_id: run.run_id, thread_id: THREAD, status: "success" as const, thread };
        await db.write((tx) => finishRun(tx, { ...ending, eventsUntil: NOW }, NOW));
      }
    }
  };

  test("is that of their admission, also within one millisecond and whatever their ids", async () => {
    const ids = ["m", "z", "a", "y", "b", "x"];
    for (const id of ids) await admit(id);
    expect(await order()).toEqual(ids);
  });

  test("a run that was to wait does not hold up those that were not", async () => {
    await admit("later", NOW + 50);
    await admit("now");
    expect(await order()).toEqual(["now", "later"]);
  });
});
