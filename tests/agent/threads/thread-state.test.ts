import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BadRequest, databaseReader, NotFound } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { Annotation, Command, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { DraftCheckpoints } from "../../../agent/checkpoints/index.ts";
import { GraphStates, openInterrupts, ThreadStates, threadState } from "../../../agent/threads/index.ts";
import { openRig, threadOf } from "./thread-state-rig.ts";

let rig: Awaited<ReturnType<typeof openRig>>;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const texts = (values: unknown): string[] =>
  (values as { messages: { content: string }[] }).messages.map(({ content }) => content);

describe("the state of a thread", () => {
  test("that no graph has touched is empty", async () => {
    const empty = {
      values: {},
      next: [],
      tasks: [],
      checkpoint: null,
      metadata: {},
      created_at: null,
      parent_checkpoint: null,
      interrupts: [],
    };
    const without = { thread_id: crypto.randomUUID(), metadata: {} };
    expect(await rig.states.state(without)).toEqual(empty);
    expect(await rig.states.state(threadOf("agent"))).toEqual(empty);
    expect(await rig.states.history(without)).toEqual([]);
    expect(await rig.states.history(threadOf("agent"))).toEqual([]);
  });

  test("after a run has its values, its checkpoint and the one before", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["hi"] });
    const state = await rig.states.state(thread);
    expect(texts(state.values)).toEqual(["hi", "begin", "tool_call__begin", "end"]);
    expect(state).toMatchObject({ next: [], tasks: [], interrupts: [] });
    const { checkpoint_id, ...where } = state.checkpoint ?? {};
    expect(where).toEqual({ thread_id: thread.thread_id, checkpoint_ns: "", checkpoint_map: null });
    expect(state.parent_checkpoint?.checkpoint_id).not.toBe(checkpoint_id);
    expect(state.metadata).toMatchObject({ source: "loop", step: 3, thread_id: thread.thread_id });
    expect(state.metadata).not.toHaveProperty("checkpoint_ns");
    expect(state.created_at).toBe(new Date(`${state.created_at}`).toISOString());
    expect(JSON.stringify(state)).not.toContain("__pregel");
  });

  test("can be read at any checkpoint, and one that does not exist is not found", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["hi"] });
    const [, before] = await rig.states.history(thread);
    const state = await rig.states.state(thread, { checkpoint: before?.checkpoint });
    expect(state.next).toEqual(["agent"]);
    expect(state.checkpoint).toEqual(before?.checkpoint ?? null);
    const missing = { checkpoint_id: crypto.randomUUID() };
    await expect(rig.states.state(thread, { checkpoint: missing })).rejects.toThrow(NotFound);
  });

  test("keeps the error of a failed task as text that clients parse", async () => {
    const thread = threadOf("error");
    await expect(rig.run(thread, { messages: ["hi"] })).rejects.toThrow("Boo!");
    const state = await rig.states.state(thread);
    expect(state.next).toEqual(["single"]);
    expect(JSON.parse(`${state.tasks.at(-1)?.error}`)).toEqual({ name: "CustomError", message: "Boo!" });
  });

  test("needs the configurable that the thread's graph was made with", async () => {
    const thread = threadOf("dynamic", { nodeName: "mine" });
    await rig.run(thread, { messages: ["hi"] });
    expect((await rig.states.update(thread, { values: { messages: ["x"] }, as_node: "mine" })).status).toBe(
      "idle",
    );
    const stranger = { ...thread, config: {} };
    const update = rig.states.update(stranger, { values: { messages: ["x"] }, as_node: "mine" });
    await expect(update).rejects.toThrow(new BadRequest('Node "mine" does not exist'));
  });

  test("of a graph that the project no longer has is not found", async () => {
    await expect(rig.states.state(threadOf("gone"))).rejects.toThrow(new NotFound('Graph "gone" not found'));
  });
});

