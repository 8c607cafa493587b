import { describe, expect, test } from "bun:test";
import {
  BadRequest,
  Conflict,
  type Database,
  deleteThread,
  findThread,
  NotFound,
  stamp,
  type ThreadSearch,
  Threads,
  threadsOfAssistant,
} from "@berth/store";
import { everyStore, type Open, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { firstPlan } from "../query-plan.ts";

everyStore("threads", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    return { db, clock, threads: new Threads(db, clock) };
  };

  test("begin idle and empty", async () => {
    const { threads, clock } = await start();
    const thread = await threads.create({});
    expect(thread).toEqual({
      thread_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: clock.now(),
      updated_at: clock.now(),
      state_updated_at: null,
      status: "idle",
      metadata: {},
      config: {},
      interrupts: {},
      error: null,
      ttl: null,
    });
    expect(await threads.get(thread.thread_id)).toEqual(thread);
  });

  test("refuse or return a taken id", async () => {
    const { threads } = await start();
    const first = await threads.create({ metadata: { a: 1 } });
    const again = { thread_id: first.thread_id, metadata: { a: 2 } };
    expect(await outcome(threads.create(again))).toThrow(new Conflict("Thread already exists"));
    expect(await threads.create(again, "do_nothing")).toEqual(first);
  });

  test("of one group are told apart: one id asked for twice at once exists once", async () => {
    const { threads } = await start();
    const thread_id = Bun.randomUUIDv7();
    const results = await Promise.allSettled([1, 2, 3].map(() => threads.create({ thread_id })));
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  test("are not found under an unknown id", async () => {
    const { threads } = await start();
    expect(await outcome(threads.get("none"))).toThrow(new NotFound("Thread with ID none not found"));
    expect(await outcome(threads.patch("none", {}))).toThrow(NotFound);
  });

  test("merge metadata one level deep", async () => {
    const { db, threads, clock } = await start();
    const thread = await threads.create({ metadata: { keep: 1, change: { deep: 1 } } });
    clock.advance(7);
    const patched = await threads.patch(thread.thread_id, { change: { other: 2 }, add: null });
    expect(patched).toEqual({
      ...thread,
      metadata: { keep: 1, change: { other: 2 }, add: null },
      updated_at: clock.now(),
    });
    expect(await threads.get(thread.thread_id)).toEqual(patched);
    await db.write((tx) => stamp(tx, thread.thread_id, { graph_id: "g", assistant_id: "a" }, clock.now()));
    expect((await findThread(db, thread.thread_id))?.metadata).toMatchObject({ keep: 1, graph_id: "g" });
    expect(await db.write((tx) => threadsOfAssistant(tx, "a"))).toEqual([thread.thread_id]);
    expect(await db.write((tx) => stamp(tx, "none", {}, clock.now()))).toBeUndefined();
  });

  test("go with everything that hangs on them", async () => {
    const { db, threads, clock } = await start();
    const gone = await threads.create({});
    const kept = await threads.create({});
    for (const { thread_id } of [gone, kept]) await hangEverythingOn(db, thread_id, clock.now());
    expect(await db.write((tx) => deleteThread(tx, gone.thread_id))).toBe(true);
    expect(await db.write((tx) => deleteThread(tx, gone.thread_id))).toBe(false);
    for (const table of HANGING) {
      const rows = await db.read.selectFrom(table).select("thread_id").execute();
      expect({ table, rows }).toEqual({ table, rows: [{ thread_id: kept.thread_id }] });
    }
    expect((await threads.get(kept.thread_id)).thread_id).toBe(kept.thread_id);
  });

  searches(open);
  valueSearches(open);
});

function searches(open: Open): void {
  describe("search", () => {
    const stocked = async () => {
      const clock = standingClock();
      const db = await open();
      const threads = new Threads(db, clock);
      const ids: string[] = [];
      for (const [status, graph_id, state] of [
        ["idle", "agent", 30],
        ["interrupted", "agent", null],
        ["idle", "tool", 10],
        ["error", "tool", 20],
      ] as const) {
        const { thread_id } = await threads.create({ metadata: { graph_id, n: ids.length } });
        await db.write((tx) =>
          tx
            .updateTable("threads")
            .set({ status, state_updated_at: state })
            .where("thread_id", "=", thread_id)
            .execute(),
        );
        ids.push(thread_id);
        clock.advance(1);
      }
      const found = async (search: Partial<ThreadSearch> = {}) => {
        const page = await threads.search({ limit: 10, offset: 0, ...search });
        expect(await threads.count(search)).toBe(page.total);
        return page.rows.map((thread) => ids.indexOf(thread.thread_id));
      };
      return { clock, threads, ids, found };
    };

    test("gives the last changed first, in pages with the true total", async () => {
      const { threads, ids, found } = await stocked();
      expect(await found()).toEqual([3, 2, 1, 0]);
      await threads.patch(ids[0] ?? "", { touched: true });
      expect(await found()).toEqual([0, 3, 2, 1]);
      const page = await threads.search({ limit: 2, offset: 1 });
      expect(page.rows.map((thread) => ids.indexOf(thread.thread_id))).toEqual([3, 2]);
      expect(page.total).toBe(4);
      expect((await threads.search({ limit: 2, offset: 4 })).total).toBe(4);
    });

    test("keeps the order of creation within one millisecond", async () => {
      const threads = new Threads(await open(), standingClock());
      const made: string[] = [];
      for (let at = 0; at < 20; at += 1) made.push((await threads.create({})).thread_id);
      const page = await threads.search({ limit: 20, offset: 0 });
      expect(page.rows.map((thread) => thread.thread_id)).toEqual(made.toReversed());
    });

    test("sorts by what it is told", async () => {
      const { found } = await stocked();
      expect(await found({ sort_by: "created_at", sort_order: "asc" })).toEqual([0, 1, 2, 3]);
      expect(await found({ sort_by: "thread_id", sort_order: "asc" })).toEqual([0, 1, 2, 3]);
      expect(await found({ sort_by: "status", sort_order: "asc" })).toEqual([3, 0, 2, 1]);
      expect(await found({ sort_by: "state_updated_at" })).toEqual([0, 3, 2, 1]);
      expect(await found({ sort_by: "state_updated_at", sort_order: "asc" })).toEqual([1, 2, 3, 0]);
    });

    test("filters by ids, metadata and status", async () => {
      const { ids, found } = await stocked();
      expect(await found({ status: "idle" })).toEqual([2, 0]);
      expect(await found({ metadata: { graph_id: "agent" } })).toEqual([1, 0]);
      expect(await found({ metadata: { graph_id: "tool" }, status: "error" })).toEqual([3]);
      expect(await found({ metadata: {} })).toHaveLength(4);
      expect(await found({ ids: [ids[1] ?? "", "unknown", ids[3] ?? ""] })).toEqual([3, 1]);
      expect(await found({ ids: [] })).toEqual([]);
    });
  });

  test("search of a page reads nothing but the page", async () => {
    const db = await open();
    if (db.sql.name !== "sqlite") return;
    const plan = (search: Partial<ThreadSearch>) =>
      firstPlan(db, (recorded) =>
        new Threads(recorded, standingClock()).search({ limit: 10, offset: 0, ...search }),
      );
    expect(await plan({})).toEqual(["SCAN threads USING INDEX threads_updated"]);
    expect(await plan({ sort_by: "created_at", sort_order: "asc" })).toEqual([
      "SCAN threads USING INDEX threads_created",
    ]);
    for (const sort_order of ["asc", "desc"] as const) {
      expect(await plan({ sort_by: "state_updated_at", sort_order })).toEqual([
        "SCAN threads USING INDEX threads_state_updated",
      ]);
    }
    expect(await plan({ sort_by: "status" })).toEqual(["SCAN threads USING INDEX threads_status"]);
    expect(await plan({ status: "idle" })).toEqual(["SEARCH threads USING INDEX threads_status (status=?)"]);
  });
}

function valueSearches(open: Open): void {
  test("search by values reads every candidate, in order, and pages what matches", async () => {
    const clock = standingClock();
    const threads = new Threads(await open(), clock);
    const values = new Map<string, unknown>();
    for (let at = 0; at < 450; at += 1) {
      const { thread_id } = await threads.create({ metadata: { even: at % 2 === 0 } });
      clock.advance(1);
      if (at % 3 === 0) values.set(thread_id, { at, messages: [{ type: "human", content: `m${at}` }] });
    }
    const asked: number[] = [];
    const of = async (ids: string[]) => {
      asked.push(ids.length);
      return values;
    };
    const all = { values: { contain: { messages: [{ type: "human" }] }, of } };
    const page = await threads.search({ ...all, limit: 2, offset: 1, metadata: { even: true } });
    expect(page.total).toBe(75);
    expect(page.rows.map((thread) => values.get(thread.thread_id))).toMatchObject([{ at: 438 }, { at: 432 }]);
    expect(Math.max(...asked)).toBeLessThanOrEqual(200);
    expect(await threads.count(all)).toBe(150);
    const one = { values: { contain: { at: 3 }, of } };
    expect((await threads.search({ ...one, limit: 10, offset: 0 })).total).toBe(1);
  });

  test("search refuses more ids and larger filters than it can run", async () => {
    const threads = new Threads(await open(), standingClock());
    const ids = Array.from({ length: 10_001 }, (_, at) => `${at}`);
    expect(await outcome(threads.search({ ids, limit: 1, offset: 0 }))).toThrow(BadRequest);
    expect((await threads.search({ ids: ids.slice(1), limit: 1, offset: 0 })).total).toBe(0);
    const metadata = Object.fromEntries(ids.map((id) => [id, id]));
    expect(await outcome(threads.search({ metadata, limit: 1, offset: 0 }))).toThrow(BadRequest);
  });
}

const HANGING = [
  "runs",
  "events",
  "checkpoints",
  "channel_values",
  "list_chunks",
  "checkpoint_writes",
  "feedback",
] as const;

async function hangEverythingOn(db: Database, thread_id: string, now: number): Promise<void> {
  const checkpoint = { thread_id, ns: "", checkpoint_id: "c" };
  await db.write(async (tx) => {
    await tx
      .insertInto("runs")
      .values({
        run_id: `run-${thread_id}`,
        thread_id,
        assistant_id: "a",
        created_at: now,
        updated_at: now,
        status: "success",
        metadata: "{}",
        kwargs: "{}",
        multitask_strategy: "enqueue",
        not_before: now,
        attempt: 1,
        lease_owner: null,
        lease_until: null,
        cancel: null,
        on_completion: null,
        ended_at: null,
        events_until: null,
        log_chars: 0,
        has_reader: 0,
        error: null,
      })
      .execute();
    await tx
      .insertInto("events")
      .values({
        thread_id,
        run_id: `run-${thread_id}`,
        first_seq: 1,
        last_seq: 1,
        at: now,
        body: "end\tnull\n",
      })
      .execute();
    await tx
      .insertInto("checkpoints")
      .values({ ...checkpoint, parent_id: null, run_id: null, checkpoint: "{}", metadata: "{}" })
      .execute();
    await tx
      .insertInto("channel_values")
      .values({ thread_id, ns: "", channel: "x", version: "1", type: "json", value: "1", length: null })
      .execute();
    await tx
      .insertInto("list_chunks")
      .values({ thread_id, list_id: "l", start: 0, count: 0, tag: "t", value: "[]" })
      .execute();
    await tx
      .insertInto("checkpoint_writes")
      .values({ ...checkpoint, task_id: "t", idx: 0, channel: "x", type: "json", value: "1", task_path: "" })
      .execute();
    await tx
      .insertInto("feedback")
      .values({
        ...{ feedback_id: `f-${thread_id}`, run_id: `run-${thread_id}`, thread_id, key: "k" },
        ...{ created_at: now, modified_at: now },
      })
      .execute();
  });
}
