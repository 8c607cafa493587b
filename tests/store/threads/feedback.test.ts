import { expect, test } from "bun:test";
import {
  admitRun,
  cancelRun,
  type Database,
  deleteRunsOfAssistant,
  deleteThread,
  eraseRun,
  Feedback,
  NotFound,
} from "@berth/store";
import { everyStore, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";

const THREAD = "01999999-0000-7000-8000-000000000001";
const OTHER = "01999999-0000-7000-8000-000000000002";
const ASSISTANT = "01999999-0000-7000-8000-00000000000a";

async function addRun(db: Database, run_id: string, thread_id: string, now: number): Promise<void> {
  const run = {
    ...{ run_id, thread_id, assistant_id: ASSISTANT, graph_id: "agent", created_at: now, not_before: now },
    ...{ configurable: {}, metadata: { assistant: {}, run: {} }, kwargs: {}, on_completion: null },
    ...{ multitask_strategy: "enqueue" as const, if_not_exists: "create" as const },
  };
  await db.write((tx) => admitRun(tx, run, now, undefined, 0));
}

everyStore("feedback", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    await addRun(db, "run-1", THREAD, clock.now());
    await addRun(db, "run-2", THREAD, clock.now());
    await addRun(db, "run-3", OTHER, clock.now());
    return { db, clock, feedback: new Feedback(db, clock) };
  };

  test("the same key of the same target is written over; another target is not", async () => {
    const { clock, feedback } = await start();
    const first = await feedback.put(THREAD, {
      run_id: "run-1",
      key: "user_score",
      score: 1,
      comment: "fine",
    });
    const began = clock.now();
    clock.advance(5);
    const second = await feedback.put(THREAD, { run_id: "run-1", key: "user_score", score: 0.5 });
    expect(second).toEqual({
      feedback_id: first.feedback_id,
      run_id: "run-1",
      thread_id: THREAD,
      message_id: null,
      key: "user_score",
      score: 0.5,
      value: null,
      comment: null,
      created_at: began,
      modified_at: began + 5,
    });
    clock.advance(5);
    const onMessage = { run_id: "run-1", key: "user_score", message_id: "m-1" };
    await feedback.put(THREAD, { ...onMessage, score: 0 });
    await feedback.put(THREAD, { ...onMessage, score: 1 });
    clock.advance(5);
    await feedback.put(THREAD, { run_id: "run-2", key: "tone", value: { mood: "dry" } });
    const all = await feedback.ofThread(THREAD);
    expect(
      all.map(({ run_id, key, message_id, score, value }) => [run_id, key, message_id, score, value]),
    ).toEqual([
      ["run-1", "user_score", null, 0.5, null],
      ["run-1", "user_score", "m-1", 1, null],
      ["run-2", "tone", null, null, { mood: "dry" }],
    ]);
    expect(await feedback.ofThread(OTHER)).toEqual([]);
  });

  test("is taken back from its own target only, and twice does no harm", async () => {
    const { feedback } = await start();
    await feedback.put(THREAD, { run_id: "run-1", key: "user_score", score: 1 });
    await feedback.put(THREAD, { run_id: "run-1", key: "user_score", message_id: "m-1", score: 1 });
    await feedback.remove(THREAD, { run_id: "run-1", key: "user_score" });
    await feedback.remove(THREAD, { run_id: "run-1", key: "user_score" });
    expect((await feedback.ofThread(THREAD)).map(({ message_id }) => message_id)).toEqual(["m-1"]);
  });

  test("needs a run of this thread", async () => {
    const { feedback } = await start();
    const elsewhere = { run_id: "run-3", key: "user_score" };
    expect(await outcome(feedback.put(THREAD, { ...elsewhere, score: 1 }))).toThrow(NotFound);
    expect(await outcome(feedback.remove(THREAD, elsewhere))).toThrow(NotFound);
    expect(await outcome(feedback.put(THREAD, { run_id: "none", key: "x", score: 1 }))).toThrow(NotFound);
    expect(await feedback.ofThread(OTHER)).toEqual([]);
  });

  test("goes with its run and its thread", async () => {
    const { db, clock, feedback } = await start();
    const left = async () => {
      const rows = await db.read.selectFrom("feedback").select("run_id").orderBy("run_id").execute();
      return rows.map(({ run_id }) => run_id);
    };
    await feedback.put(THREAD, { run_id: "run-1", key: "k", score: 1 });
    await feedback.put(THREAD, { run_id: "run-2", key: "k", score: 1 });
    await feedback.put(OTHER, { run_id: "run-3", key: "k", score: 1 });
    await db.write((tx) => eraseRun(tx, { run_id: "run-1", thread_id: THREAD }));
    expect(await left()).toEqual(["run-2", "run-3"]);
    await db.write((tx) => cancelRun(tx, "run-2", "rollback", clock.now(), 0));
    expect(await left()).toEqual(["run-3"]);
    await db.write((tx) => deleteThread(tx, OTHER));
    expect(await left()).toEqual([]);
    await addRun(db, "run-4", THREAD, clock.now());
    await feedback.put(THREAD, { run_id: "run-4", key: "k", score: 1 });
    await db.write((tx) => deleteRunsOfAssistant(tx, ASSISTANT, clock.now()));
    expect(await left()).toEqual([]);
  });
});
