import { expect, test } from "bun:test";
import {
  Assistants,
  type Cron,
  type CronSearch,
  Crons,
  deleteThread,
  type NewCron,
  NotFound,
  syncSystemAssistants,
  Threads,
  takeTick,
} from "@berth/store";
import { everyStore, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { firstPlan } from "../query-plan.ts";

const unknown = "0197f0a0-0000-7000-8000-00000000dead";

everyStore("crons", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    const crons = new Crons(db, clock);
    const { assistant_id } = await new Assistants(db, clock).create({ graph_id: "agent" });
    const { thread_id } = await new Threads(db, clock).create({});
    const create = (given: Partial<NewCron> = {}) => {
      clock.advance(1);
      return crons.create({ ...plain, assistant_id, ...given });
    };
    const found = async (search: Partial<CronSearch> = {}) => {
      const { rows, total } = await crons.search({ limit: 100, offset: 0, ...search });
      expect(total).toBe(await crons.count(search));
      return rows.map(({ cron_id }) => cron_id);
    };
    return { clock, db, crons, assistant_id, thread_id, create, found };
  };

  const plain: Omit<NewCron, "assistant_id"> = {
    thread_id: null,
    on_run_completed: "delete",
    schedule: "* * * * *",
    timezone: null,
    end_time: null,
    enabled: true,
    payload: {},
    metadata: {},
    user_id: null,
    user_permissions: [],
    next_run_at: 5,
  };

  test("keep everything that they were given", async () => {
    const { clock, crons, assistant_id, thread_id } = await start();
    const given: NewCron = {
      assistant_id,
      thread_id,
      on_run_completed: null,
      schedule: "0 8 * * 1-5",
      timezone: "Europe/Lisbon",
      end_time: Date.UTC(2030, 0, 1),
      enabled: false,
      payload: { input: { messages: ["hi"] }, config: { tags: ["a"] } },
      metadata: { team: { name: "red" } },
      user_id: "ada",
      user_permissions: ["write"],
      next_run_at: null,
    };
    const cron = await crons.create(given);
    const times = { created_at: clock.now(), updated_at: clock.now() };
    const noRun = { last_run_id: null, last_run_at: null };
    expect(cron).toEqual({ ...given, ...noRun, ...times, cron_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(await crons.get(cron.cron_id)).toEqual(cron);
  });

  test("need an assistant, and a thread where they name one", async () => {
    const { create, crons } = await start();
    expect(await outcome(create({ assistant_id: unknown }))).toThrow(new NotFound("Assistant not found"));
    expect(await outcome(create({ thread_id: unknown }))).toThrow(`Thread with ID ${unknown} not found`);
    expect(await crons.count({})).toBe(0);
  });

  test("change, and no two versions have the same time", async () => {
    const { clock, crons, create } = await start();
    const { cron_id, ...first } = await create();
    const change = (schedule: string) => crons.change(cron_id, (cron) => ({ ...cron, schedule }));
    const second = await change("1 * * * *");
    expect(second).toEqual({ ...first, cron_id, schedule: "1 * * * *", updated_at: first.updated_at + 1 });
    clock.advance(1_000);
    expect((await change("2 * * * *")).updated_at).toBe(clock.now());
    expect(await crons.get(cron_id)).toMatchObject({ schedule: "2 * * * *" });
  });

  test("that are not there are not found", async () => {
    const { crons, create } = await start();
    const gone = new NotFound("Cron not found");
    const { cron_id } = await create();
    await crons.delete(cron_id);
    expect(await outcome(crons.delete(cron_id))).toThrow(gone);
    expect(await outcome(crons.get(cron_id))).toThrow(gone);
    expect(await outcome(crons.change(cron_id, (cron) => cron))).toThrow(gone);
  });

  test("are found by what they are", async () => {
    const { db, clock, create, found, thread_id } = await start();
    const other = await new Assistants(db, clock).create({ graph_id: "agent" });
    const a = await create({ metadata: { team: "red", on: true } });
    const b = await create({ enabled: false, next_run_at: null, metadata: { team: "red" } });
    const c = await create({ thread_id, on_run_completed: null });
    const d = await create({ assistant_id: other.assistant_id });
    expect(await found()).toEqual([d, c, b, a].map(({ cron_id }) => cron_id));
    expect(await found({ assistant_id: other.assistant_id })).toEqual([d.cron_id]);
    expect(await found({ thread_id })).toEqual([c.cron_id]);
    expect(await found({ enabled: false })).toEqual([b.cron_id]);
    expect(await found({ enabled: true, metadata: { team: "red" } })).toEqual([a.cron_id]);
    expect(await found({ metadata: { team: "red" } })).toEqual([b.cron_id, a.cron_id]);
    expect(await found({ metadata: { team: "blue" } })).toEqual([]);
  });

  test("are found by metadata that is exactly so, key by key", async () => {
    const { create, found } = await start();
    const metadata = { team: { name: "red", tags: [1, 2] }, size: 1, no: null };
    const { cron_id } = await create({ metadata });
    await create({ metadata: { team: {} } });
    for (const same of [{ team: { tags: [1, 2], name: "red" } }, { size: 1 }, { no: null }, metadata])
      expect([same, await found({ metadata: same })]).toEqual([same, [cron_id]]);
    for (const other of [
      ...[{ team: { name: "red" } }, { team: { name: "red", tags: [2, 1] } }, { team: "red" }],
      ...[{ team: { ...metadata.team, more: 1 } }, { size: "1" }, { size: 2 }, { missing: null }],
    ])
      expect([other, await found({ metadata: other })]).toEqual([other, []]);
  });

  test("are sorted as asked, those without a value last, and come in pages", async () => {
    const { create, crons, found } = await start();
    const late = await create({ next_run_at: 30 });
    const never = await create({ next_run_at: null });
    const soon = await create({ next_run_at: 10 });
    const byNext = (sort_order: "asc" | "desc") => found({ sort_by: "next_run_at", sort_order });
    expect(await byNext("asc")).toEqual([soon.cron_id, late.cron_id, never.cron_id]);
    expect(await byNext("desc")).toEqual([late.cron_id, soon.cron_id, never.cron_id]);
    expect(await found({ sort_order: "asc" })).toEqual([late.cron_id, never.cron_id, soon.cron_id]);
    const { rows, total } = await crons.search({ limit: 1, offset: 1 });
    expect([rows.map(({ cron_id }) => cron_id), total]).toEqual([[never.cron_id], 3]);
  });

  test("are due from their time on, the longest first, in pages that hold each once", async () => {
    const { create, crons } = await start();
    const made: Cron[] = [];
    for (const next_run_at of [30, 10, 20, 20, 20, null, 31]) made.push(await create({ next_run_at }));
    const due = made.filter(({ next_run_at }) => next_run_at !== null && next_run_at <= 30);
    due.sort((x, y) => (x.next_run_at ?? 0) - (y.next_run_at ?? 0) || x.cron_id.localeCompare(y.cron_id));
    const pages: Cron[] = [];
    for (;;) {
      const page = await crons.due(30, 2, pages.at(-1));
      pages.push(...page);
      if (page.length < 2) break;
    }
    expect(pages).toEqual(due);
    expect(await crons.due(9, 10)).toEqual([]);
  });

  test("give a tick to one who asks, and to nobody once they have changed", async () => {
    const { db, crons, create } = await start();
    const cron = await create();
    const take = (of: Cron, next: number | null) => db.write((tx) => takeTick(tx, of, next));
    expect(await Promise.all([take(cron, 60), take(cron, 60), take(cron, 60)])).toEqual([true, false, false]);
    const after = await crons.get(cron.cron_id);
    expect(after).toEqual({ ...cron, next_run_at: 60 });
    await crons.change(cron.cron_id, (now) => ({ ...now, payload: { input: 2 } }));
    expect(await take(after, 120)).toBe(false);
    expect(await take(await crons.get(cron.cron_id), null)).toBe(true);
    expect(await crons.due(1_000, 10)).toEqual([]);
  });

  test("go with their thread and with their assistant, and nobody else's do", async () => {
    const { db, clock, crons, create, found, thread_id, assistant_id } = await start();
    const other = await new Assistants(db, clock).create({ graph_id: "agent" });
    const onThread = await create({ thread_id, on_run_completed: null, assistant_id: other.assistant_id });
    const mine = await create();
    const others = await create({ assistant_id: other.assistant_id });
    await db.write((tx) => deleteThread(tx, thread_id));
    expect(await outcome(crons.get(onThread.cron_id))).toThrow(NotFound);
    expect(await found()).toEqual([others.cron_id, mine.cron_id]);
    await new Assistants(db, clock).delete(assistant_id);
    expect(await found()).toEqual([others.cron_id]);
  });

  test("keep the assistant of a graph that the project has no more", async () => {
    const { db, clock, create, found } = await start();
    const system = { assistant_id: unknown, graph_id: "old", description: null, config: {}, context: {} };
    await syncSystemAssistants(db, clock, [system]);
    const { cron_id } = await create({ assistant_id: unknown });
    expect(await syncSystemAssistants(db, clock, [])).toEqual([]);
    expect(await found()).toEqual([cron_id]);
  });

  test("that are due are looked up by index, however many there are", async () => {
    const { db, clock } = await start();
    if (db.sql.name !== "sqlite") return;
    const plan = (await firstPlan(db, (recorded) => new Crons(recorded, clock).due(1, 10))).join("\n");
    expect(plan).toContain("crons_due");
    expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
  });
});
