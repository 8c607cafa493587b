import { expect, test } from "bun:test";
import {
  admitRun,
  copyThread,
  createThread,
  type Database,
  deleteRunsOfAssistant,
  NotFound,
  setTitle,
  settle,
  Threads,
} from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { everyStore, standingClock } from "../every-store.ts";

const ASSISTANT = "01999999-0000-7000-8000-00000000000a";
const id = (number: number) => `01999999-0000-7000-8000-0000000000${String(number).padStart(2, "0")}`;

everyStore("the list of threads", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    return { clock, db, threads: new Threads(db, clock) };
  };

  /** A thread that somebody spoke on, and that is at rest. */
  async function spoken(db: Database, thread_id: string, now: number, title?: string): Promise<void> {
    await db.write(async (tx) => {
      await createThread(tx, { thread_id, metadata: { assistant_id: ASSISTANT } }, now);
      await settle(
        tx,
        thread_id,
        { status: "idle", interrupts: "{}", error: null, stateUpdatedAt: now },
        now,
      );
      if (title) await setTitle(tx, thread_id, title);
    });
  }

  test("leaves out what only programs ran, where conversations are wanted", async () => {
    const { clock, db, threads } = await start();
    const ran = async (number: number, kwargs: object[]) => {
      await spoken(db, id(number), clock.now(), `title ${number}`);
      for (const [at, one] of kwargs.entries()) {
        const run = {
          ...{
            run_id: `${id(number)}-${at}`,
            thread_id: id(number),
            assistant_id: ASSISTANT,
            graph_id: "chat",
          },
          ...{ created_at: at, not_before: 0, configurable: {}, metadata: { assistant: {}, run: {} } },
          ...{ kwargs: { ...one }, on_completion: null },
          ...{ multitask_strategy: "enqueue" as const, if_not_exists: "reject" as const },
        };
        await db.write((tx) => admitRun(tx, run, clock.now(), undefined, 0));
      }
      clock.advance(5);
    };
    await ran(1, [{ thread_log: true }]);
    await ran(2, [{ input: "a cron's" }]);
    await ran(3, [{ input: "an API's" }, { thread_log: true }]);
    await ran(4, []);
    const page = { limit: 10, offset: 0 };
    const titles = async (more: object) =>
      (await threads.list({ ...page, ...more })).map(({ title }) => title);
    expect(new Set(await titles({}))).toEqual(new Set(["title 1", "title 2", "title 3", "title 4"]));
    expect(new Set(await titles({ conversations: true }))).toEqual(
      new Set(["title 1", "title 3", "title 4"]),
    );
    expect(await titles({ conversations: true, query: "title 2" })).toEqual([]);
  });

  test("has what was spoken on or is busy, last changed first, and nothing else", async () => {
    const { clock, db, threads } = await start();
    await spoken(db, id(1), clock.now(), "one");
    clock.advance(5);
    await spoken(db, id(2), clock.now());
    clock.advance(5);
    await threads.create({ thread_id: id(3) });
    const busy = {
      ...{
        run_id: "r",
        thread_id: id(4),
        assistant_id: ASSISTANT,
        graph_id: "chat",
        created_at: 0,
        not_before: 0,
      },
      ...{ configurable: {}, metadata: { assistant: {}, run: {} }, kwargs: {}, on_completion: null },
      ...{ multitask_strategy: "enqueue" as const, if_not_exists: "create" as const, title: "four" },
    };
    await db.write((tx) => admitRun(tx, busy, clock.now(), undefined, 0));
    const began = clock.now();
    const rest = { assistant_id: ASSISTANT, waiting: false };
    expect(await threads.list({ limit: 10, offset: 0 })).toEqual([
      { ...rest, thread_id: id(4), title: "four", updated_at: began, status: "busy" },
      { ...rest, thread_id: id(2), title: null, updated_at: began - 5, status: "idle" },
      { ...rest, thread_id: id(1), title: "one", updated_at: began - 10, status: "idle" },
    ]);
    const page = await threads.list({ limit: 1, offset: 1 });
    expect(page.map(({ thread_id }) => thread_id)).toEqual([id(2)]);
  });

  test("has what a run left whose assistant was deleted under it, and so has a copy made meanwhile", async () => {
    const { clock, db, threads } = await start();
    const run = {
      ...{ run_id: "r", thread_id: id(1), assistant_id: ASSISTANT, graph_id: "chat", created_at: 0 },
      ...{ configurable: {}, metadata: { assistant: {}, run: {} }, kwargs: {}, on_completion: null },
      ...{ multitask_strategy: "enqueue" as const, if_not_exists: "create" as const, not_before: 0 },
    };
    const lease = { owner: "me", until: clock.now() + 1 };
    await db.write((tx) => admitRun(tx, run, clock.now(), lease, 0));
    const saver = new Checkpoints(db, { runId: "r" });
    const place = { configurable: { thread_id: id(1), checkpoint_ns: "" } };
    const checkpoint = { ...emptyCheckpoint(), ts: "2026-01-01T00:00:05.000Z" };
    await saver.put(place, checkpoint, { source: "loop", step: 0, parents: {} }, {});
    const written = { status: "idle", state_updated_at: Date.UTC(2026, 0, 1, 0, 0, 5) };
    expect(await db.write((tx) => copyThread(tx, id(1), id(2), clock.now()))).toMatchObject(written);
    await db.write((tx) => deleteRunsOfAssistant(tx, ASSISTANT, clock.now()));
    expect(await threads.get(id(1))).toMatchObject(written);
    const listed = await threads.list({ limit: 10, offset: 0 });
    expect(listed.map(({ thread_id }) => thread_id).sort()).toEqual([id(1), id(2)]);
  });

  test("is searched by a part of the title, whatever its case and accents", async () => {
    const { clock, db, threads } = await start();
    const titles = ["Ärger im Büro", "100% sure_thing", "Москва", "büro"];
    for (const [index, title] of titles.entries()) {
      clock.advance(1);
      await spoken(db, id(index), clock.now(), title);
    }
    clock.advance(1);
    await spoken(db, id(9), clock.now());
    const found = async (query: string, page = { limit: 10, offset: 0 }) =>
      (await threads.list({ ...page, query })).map((thread) => thread.title);
    expect(await found("BURO")).toEqual(["büro", "Ärger im Büro"]);
    expect(await found("buro", { limit: 1, offset: 1 })).toEqual(["Ärger im Büro"]);
    expect(await found("моск")).toEqual(["Москва"]);
    expect(await found("0% s")).toEqual(["100% sure_thing"]);
    expect(await found("%")).toEqual(["100% sure_thing"]);
    expect(await found("nothing")).toEqual([]);
  });

  test("a title stays where it is only wanted for want of one, and renaming moves nothing", async () => {
    const { clock, db, threads } = await start();
    await spoken(db, id(1), clock.now(), "mine");
    const before = clock.now();
    clock.advance(5);
    const set = await db.write((tx) => setTitle(tx, id(1), "the first words", { onlyIfNull: true }));
    expect(set).toBe(false);
    expect(await threads.rename(id(1), "another")).toMatchObject({ title: "another", updated_at: before });
    expect(threads.rename(id(2), "nobody's")).rejects.toBeInstanceOf(NotFound);
  });

  test("what is no text in the metadata is no assistant", async () => {
    const { clock, db, threads } = await start();
    await spoken(db, id(1), clock.now());
    await threads.patch(id(1), { assistant_id: { not: "a text" } });
    expect(await threads.list({ limit: 1, offset: 0 })).toMatchObject([{ assistant_id: null }]);
  });
});
