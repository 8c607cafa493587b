import { expect, test } from "bun:test";
import { createThread, deleteThread, settle, Threads } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { everyStore, standingClock } from "../every-store.ts";

const id = (number: number) => `01999999-0000-7000-8000-0000000000${String(number).padStart(2, "0")}`;

everyStore("a search for what was said on threads", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    const threads = new Threads(db, clock);
    let step = 0;
    /** A thread at rest with this state. */
    const says = async (number: number, values: Record<string, unknown>, owner = "ada") => {
      clock.advance(1_000);
      const now = clock.now();
      const thread_id = id(number);
      if (!(await threads.find(thread_id)))
        await db.write((tx) => createThread(tx, { thread_id, metadata: { owner } }, now));
      step += 1;
      const versions = Object.fromEntries(Object.keys(values).map((name) => [name, step]));
      await new Checkpoints(db, {}).put(
        { configurable: { thread_id, checkpoint_ns: "" } },
        { ...emptyCheckpoint(), channel_values: values, channel_versions: versions },
        { source: "loop", step, parents: {} },
        versions,
      );
      const rest = { status: "idle" as const, interrupts: "{}", error: null, stateUpdatedAt: now };
      await db.write((tx) => settle(tx, thread_id, rest, now));
    };
    const find = async (query: string, more: object = {}) =>
      (await threads.list({ limit: 10, offset: 0, query, ...more })).map(({ thread_id }) =>
        Number(thread_id.slice(-2)),
      );
    return { clock, db, threads, says, find };
  };

  const human = (content: unknown) => ({ type: "human", content });
  const ai = (content: unknown) => ({ type: "ai", content });

  test("finds words of messages, whole or as a beginning, whatever their case and accents", async () => {
    const { threads, says, find } = await start();
    await says(1, {
      messages: [human("Ein Zimmer in Zürich, bitte!"), ai([{ type: "text", text: "Gern." }])],
    });
    await says(2, {
      messages: [human("Trains"), { type: "tool", content: "timetable" }, ai("To ZÜRICH at 9:40")],
    });
    await says(3, { topic: "lighthouses", report: { text: "They stand in Brittany." } });
    expect(await find("zurich")).toEqual([]);
    expect(await threads.index(100)).toBe(3);
    expect(await threads.index(100)).toBe(0);
    expect(await find("zurich")).toEqual([2, 1]);
    expect(await find("ZIMMER züri")).toEqual([1]);
    expect(await find("zimm ")).toEqual([]);
    expect(await find("gern")).toEqual([1]);
    // What a tool said is in no conversation; a state without messages is one.
    expect(await find("timetable")).toEqual([]);
    expect(await find("brittany stand")).toEqual([3]);
    expect(await find('zurich" OR "zimmer')).toEqual([]);
    expect(await find("'':* & | !()")).toEqual([]);
    expect(await find("zurich", { limit: 1, offset: 1 })).toEqual([1]);
  });

  test("follows what changes, forgets what is deleted, and shows nobody another's", async () => {
    const { db, threads, says, find } = await start();
    await says(1, { messages: [human("apples")] });
    await says(2, { messages: [human("apples and pears")] }, "bob");
    await threads.index(10);
    await says(1, { messages: [human("apples"), ai("plums")] });
    await threads.index(10);
    expect(await find("apples plums")).toEqual([1]);
    expect(await find("apples")).toEqual([1, 2]);
    const permitted = { contain: { owner: "bob" } };
    expect(await find("apples", { permitted })).toEqual([2]);
    expect(await find("plums", { permitted })).toEqual([]);
    await db.write((tx) => deleteThread(tx, id(1)));
    const left = await db.read.selectFrom("berth_thread_docs").select("thread_id").execute();
    expect(left).toEqual([{ thread_id: id(2) }]);
    expect(await find("apples")).toEqual([2]);
  });

  test("goes on where it stopped, and does not look at the old ones again", async () => {
    const { threads, says, find } = await start();
    for (let number = 1; number <= 25; number++) await says(number, { messages: [human(`note ${number}`)] });
    expect(await threads.index(15)).toBe(15);
    expect(await find("note")).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6]);
    expect(await threads.index(100)).toBe(10);
    expect(await find("note 25")).toEqual([25]);
  });
});
