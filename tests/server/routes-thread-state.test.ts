import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { instant, listOf, openAgentRig, textOf } from "./agent-rig.ts";
import { until } from "./http-app.ts";

let rig: Awaited<ReturnType<typeof openAgentRig>>;

beforeAll(async () => {
  rig = await openAgentRig();
});
afterAll(() => rig.close());

const unknown = "0197f0a0-0000-7000-8000-00000000dead";
const hello = { messages: [{ role: "human", content: "hi", id: "m1" }] };

const create = async (body: object = {}) => textOf((await rig.post("/threads", body)).body, "thread_id");
const part = (body: unknown, key: string): unknown => Reflect.get(body as object, key);
const checkpointId = (state: unknown) => textOf(part(state, "checkpoint"), "checkpoint_id");

async function spoken(): Promise<string> {
  const threadId = await create();
  await rig.run(threadId, "agent", hello, { metadata: { lap: 1 } });
  return threadId;
}

const history = async (threadId: string, body: object = {}) =>
  listOf((await rig.post(`/threads/${threadId}/history`, body)).body);

describe("state", () => {
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

  test("of a thread that nothing ran on is empty", async () => {
    const threadId = await create();
    expect(await rig.get(`/threads/${threadId}/state`)).toMatchObject({ status: 200, body: empty });
    expect((await rig.get(`/threads/${threadId}/history`)).body).toEqual([]);
    const withGraph = await create({ metadata: { graph_id: "agent" } });
    expect((await rig.get(`/threads/${withGraph}/state`)).body).toMatchObject({
      values: {},
      next: [],
      tasks: [],
    });
  });

  test("after a run: flat messages, its checkpoint, the run in its metadata", async () => {
    const threadId = await spoken();
    const { body } = await rig.get(`/threads/${threadId}/state`);
    expect(body).toMatchObject({
      values: {
        messages: [
          { type: "human", content: "hi", id: "m1" },
          { type: "ai" },
          { type: "tool" },
          { type: "ai" },
        ],
      },
      next: [],
      tasks: [],
      checkpoint: { thread_id: threadId, checkpoint_ns: "", checkpoint_id: expect.any(String) },
      parent_checkpoint: { thread_id: threadId },
      metadata: { lap: 1, source: "loop", graph_id: "agent" },
      created_at: instant,
      interrupts: [],
    });
    expect(part(body, "metadata")).not.toHaveProperty("checkpoint_ns");
  });

  test("at a checkpoint, by path or by body", async () => {
    const threadId = await spoken();
    const earlier = (await history(threadId))[2];
    const id = checkpointId(earlier);
    const byPath = await rig.get(`/threads/${threadId}/state/${id}`);
    expect(byPath).toMatchObject({ status: 200, body: { next: ["tool"] } });
    expect(byPath.body).toEqual(earlier);
    const byBody = await rig.post(`/threads/${threadId}/state/checkpoint`, {
      checkpoint: { thread_id: unknown, checkpoint_ns: "", checkpoint_id: id, checkpoint_map: null },
    });
    expect(byBody.body).toEqual(earlier);
  });

  test("with subgraphs the tasks hold their states, without they say where these are", async () => {
    const threadId = await create();
    await rig.run(threadId, "interrupting", { where: "subgraph" });
    const named = await rig.get(`/threads/${threadId}/state`);
    // Before the matching: Bun's toMatchObject writes its matchers into what it compares.
    const ref = structuredClone(part(listOf(part(named.body, "tasks"))[0], "checkpoint"));
    expect(named.body).toMatchObject({
      next: ["inspection"],
      tasks: [
        {
          name: "inspection",
          state: null,
          checkpoint: { thread_id: threadId, checkpoint_ns: expect.stringMatching(/^inspection:/) },
          interrupts: [{ value: { question: "subgraph?" } }],
        },
      ],
      interrupts: [{ value: { question: "subgraph?" } }],
    });
    const held = await rig.get(`/threads/${threadId}/state?subgraphs=1`);
    expect(held.body).toMatchObject({ tasks: [{ checkpoint: null, state: { next: ["inspect"] } }] });
    const inside = await rig.post(`/threads/${threadId}/state/checkpoint`, { checkpoint: ref });
    expect(inside).toMatchObject({ status: 200, body: { next: ["inspect"] } });
    expect(await history(threadId, { checkpoint: ref })).not.toEqual([]);
  });

  test("of what is not there", async () => {
    const threadId = await spoken();
    const missing = { status: 404, body: { detail: `Thread with ID ${unknown} not found` } };
    expect(await rig.get(`/threads/${unknown}/state`)).toMatchObject(missing);
    expect(await rig.get(`/threads/${unknown}/state/x`)).toMatchObject(missing);
    expect(await rig.get(`/threads/${unknown}/history`)).toMatchObject(missing);
    expect(await rig.post(`/threads/${unknown}/history`)).toMatchObject(missing);
    expect(await rig.post(`/threads/${unknown}/state`, { values: {} })).toMatchObject(missing);
    expect(await rig.post(`/threads/${unknown}/state/checkpoint`, { checkpoint: {} })).toMatchObject(missing);
    const noCheckpoint = { status: 404, body: { detail: `Checkpoint ${unknown} not found` } };
    const checkpoint = { checkpoint_id: unknown };
    expect(await rig.get(`/threads/${threadId}/state/${unknown}`)).toMatchObject(noCheckpoint);
    expect(await rig.post(`/threads/${threadId}/state/checkpoint`, { checkpoint })).toMatchObject(
      noCheckpoint,
    );
    expect(await rig.post(`/threads/${threadId}/state`, { values: {}, checkpoint })).toMatchObject(
      noCheckpoint,
    );
    const noBody = { status: 422, body: { detail: [{ loc: ["body", "checkpoint"], type: "missing" }] } };
    expect(await rig.post(`/threads/${threadId}/state/checkpoint`)).toMatchObject(noBody);
  });
});

