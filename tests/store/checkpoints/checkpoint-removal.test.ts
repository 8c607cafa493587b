import { expect, test } from "bun:test";
import { deleteCheckpointsOfRun, deleteCheckpointsOfThread } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { everyStore } from "../every-store.ts";
import { advance, configAt, load, numbered, rowsOfThread, THREAD } from "./checkpoint-thread.ts";

const NO_ROWS = { checkpoints: 0, channel_values: 0, list_chunks: 0, checkpoint_writes: 0 };

everyStore("removing checkpoints", (open) => {
  test("a deleted thread leaves no row, and its neighbour all", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    for (const thread of [THREAD, "neighbour"]) {
      const head = await advance(saver, undefined, { messages: numbered(0, 20), a: 1 }, { thread });
      await advance(saver, head, { messages: numbered(0, 21) }, { thread, wrote: [{ id: 20 }] });
    }
    await database.write((tx) => deleteCheckpointsOfThread(tx, THREAD));
    expect(await rowsOfThread(database)).toEqual(NO_ROWS);
    expect(await rowsOfThread(database, "neighbour")).toEqual({
      checkpoints: 2,
      channel_values: 3,
      list_chunks: 2,
      checkpoint_writes: 1,
    });
  });

  test("a run that is taken back leaves the thread as it was before", async () => {
    const database = await open();
    const before = new Checkpoints(database, { runId: "before" });
    const root = await advance(before, undefined, { messages: numbered(0, 20), topic: "old", kept: 1 });
    const rows = await rowsOfThread(database);
    const undone = new Checkpoints(database, { runId: "undone" });
    let head = await advance(undone, await load(undone), { messages: [...numbered(0, 20), { secret: 1 }] });
    head = await advance(
      undone,
      head,
      { topic: "new", messages: numbered(0, 10) },
      { wrote: [{ secret: 2 }] },
    );
    await undone.putWrites(configAt(head.id), [["topic", "pending"]], "task");
    await database.write((tx) => deleteCheckpointsOfRun(tx, "undone", THREAD));
    const after = await load(new Checkpoints(database));
    expect(after.id).toBe(root.id);
    expect(after.values).toEqual({ messages: numbered(0, 20), topic: "old", kept: 1 });
    // The place of a chunk in a list that is still read stays taken; its text is gone.
    expect(await rowsOfThread(database)).toEqual({ ...rows, list_chunks: (rows.list_chunks ?? 0) + 1 });
    const texts = await database.read.selectFrom("list_chunks").select("value").execute();
    expect(texts.map((row) => row.value).join()).not.toContain("secret");
    const next = new Checkpoints(database);
    head = await advance(next, await load(next), { messages: [...numbered(0, 20), { id: "next" }] });
    expect((await load(new Checkpoints(database))).values.messages).toEqual([
      ...numbered(0, 20),
      { id: "next" },
    ]);
  });

  test("what another run built on a removed one stays readable", async () => {
    const database = await open();
    const base = await advance(new Checkpoints(database, { runId: "one" }), undefined, {
      messages: numbered(0, 10),
    });
    const two = new Checkpoints(database, { runId: "two" });
    const middle = await advance(two, await load(two, base.id), { messages: numbered(0, 15), topic: "two" });
    const three = new Checkpoints(database, { runId: "three" });
    const top = await advance(three, await load(three, middle.id), { messages: numbered(0, 17) });
    const beside = new Checkpoints(database, { runId: "two" });
    await advance(beside, await load(beside, base.id), { messages: numbered(0, 16), topic: "gone" });
    await database.write((tx) => deleteCheckpointsOfRun(tx, "two", THREAD));
    const left = await load(new Checkpoints(database), top.id);
    expect(left.values).toEqual({ messages: numbered(0, 17), topic: "two" });
    expect((await load(new Checkpoints(database), base.id)).values).toEqual({ messages: numbered(0, 10) });
    const topics = await database.read
      .selectFrom("channel_values")
      .select("value")
      .where("channel", "=", "topic")
      .execute();
    expect(topics.map((row) => row.value)).toEqual(['"two"']);
    await database.write((tx) => deleteCheckpointsOfRun(tx, "three", THREAD));
    await database.write((tx) => deleteCheckpointsOfRun(tx, "one", THREAD));
    expect((await rowsOfThread(database)).checkpoints).toBe(0);
  });

  test("prune keeps the newest checkpoint of each namespace, its writes and its lists", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    let head = await advance(saver, undefined, { messages: numbered(0, 100), topic: 0 });
    for (let turn = 1; turn < 10; turn++) {
      head = await advance(
        saver,
        head,
        { messages: numbered(0, 100 - turn * 10), topic: turn },
        { wrote: [1] },
      );
    }
    head = await advance(saver, head, { messages: [{ id: "new" }, ...numbered(0, 9)] });
    await saver.putWrites(configAt(head.id), [["__interrupt__", "open"]], "task");
    await saver.prune([THREAD, "unknown"], "keep_latest");
    const tuple = await new Checkpoints(database).getTuple(configAt());
    expect(tuple?.checkpoint.channel_values).toEqual({
      messages: [{ id: "new" }, ...numbered(0, 9)],
      topic: 9,
    });
    expect(tuple?.pendingWrites).toEqual([["task", "__interrupt__", "open"]]);
    expect(await rowsOfThread(database)).toEqual({
      checkpoints: 1,
      channel_values: 2,
      list_chunks: 1,
      checkpoint_writes: 1,
    });
    await saver.prune([THREAD], "delete");
    expect(await rowsOfThread(database)).toEqual(NO_ROWS);
  });

  test("prune keeps the ancestors that a delta channel is rebuilt from", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const counters = { metadata: { counters_since_delta_snapshot: { log: [2, 2] } } };
    const old = await advance(saver, undefined, { a: 1 });
    const seed = await advance(saver, old, { log: ["seed"] });
    const { log: _, ...values } = seed.values;
    const bump = (head: typeof seed) => ({
      ...head,
      values,
      versions: { ...head.versions, log: saver.getNextVersion(String(head.versions.log)) },
    });
    await saver.putWrites(configAt(seed.id), [["log", "one"]], "task");
    const middle = await advance(saver, bump(seed), { a: 2 }, counters);
    await saver.putWrites(configAt(middle.id), [["log", "two"]], "task");
    await advance(saver, bump(middle), { a: 3 }, counters);
    const history = () =>
      new Checkpoints(database).getDeltaChannelHistory({ config: configAt(), channels: ["log"] });
    const before = await history();
    expect(before.log?.seed).toEqual(["seed"]);
    expect(before.log?.writes.map((write) => write[2])).toEqual(["one", "two"]);
    await saver.prune([THREAD], "keep_latest");
    expect(await history()).toEqual(before);
    expect((await rowsOfThread(database)).checkpoints).toBe(3);
  });

  test("what a removed run wrote to delta channels stays as long as others are rebuilt from it", async () => {
    const database = await open();
    const counters = { metadata: { counters_since_delta_snapshot: { log: [1, 1] } } };
    const first = new Checkpoints(database, { runId: "first" });
    const seed = await advance(first, undefined, { log: ["seed"], a: 0 });
    const { log: _, ...values } = seed.values;
    const bump = (head: typeof seed) => ({
      ...head,
      values,
      versions: { ...head.versions, log: first.getNextVersion(String(head.versions.log)) },
    });
    const write = (saver: Checkpoints, id: string, text: string) =>
      saver.putWrites(
        configAt(id),
        [
          ["log", text],
          ["a", `not ${text}`],
        ],
        "task",
      );
    await write(first, seed.id, "one");
    const middle = await advance(first, bump(seed), { a: 1 }, counters);
    const second = new Checkpoints(database, { runId: "second" });
    await write(second, middle.id, "two");
    await advance(second, bump(middle), { a: 2 }, counters);
    const history = () =>
      new Checkpoints(database).getDeltaChannelHistory({ config: configAt(), channels: ["log"] });
    const before = await history();
    expect(before.log?.writes.map((one) => one[2])).toEqual(["one", "two"]);
    await database.write((tx) => deleteCheckpointsOfRun(tx, "first", THREAD));
    expect(await history()).toEqual(before);
    for (const { id } of [seed, middle])
      expect(await new Checkpoints(database).getTuple(configAt(id))).toBeUndefined();
    const listed = await Array.fromAsync(new Checkpoints(database).list(configAt()));
    expect(listed.map(({ metadata }) => metadata?.step)).toHaveLength(1);
    const rows = await database.read.selectFrom("checkpoint_writes").select(["channel", "run_id"]).execute();
    expect(rows.map(({ channel }) => channel)).toEqual(["log", "log"]);
    await database.write((tx) => deleteCheckpointsOfRun(tx, "second", THREAD));
    expect(await rowsOfThread(database)).toEqual(NO_ROWS);
  });
});