describe("the history of a thread", () => {
  test("is newest first, a checkpoint a step, from the input on", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["hi"] });
    const history = await rig.states.history(thread);
    expect(history.map(({ next }) => next)).toEqual([[], ["agent"], ["tool"], ["agent"], ["__start__"]]);
    expect(history.map(({ metadata }) => metadata.step)).toEqual([3, 2, 1, 0, -1]);
    const parents = history.map(({ parent_checkpoint }) => parent_checkpoint?.checkpoint_id);
    expect(parents).toEqual([
      ...history.slice(1).map(({ checkpoint }) => checkpoint?.checkpoint_id),
      undefined,
    ]);
  });

  test("can be limited, and begins after `before` in each of its forms", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["hi"] });
    const history = await rig.states.history(thread);
    const second = history[1]?.checkpoint;
    if (!second) throw new Error("no second checkpoint");
    const forms = [second.checkpoint_id, second, { configurable: { checkpoint_id: second.checkpoint_id } }];
    for (const before of forms) {
      expect(await rig.states.history(thread, { before, limit: 2 })).toEqual(history.slice(2, 4));
    }
    expect(await rig.states.history(thread, { limit: 1 })).toEqual(history.slice(0, 1));
  });

  test("can be narrowed by metadata, which hold those of the run", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["should_end"] }, { metadata: { topic: "one" } });
    await rig.run(thread, { messages: ["again"] }, { metadata: { topic: "two" } });
    const one = await rig.states.history(thread, { metadata: { topic: "one" } });
    expect(one.map(({ metadata }) => metadata.topic)).toEqual(["one", "one", "one"]);
    expect(await rig.states.history(thread, { metadata: { topic: "three" } })).toEqual([]);
  });
});

describe("interrupts", () => {
  test("show on their task, on the state and on the thread", async () => {
    const thread = threadOf("interrupting");
    await rig.run(thread, { where: "node" });
    const state = await rig.states.state(thread);
    const interrupt = { id: expect.any(String), value: { question: "node?" } };
    expect(state.next).toEqual(["ask"]);
    expect(state.tasks).toMatchObject([
      { name: "ask", interrupts: [interrupt], error: null, checkpoint: null },
    ]);
    expect(state.interrupts).toEqual([interrupt]);
    await rig.run(thread, rig.project.command({ resume: "yes" }));
    expect(await rig.states.state(thread)).toMatchObject({
      values: { answer: "yes" },
      next: [],
      interrupts: [],
    });
  });

  test("inside a subgraph name its checkpoint, or come with its state", async () => {
    const thread = threadOf("interrupting");
    await rig.run(thread, { where: "subgraph" });
    const [task] = (await rig.states.state(thread)).tasks;
    expect(task?.checkpoint).toEqual({
      thread_id: thread.thread_id,
      checkpoint_ns: `inspection:${task?.id}`,
    });
    expect(task?.state).toBeNull();
    const [nested] = (await rig.states.state(thread, { subgraphs: true })).tasks;
    expect(nested?.checkpoint).toBeNull();
    expect(nested?.state).toMatchObject({
      next: ["inspect"],
      checkpoint: { checkpoint_ns: `inspection:${task?.id}`, checkpoint_map: { "": expect.any(String) } },
      interrupts: [{ value: { question: "subgraph?" } }],
    });
  });
});