describe("history", () => {
  test("newest first, from the end back to the input", async () => {
    const threadId = await spoken();
    const states = await history(threadId);
    expect(states.map((state) => part(state, "next"))).toEqual([
      [],
      ["agent"],
      ["tool"],
      ["agent"],
      ["__start__"],
    ]);
    expect((await rig.get(`/threads/${threadId}/history`)).body).toEqual(states);
    expect((await rig.get(`/threads/${threadId}/state`)).body).toEqual(states[0]);
  });

  test("limit, and before in each form that clients send", async () => {
    const threadId = await spoken();
    const states = await history(threadId);
    const before = checkpointId(states[1]);
    const older = states.slice(2, 4);
    expect(await history(threadId, { limit: 2, before })).toEqual(older);
    expect(await history(threadId, { limit: 2, before: { checkpoint_id: before } })).toEqual(older);
    const config = { configurable: { checkpoint_id: before, thread_id: threadId } };
    expect(await history(threadId, { limit: 2, before: config })).toEqual(older);
    expect((await rig.get(`/threads/${threadId}/history?limit=2&before=${before}`)).body).toEqual(older);
    const { body } = await rig.get(`/threads/${threadId}/history?limit=0`);
    expect(body).toMatchObject({ detail: [{ loc: ["query", "limit"], type: "greater_than_equal" }] });
    expect((await rig.post(`/threads/${threadId}/history`, { limit: 1001, before: 5 })).status).toBe(422);
  });

  test("by metadata", async () => {
    const threadId = await spoken();
    await rig.run(threadId, "agent", hello, { metadata: { lap: 2 } });
    expect(await history(threadId, { limit: 100, metadata: { lap: 2 } })).toHaveLength(5);
    expect(await history(threadId, { limit: 100, metadata: { lap: 2, source: "input" } })).toHaveLength(1);
    expect(await history(threadId, { metadata: { lap: 3 } })).toEqual([]);
  });
});

