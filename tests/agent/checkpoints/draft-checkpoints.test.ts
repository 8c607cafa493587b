import { expect, test } from "bun:test";
import { join } from "node:path";
import { admitRun, databaseReader, openDatabase } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { Annotation, type BaseCheckpointSaver, START, StateGraph } from "@langchain/langgraph";
import { DraftCheckpoints } from "../../../agent/checkpoints/index.ts";
import { storeEdit } from "../../../agent/threads/thread-states.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { temporaryFolder } from "../../store/every-store.ts";

const THREAD = "01999999-0000-7000-8000-00000000000a";
const place = { configurable: { thread_id: THREAD, checkpoint_ns: "" } };

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

const State = Annotation.Root({
  words: Annotation<string[]>({ reducer: (all, more) => all.concat(more), default: () => [] }),
});

const graphOn = (checkpointer: Checkpoints | DraftCheckpoints) =>
  new StateGraph(State)
    .addNode("one", () => ({}))
    .addNode("two", () => ({}))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .compile({ checkpointer: checkpointer as unknown as BaseCheckpointSaver });

const words = (...more: string[]) => [{ updates: [{ values: { words: more }, asNode: "one" }] }];

async function opened() {
  const db = await openDatabase(await databaseUrl(join(temporaryFolder(), "berth.db")));
  const draft = () => new DraftCheckpoints(databaseReader(db), THREAD);
  const stored = async () => {
    const all = [];
    for await (const { checkpoint, parentConfig } of new Checkpoints(db).list(place)) {
      const parent = parentConfig?.configurable?.checkpoint_id;
      all.push({ id: checkpoint.id, parent, words: checkpoint.channel_values.words });
    }
    return all;
  };
  return { db, draft, stored };
}

test("is read as if it were stored, and is stored as it was read, with all that it stands on", async () => {
  const { db, draft, stored } = await opened();
  try {
    const before = Array.from({ length: 10 }, (_, at) => `word ${at}`);
    await graphOn(new Checkpoints(db)).bulkUpdateState(place, words(...before));
    const edit = draft();
    const graph = graphOn(edit);
    await graph.bulkUpdateState(place, [...words("a"), ...words("b")]);
    const seen = await graph.getState(place);
    expect([seen.values.words, seen.next]).toEqual([[...before, "a", "b"], ["two"]]);
    expect(await stored()).toHaveLength(1);
    await db.write((tx) => storeEdit(tx, edit.drafted()));
    const all = await stored();
    expect(all.map((one) => one.words)).toEqual([[...before, "a", "b"], [...before, "a"], before]);
    expect(all.map(({ parent }) => parent)).toEqual([all[1]?.id, all[2]?.id, undefined]);
    const { values, next } = await graphOn(new Checkpoints(db)).getState(place);
    expect({ values, next }).toEqual({ values: seen.values, next: seen.next });
  } finally {
    await db.close();
  }
});

test("is refused by its own transaction when a run was admitted meanwhile", async () => {
  const { db, draft, stored } = await opened();
  try {
    const edit = draft();
    await graphOn(edit).bulkUpdateState(place, words("a"));
    // Both wait for the same transaction; the run is first.
    const admitted = db.write((tx) => admitRun(tx, pendingRun(crypto.randomUUID()), 1, undefined, 0));
    const refused = db.write((tx) => storeEdit(tx, edit.drafted()));
    await admitted;
    await expect(refused).rejects.toThrow("Thread is busy");
    expect(await stored()).toEqual([]);
  } finally {
    await db.close();
  }
});

test("is refused when the thread went on since it was read", async () => {
  const { db, draft, stored } = await opened();
  try {
    await graphOn(new Checkpoints(db)).bulkUpdateState(place, words("a"));
    const late = draft();
    await graphOn(late).bulkUpdateState(place, words("late"));
    await graphOn(new Checkpoints(db)).bulkUpdateState(place, words("b"));
    await expect(db.write((tx) => storeEdit(tx, late.drafted()))).rejects.toThrow(
      "Thread was changed meanwhile",
    );
    expect((await stored()).map((one) => one.words)).toEqual([["a", "b"], ["a"]]);
  } finally {
    await db.close();
  }
});
