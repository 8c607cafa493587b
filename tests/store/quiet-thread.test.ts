import { expect, test } from "bun:test";
import { join } from "node:path";
import { admitRun, Checkpoints, openDatabase, quietThreadSink } from "@berth/store";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { temporaryFolder } from "./every-store.ts";

const THREAD = "01999999-0000-7000-8000-00000000000a";

const pendingRun = (run_id: string) => ({
  run_id,
  thread_id: THREAD,
  assistant_id: crypto.randomUUID(),
  graph_id: "agent",
  created_at: 1,
  configurable: {},
  metadata: { assistant: {}, run: {} },
  kwargs: {},
  multitask_strategy: "enqueue" as const,
  not_before: 1,
  on_completion: null,
  if_not_exists: "create" as const,
});

test("an edit of a thread is refused by its own transaction when a run was admitted meanwhile", async () => {
  const db = await openDatabase(`sqlite:${join(temporaryFolder(), "berth.db")}`);
  const saver = new Checkpoints(db, { sink: quietThreadSink(db, THREAD) });
  const place = { configurable: { thread_id: THREAD, checkpoint_ns: "" } };
  const put = () => saver.put(place, emptyCheckpoint(), { source: "update", step: 0, parents: {} }, {});
  try {
    await put();
    // Both wait for the same transaction; the run is first.
    const admitted = db.write((tx) => admitRun(tx, pendingRun(crypto.randomUUID()), 1, undefined));
    const refused = put();
    await admitted;
    await expect(refused).rejects.toThrow("Thread is busy");
    const rows = await db.read.selectFrom("checkpoints").select("checkpoint_id").execute();
    expect(rows).toHaveLength(1);
  } finally {
    await db.close();
  }
});