describe("update", () => {
  test("writes a checkpoint, and the thread shows its values", async () => {
    const threadId = await spoken();
    const before = await rig.get(`/threads/${threadId}`);
    const { status, body } = await rig.post(`/threads/${threadId}/state`, {
      values: { keyOne: "set" },
      as_node: "tool",
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      checkpoint: {
        thread_id: threadId,
        checkpoint_ns: "",
        checkpoint_id: expect.any(String),
        checkpoint_map: null,
      },
    });
    const state = await rig.get(`/threads/${threadId}/state`);
    expect(checkpointId(state.body)).toBe(checkpointId(body));
    expect(state.body).toMatchObject({
      next: ["agent"],
      values: { keyOne: "set" },
      metadata: { source: "update" },
    });
    const after = await rig.get(`/threads/${threadId}`);
    expect(after.body).toMatchObject({ status: "interrupted", values: { keyOne: "set" } });
    expect(textOf(after.body, "state_updated_at") > textOf(before.body, "state_updated_at")).toBe(true);
  });

  test("a list of anything but objects is refused by name, and changes nothing", async () => {
    const threadId = await spoken();
    const before = await history(threadId);
    for (const values of [[{ keyOne: "a" }, 7], [["keyOne", "a"]], []]) {
      const refused = await rig.post(`/threads/${threadId}/state`, { values, as_node: "tool" });
      expect(refused).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/^values is .*list/) },
      });
    }
    expect(await history(threadId)).toEqual(before);
  });

  test("on an earlier checkpoint, by checkpoint or checkpoint_id", async () => {
    const threadId = await spoken();
    const id = checkpointId((await history(threadId))[3]);
    for (const at of [{ checkpoint: { checkpoint_id: id } }, { checkpoint_id: id }]) {
      const { status } = await rig.post(`/threads/${threadId}/state`, { values: { keyTwo: "fork" }, ...at });
      expect(status).toBe(200);
      const { body } = await rig.get(`/threads/${threadId}/state`);
      expect(body).toMatchObject({ parent_checkpoint: { checkpoint_id: id }, values: { keyTwo: "fork" } });
    }
  });

  test("several at once come one on top of the other: nothing that was answered is lost", async () => {
    const threadId = await spoken();
    const before = (await history(threadId)).length;
    const all = [{ keyOne: "A" }, { keyTwo: "B" }, { messages: [{ role: "ai", content: "C", id: "c" }] }];
    const answers = await Promise.all(
      all.map((values) => rig.post(`/threads/${threadId}/state`, { values, as_node: "tool" })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const states = await history(threadId);
    expect(part(states[0], "values")).toMatchObject({ keyOne: "A", keyTwo: "B" });
    expect(JSON.stringify(part(states[0], "values"))).toContain('"content":"C"');
    const chain = states.slice(0, 4).map(checkpointId);
    const parents = states
      .slice(0, 3)
      .map((state) => part(part(state, "parent_checkpoint"), "checkpoint_id"));
    expect([states.length, parents]).toEqual([before + 3, chain.slice(1)]);
  });

  test("of an interrupted thread keeps it interrupted, and ends it when nothing is left", async () => {
    const threadId = await create();
    await rig.run(threadId, "interrupting", { where: "node" });
    const path = `/threads/${threadId}`;
    await rig.post(`${path}/state`, { values: { answer: "edited" }, as_node: "__start__" });
    expect((await rig.get(path)).body).toMatchObject({ status: "interrupted", values: { answer: "edited" } });
    await rig.post(`${path}/state`, { values: null, as_node: "inspection" });
    const { body } = await rig.get(path);
    expect(body).toMatchObject({ status: "idle" });
    expect(part(body, "interrupts")).toEqual({});
  });

  test("inside a subgraph, at the checkpoint that its task names", async () => {
    const threadId = await create();
    await rig.run(threadId, "breakpoint", hello);
    const state = await rig.get(`/threads/${threadId}/state`);
    const checkpoint = part(listOf(part(state.body, "tasks"))[0], "checkpoint");
    const { status } = await rig.post(`/threads/${threadId}/state`, { values: { city: "Oslo" }, checkpoint });
    expect(status).toBe(200);
    const result = await rig.run(threadId, "breakpoint", null);
    expect(result).toContain("It's sunny in Oslo!");
  });

  test("while a run is under way is refused, and works once it is over", async () => {
    const threadId = await create();
    const run = await rig.start(threadId, "delay", { delay: 60_000 });
    const update = () =>
      rig.post(`/threads/${threadId}/state`, { values: { delay: 1 }, as_node: "long_running" });
    expect(await update()).toMatchObject({ status: 409, body: { detail: "Thread is busy" } });
    expect(await rig.rowsOf(threadId)).toMatchObject({ threads: 1, runs: 1 });
    await rig.agent.runs.cancel(run, "interrupt");
    await until(() => rig.agent.queue.running === 0, "the run stopped");
    expect((await update()).status).toBe(200);
    expect((await rig.get(`/threads/${threadId}`)).body).toMatchObject({
      status: "idle",
      values: { delay: 1 },
    });
  });

  test("that the graph does not take is the caller's fault, and changes nothing", async () => {
    const threadId = await spoken();
    const before = await history(threadId);
    const path = `/threads/${threadId}/state`;
    expect((await rig.post(path, { values: {}, as_node: "nope" })).status).toBe(400);
    expect((await rig.post(path, { values: {}, checkpoint: { checkpoint_ns: "nope:1" } })).status).toBe(400);
    expect(await rig.post(path, { values: "text", as_node: 5, checkpoint: "x" })).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ["body", "values"], type: "dict_type" },
          { loc: ["body", "values"], type: "list_type" },
          { loc: ["body", "as_node"], type: "string_type" },
          { loc: ["body", "checkpoint"], type: "dict_type" },
        ],
      },
    });
    expect(await history(threadId)).toEqual(before);
    const bare = await create();
    expect(await rig.post(`/threads/${bare}/state`, { values: {} })).toMatchObject({
      status: 400,
      body: { detail: `Thread ${bare} has no graph ID` },
    });
  });
});

test("a filter of a history takes no operators", async () => {
  const threadId = await create();
  const answer = await rig.post(`/threads/${threadId}/history`, { metadata: { lap: { $gte: 1 } } });
  expect(answer).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "metadata", "lap", "$gte"] }] },
  });
});