describe("an update of the state", () => {
  test("writes a checkpoint on top and tells what the thread is now", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["should_end"] });
    const before = await rig.states.state(thread);
    const updated = await rig.states.update(thread, { values: { keyOne: "value" } });
    expect(updated).toMatchObject({ interrupts: {}, status: "idle", state: { values: { keyOne: "value" } } });
    const state = await rig.states.state(thread);
    expect(state.checkpoint).toEqual(updated.checkpoint);
    expect(state.parent_checkpoint).toEqual(before.checkpoint);
    expect(state.metadata).toMatchObject({ source: "update" });
  });

  test("of an interrupted thread leaves it interrupted, and the run goes on with the edit", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["hi"] }, { interruptBefore: ["tool"] });
    expect((await rig.states.state(thread)).next).toEqual(["tool"]);
    const edit = { type: "ai", content: "edited" };
    const updated = await rig.states.update(thread, { values: { messages: [edit] }, as_node: "agent" });
    expect(updated.status).toBe("interrupted");
    expect(await rig.states.history(thread)).toHaveLength(4);
    await rig.run(thread, null);
    expect(texts((await rig.states.state(thread)).values)).toContain("tool_call__edited");
  });

  test("inside a subgraph leaves the interrupts of its parent open", async () => {
    const thread = threadOf("interrupting");
    await rig.run(thread, { where: "subgraph" });
    const [task] = (await rig.states.state(thread)).tasks;
    const update = { values: { answer: "known" }, as_node: "__start__", checkpoint: task?.checkpoint };
    const updated = await rig.states.update(thread, update);
    expect(updated.interrupts).toEqual({
      [`${task?.id}`]: [{ id: expect.any(String), value: { question: "subgraph?" } }],
    });
    expect(updated.status).toBe("interrupted");
  });

  test("forks when it names an older checkpoint", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["hi"] });
    const old = (await rig.states.history(thread)).at(2)?.checkpoint;
    const { checkpoint, state } = await rig.states.update(thread, {
      values: { keyTwo: "2" },
      checkpoint: old,
    });
    expect(state.parent_checkpoint).toEqual(old ?? null);
    expect(state.checkpoint).toEqual(checkpoint);
    expect(await rig.states.history(thread)).toHaveLength(6);
  });

  test("reaches into a subgraph, whose own history then shows it", async () => {
    const thread = threadOf("breakpoint");
    await rig.run(thread, { messages: [] });
    const checkpoint = (await rig.states.state(thread)).tasks[0]?.checkpoint;
    const updated = await rig.states.update(thread, { values: { city: "Paris" }, checkpoint });
    expect(updated.checkpoint?.checkpoint_ns).toBe(`${checkpoint?.checkpoint_ns}`);
    expect(updated).toMatchObject({ status: "interrupted", state: { next: ["weather"] } });
    const history = await rig.states.history(thread, { checkpoint });
    expect(history.map(({ values }) => (values as { city?: string }).city)).toEqual([
      "Paris",
      "San Francisco",
      undefined,
      undefined,
    ]);
    await rig.run(thread, null);
    expect(texts((await rig.states.state(thread)).values)).toEqual(["It's sunny in Paris!"]);
  });

  test("is refused when the graph does not take it", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["hi"] });
    const refused: [Parameters<ThreadStates["update"]>[1], string | RegExp][] = [
      [{ values: {}, as_node: "nope" }, 'Node "nope" does not exist'],
      [{ values: {}, checkpoint: { checkpoint_ns: "nope:1" } }, 'Subgraph "nope" not found'],
      [{ values: "text", as_node: "agent" }, /^Expected node "agent" to return an object/],
      [{ values: { messages: [{ wrong: 1 }] }, as_node: "agent" }, /^Unable to coerce message/],
    ];
    for (const [update, message] of refused) {
      const error = await rig.states.update(thread, update).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(BadRequest);
      expect(`${error}`.replace("BadRequest: ", "")).toMatch(message);
      expect(`${error}`).not.toContain("Troubleshooting");
    }
    const nobodys = { thread_id: "7", metadata: {} };
    await expect(rig.states.update(nobodys, {})).rejects.toThrow(new BadRequest("Thread 7 has no graph ID"));
    expect(await rig.states.history(thread)).toHaveLength(5);
  });

  test("that the database refuses is not the caller's fault", async () => {
    const { db, project } = rig;
    class Unreadable extends DraftCheckpoints {
      override getTuple(): Promise<never> {
        return Promise.reject(new Error("disk I/O error"));
      }
    }
    const unwritable = { write: () => Promise.reject(new Error("disk full")) };
    for (const [Draft, written, message] of [
      [Unreadable, db, "disk I/O error"],
      [DraftCheckpoints, unwritable, "disk full"],
    ] as const) {
      const saver = () => new Checkpoints(db);
      const code = new GraphStates({ project, saver, draft: (id) => new Draft(databaseReader(db), id) });
      const states = new ThreadStates({ db: written, code });
      const error = await states
        .update(threadOf("nested"), { values: { messages: ["x"] }, as_node: "gp_one" })
        .catch((error) => error);
      expect(error).not.toBeInstanceOf(BadRequest);
      expect(error.message).toBe(message);
    }
  });

  test("takes nothing but a checkpoint's own fields from a client's checkpoint", async () => {
    const thread = threadOf("agent");
    await rig.run(thread, { messages: ["hi"] });
    const other = threadOf("agent");
    const forged = { thread_id: thread.thread_id, __pregel_read: "x", graph_id: "nested" };
    expect((await rig.states.state(other, { checkpoint: forged as object })).values).toEqual({});
    const { checkpoint } = await rig.states.update(other, {
      values: { keyOne: "1" },
      as_node: "agent",
      checkpoint: forged as object,
    });
    expect(checkpoint?.thread_id).toBe(other.thread_id);
    expect(await rig.states.history(thread)).toHaveLength(5);
  });
});

test("an edit is not stored when what goes along with it is not", async () => {
  const thread = threadOf("agent");
  await rig.run(thread, { messages: ["hi"] });
  const along = () => Promise.reject(new Error("disk full"));
  const update = { values: { keyOne: "lost" }, as_node: "tool" };
  await expect(rig.states.update(thread, update, along)).rejects.toThrow("disk full");
  expect(await rig.states.history(thread)).toHaveLength(5);
  const fresh = threadOf("agent");
  const steps = [{ updates: [{ values: { messages: ["hi"] }, as_node: "__input__" }] }];
  await expect(rig.states.applySupersteps(fresh, [...steps, ...steps], along)).rejects.toThrow("disk full");
  expect((await rig.states.state(fresh)).checkpoint).toBeNull();
});

test("of two questions at once, one that was answered is not open any more", async () => {
  const State = Annotation.Root({
    out: Annotation<string[]>({ reducer: (all, more) => all.concat(more), default: () => [] }),
  });
  const ask = (name: string) => () => ({ out: [`${name}: ${interrupt(name)}`] });
  const graph = new StateGraph(State)
    .addNode("x", ask("x?"))
    .addNode("y", ask("y?"))
    .addEdge(START, "x")
    .addEdge(START, "y")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "two" } };
  await graph.invoke({ out: [] }, config);
  const asked = threadState(await graph.getState(config));
  const questions = (state: typeof asked) => state.interrupts.map(({ value }) => value).sort();
  expect(questions(asked)).toEqual(["x?", "y?"]);
  const x = asked.interrupts.find(({ value }) => value === "x?")?.id ?? "";
  await graph.invoke(new Command({ resume: { [x]: "yes" } }), config);
  const left = threadState(await graph.getState(config));
  expect(questions(left)).toEqual(["y?"]);
  expect(Object.values(openInterrupts(left)).flat()).toMatchObject([{ value: "y?" }]);
  expect(left.next).toEqual(["y"]);
});

describe("supersteps", () => {
  test("replay a run: the same next and values at each checkpoint", async () => {
    const original = threadOf("nested");
    await rig.run(original, { messages: ["start"] });
    const copy = threadOf("nested");
    const step = (as_node: string, ...messages: string[]) => ({
      updates: [{ values: { messages }, as_node }],
    });
    const updated = await rig.states.applySupersteps(copy, [
      step("__input__", "start"),
      step("__start__", "start"),
      step("gp_one", "Entered gp_one node"),
    ]);
    expect(updated).toMatchObject({ status: "interrupted", state: { next: ["gp_two"] } });
    const shape = ({ values, next }: { values: unknown; next: string[] }) => ({ values, next });
    const expected = (await rig.states.history(original)).slice(1).map(shape);
    expect((await rig.states.history(copy)).map(shape)).toEqual(expected);
  });

  test("may hold commands", async () => {
    const thread = threadOf("agent");
    const command = { update: { messages: [{ type: "ai", content: "end" }] }, goto: "tool" };
    const updated = await rig.states.applySupersteps(thread, [
      { updates: [{ values: { messages: ["hi"] }, as_node: "__input__" }] },
      { updates: [{ values: { messages: ["hi"] }, as_node: "__start__" }] },
      { updates: [{ command, as_node: "agent" }] },
    ]);
    expect(updated.state.next).toEqual(["tool"]);
    expect(texts(updated.state.values)).toEqual(["hi", "end"]);
  });

  test("need a graph and at least one update each", async () => {
    const thread = threadOf("agent");
    for (const supersteps of [[], [{ updates: [] }]]) {
      await expect(rig.states.applySupersteps(thread, supersteps)).rejects.toThrow(BadRequest);
    }
    await expect(rig.states.applySupersteps({ thread_id: "7", metadata: {} }, [])).rejects.toThrow(
      BadRequest,
    );
  });
});
