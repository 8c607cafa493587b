import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { instant, listOf, openAgentRig, textOf } from "./agent-rig.ts";
import { until } from "./http-app.ts";

let rig: Awaited<ReturnType<typeof openAgentRig>>;

beforeAll(async () => {
  rig = await openAgentRig();
});
afterAll(() => rig.close());

const gone = new AbortController().signal;
const unknown = "0197f0a0-0000-7000-8000-00000000dead";
const hello = { messages: [{ role: "human", content: "hi", id: "m1" }] };

const create = async (body: object = {}) => textOf((await rig.post("/threads", body)).body, "thread_id");
const ids = (body: unknown) => listOf(body).map((thread) => textOf(thread, "thread_id"));

describe("create", () => {
  test("an idle thread with nothing in it", async () => {
    const { status, body } = await rig.post("/threads");
    expect(status).toBe(200);
    expect(body).toEqual({
      thread_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: instant,
      updated_at: instant,
      state_updated_at: null,
      metadata: {},
      config: {},
      status: "idle",
      values: null,
      interrupts: {},
      error: null,
    });
  });

  test("with an id, metadata and a ttl in any of its forms", async () => {
    const thread_id = "0197F0A0-0000-7000-8000-00000000AB02";
    const sent = { thread_id, metadata: { owner: "ada" }, ttl: { ttl: 5, strategy: "keep_latest" } };
    expect((await rig.post("/threads", sent)).body).toMatchObject({
      thread_id: thread_id.toLowerCase(),
      metadata: { owner: "ada" },
    });
    expect((await rig.post("/threads", { ttl: 5, metadata: null })).status).toBe(200);
    expect((await rig.post("/threads", { ttl: 0 })).status).toBe(422);
  });

  test("a taken id is a conflict, or answered as it is", async () => {
    const thread_id = await create({ metadata: { first: true } });
    const again = { thread_id, metadata: { first: false } };
    const refused = await rig.post("/threads", again);
    expect(refused).toMatchObject({ status: 409, body: { detail: "Thread already exists" } });
    const kept = await rig.post("/threads", { ...again, if_exists: "do_nothing" });
    expect(kept).toMatchObject({ status: 200, body: { thread_id, metadata: { first: true } } });
  });

  test("refuses what is no id", async () => {
    expect(await rig.post("/threads", { thread_id: "x", metadata: "y" })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "thread_id"], type: "uuid_parsing" }, { loc: ["body", "metadata"] }] },
    });
  });
});

describe("create with supersteps", () => {
  const human = { messages: [{ role: "human", content: "hi", id: "m1" }] };
  const steps = [
    { updates: [{ values: human, as_node: "__input__" }] },
    { updates: [{ values: human, as_node: "__start__" }] },
    { updates: [{ values: { messages: [{ role: "ai", content: "begin", id: "m2" }] }, as_node: "agent" }] },
  ];

  test("stands where the last of them leaves it", async () => {
    const created = await rig.post("/threads", { metadata: { graph_id: "agent" }, supersteps: steps });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({
      status: "interrupted",
      state_updated_at: instant,
      values: {
        messages: [
          { content: "hi", type: "human" },
          { content: "begin", type: "ai" },
        ],
      },
    });
    const history = await rig.get(`/threads/${textOf(created.body, "thread_id")}/history`);
    expect(listOf(history.body).map((state) => Reflect.get(state as object, "next"))).toEqual([
      ["tool"],
      ["agent"],
      ["__start__"],
    ]);
  });

  test.each([
    ["no graph", {}, 400, /^Thread .* has no graph ID$/],
    ["an unknown graph", { graph_id: "nope" }, 404, /^Graph "nope" not found$/],
    ["an unknown node", { graph_id: "delay" }, 400, /agent/],
  ])("%s leaves no thread behind", async (_, metadata, status, detail) => {
    const thread_id = Bun.randomUUIDv7();
    const answer = await rig.post("/threads", { thread_id, metadata, supersteps: steps });
    expect(answer).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
    expect(await rig.rowsOf(thread_id)).toMatchObject({ threads: 0, checkpoints: 0, channel_values: 0 });
  });

  test("do_nothing leaves the state of an existing thread alone", async () => {
    const thread_id = await create({ metadata: { graph_id: "agent" } });
    const again = { thread_id, if_exists: "do_nothing", supersteps: steps };
    expect((await rig.post("/threads", again)).body).toMatchObject({ values: null, status: "idle" });
  });
});

describe("one thread", () => {
  test("shows the values that its run left", async () => {
    const threadId = await create();
    await rig.run(threadId, "agent", hello);
    const { body } = await rig.get(`/threads/${threadId.toUpperCase()}?include=ttl`);
    expect(body).toMatchObject({
      status: "idle",
      state_updated_at: instant,
      metadata: { graph_id: "agent" },
      values: {
        messages: [
          { type: "human", content: "hi", id: "m1" },
          { type: "ai", content: "begin" },
          { type: "tool", content: "tool_call__begin", tool_call_id: "tool_call_id" },
          { type: "ai", content: "end" },
        ],
      },
    });
    const state = await rig.get(`/threads/${threadId}/state`);
    expect(Reflect.get(body as object, "values")).toEqual(Reflect.get(state.body as object, "values"));
  });

  test("shows its open interrupts by task, and its last error", async () => {
    const asking = await create();
    await rig.run(asking, "interrupting", { where: "node" });
    const { body } = await rig.get(`/threads/${asking}`);
    const interrupts = { [taskOf(body)]: [{ id: expect.any(String), value: { question: "node?" } }] };
    expect(body).toMatchObject({ status: "interrupted", interrupts });
    const failing = await create();
    await rig.run(failing, "error", hello);
    expect((await rig.get(`/threads/${failing}`)).body).toMatchObject({
      status: "error",
      error: { error: "CustomError", message: "Boo!" },
    });
  });

  test("at a breakpoint is interrupted again when a run goes that never began, or that is taken back", async () => {
    const threadId = await create();
    await rig.run(threadId, "agent", hello, { interrupt_before: ["tool"] });
    const stand = async () => Reflect.get((await rig.get(`/threads/${threadId}`)).body as object, "status");
    expect(await stand()).toBe("interrupted");
    const waiting = await rig.start(threadId, "agent", null, { after_seconds: 100 });
    expect(await stand()).toBe("busy");
    await rig.agent.runs.cancel(waiting, "interrupt");
    expect(await stand()).toBe("interrupted");
    const running = await rig.start(threadId, "agent", { messages: ["wait"], sleep: 60 });
    await rig.agent.runs.cancel(running, "rollback");
    await rig.agent.runs.ended(running, gone);
    expect(await stand()).toBe("interrupted");
    expect(Reflect.get((await rig.get(`/threads/${threadId}/state`)).body as object, "next")).toEqual([
      "tool",
    ]);
  });

  test("whose last run is deleted stands as it did before it", async () => {
    const threadId = await create();
    const shown = async () => (await rig.get(`/threads/${threadId}`)).body;
    const ended = async (assistant: string, input: unknown, more: object = {}) => {
      const run = await rig.start(threadId, assistant, input, more);
      await rig.agent.runs.ended(run, gone);
      return rig.agent.runs.get(run.run_id);
    };
    const asking = await ended("interrupting", { where: "node" });
    expect(await shown()).toMatchObject({ status: "interrupted" });
    await rig.agent.runs.delete(asking, gone);
    expect(await shown()).toMatchObject({ status: "idle", interrupts: {}, values: null });
    await ended("agent", hello, { interrupt_before: ["tool"] });
    const finishing = await ended("agent", null);
    expect(await shown()).toMatchObject({ status: "idle" });
    await rig.agent.runs.delete(finishing, gone);
    expect(await shown()).toMatchObject({ status: "interrupted" });
    const failing = await ended("error", hello);
    expect(await shown()).toMatchObject({ status: "error", error: { error: "CustomError" } });
    await rig.agent.runs.delete(failing, gone);
    expect(await shown()).toMatchObject({ error: null });
  });

  test("keeps its failure when an older run is deleted", async () => {
    const threadId = await create();
    const older = await rig.start(threadId, "agent", hello);
    await rig.agent.runs.ended(older, gone);
    await rig.run(threadId, "error", hello);
    await rig.agent.runs.delete(await rig.agent.runs.get(older.run_id), gone);
    expect((await rig.get(`/threads/${threadId}`)).body).toMatchObject({
      status: "error",
      error: { error: "CustomError" },
    });
  });

  test("patching merges metadata", async () => {
    const threadId = await create({ metadata: { a: 1, b: { c: 1 } } });
    const { status, body } = await rig.patch(`/threads/${threadId}`, { metadata: { b: { d: 2 } }, ttl: 5 });
    expect(status).toBe(200);
    expect(Reflect.get(body as object, "metadata")).toEqual({ a: 1, b: { d: 2 } });
    expect(textOf(body, "updated_at") > textOf(body, "created_at")).toBe(true);
    expect((await rig.patch(`/threads/${threadId}`, {})).body).toMatchObject({ metadata: { a: 1 } });
  });

  test("Prefer: return=minimal answers 204 without a body", async () => {
    const threadId = await create();
    const prefer = { prefer: "respond-async, return=minimal" };
    const { status, body } = await rig.patch(`/threads/${threadId}`, { metadata: { x: 1 } }, prefer);
    expect({ status, body }).toEqual({ status: 204, body: "" });
    expect((await rig.get(`/threads/${threadId}`)).body).toMatchObject({ metadata: { x: 1 } });
  });

  test("an unknown one is not found, and what is no id is told so", async () => {
    const missing = { status: 404, body: { detail: `Thread with ID ${unknown} not found` } };
    expect(await rig.get(`/threads/${unknown}`)).toMatchObject(missing);
    expect(await rig.patch(`/threads/${unknown}`, {})).toMatchObject(missing);
    expect(await rig.remove(`/threads/${unknown}`)).toMatchObject(missing);
    const wrong = { status: 422, body: { detail: [{ loc: ["path", "thread_id"], type: "uuid_parsing" }] } };
    expect(await rig.get("/threads/nope")).toMatchObject(wrong);
    expect(await rig.patch("/threads/nope", {})).toMatchObject(wrong);
    expect(await rig.remove("/threads/nope")).toMatchObject(wrong);
  });
});

describe("delete", () => {
  const nothing = { threads: 0, runs: 0, events: 0, checkpoints: 0, channel_values: 0 };

  test("leaves nothing of it", async () => {
    const threadId = await create();
    await rig.run(threadId, "agent", hello);
    const { status, body } = await rig.remove(`/threads/${threadId}`);
    expect({ status, body }).toEqual({ status: 204, body: "" });
    expect((await rig.get(`/threads/${threadId}`)).status).toBe(404);
    expect(await rig.rowsOf(threadId)).toEqual(nothing);
  });

  test("stops its runs, and they write nothing afterwards", async () => {
    const threadId = await create();
    await rig.start(threadId, "delay", { delay: 60_000 });
    const waiting = await rig.start(threadId, "delay", { delay: 60_000 });
    const result = rig.agent.runs.result(waiting, new AbortController().signal);
    expect((await rig.remove(`/threads/${threadId}`)).status).toBe(204);
    await until(() => rig.agent.queue.running === 0, "the run stopped");
    expect(await rig.rowsOf(threadId)).toEqual(nothing);
    expect(JSON.parse((await result) ?? "")).toEqual({ __error__: { error: "Error", message: "rollback" } });
  });
});

describe("search and count", () => {
  const found = async (body: object) => ids((await rig.post("/threads/search", body)).body);
  const count = async (body: object) => (await rig.post("/threads/count", body)).body;

  test("last changed first, sorted as asked, and paged with the true total", async () => {
    const metadata = { area: "order" };
    const [one, two, three] = [
      await create({ metadata }),
      await create({ metadata }),
      await create({ metadata }),
    ];
    expect(await found({ metadata })).toEqual([three, two, one]);
    await rig.patch(`/threads/${one}`, { metadata: { touched: true } });
    expect(await found({ metadata })).toEqual([one, three, two]);
    expect(await found({ metadata, sort_by: "created_at", sort_order: "asc" })).toEqual([one, two, three]);
    const first = await rig.post("/threads/search", { metadata, limit: 2 });
    expect(first.headers.get("x-pagination-total")).toBe("3");
    expect(first.headers.get("x-pagination-next")).toBe("2");
    const second = await rig.post("/threads/search", { metadata, limit: 2, offset: 2 });
    expect(ids(second.body)).toEqual([two]);
    expect(second.headers.get("x-pagination-total")).toBe("3");
    expect(second.headers.get("x-pagination-next")).toBeNull();
    expect(await count({ metadata })).toBe(3);
  });

  test("by ids, status and values", async () => {
    const metadata = { area: "filters" };
    const [idle, asking, plain] = [
      await create({ metadata }),
      await create({ metadata }),
      await create({ metadata }),
    ];
    await rig.run(idle, "agent", { ...hello, keyOne: "blue" });
    await rig.run(asking, "interrupting", { where: "node" });
    expect(await found({ ids: [plain.toUpperCase(), unknown] })).toEqual([plain]);
    expect(await found({ ids: [] })).toEqual([]);
    expect(await found({ metadata, status: "interrupted" })).toEqual([asking]);
    expect(await count({ metadata, status: "interrupted" })).toBe(1);
    expect(await found({ metadata, values: { keyOne: "blue" } })).toEqual([idle]);
    expect(await found({ metadata, values: { messages: [{ type: "human", content: "hi" }] } })).toEqual([
      idle,
    ]);
    expect(await count({ metadata, values: { keyOne: "blue" } })).toBe(1);
    expect(await count({ metadata, values: { keyOne: "red" } })).toBe(0);
    expect(await count({ metadata, values: {} })).toBe(3);
    const graph = { metadata: { ...metadata, graph_id: "interrupting" } };
    expect(await found(graph)).toEqual([asking]);
  });

  test("with values unless select leaves them out", async () => {
    const threadId = await create();
    await rig.run(threadId, "agent", hello);
    const search = async (body: object) =>
      listOf((await rig.post("/threads/search", { ids: [threadId], ...body })).body)[0];
    expect(await search({})).toMatchObject({
      values: { messages: [{ content: "hi" }, {}, {}, {}] },
      error: null,
    });
    expect(await search({ select: ["thread_id", "status"] })).toEqual({
      thread_id: threadId,
      status: "idle",
    });
    expect(await search({ select: ["values"] })).toHaveProperty("values.messages");
  });

  test("extracts parts under their aliases", async () => {
    const threadId = await create({ metadata: { owner: { name: "ada" } } });
    await rig.run(threadId, "agent", hello);
    const extract = {
      last: "values.messages[-1].content",
      first: "values.messages[0].type",
      owner: "metadata.owner",
      nothing: "values.messages[9].content",
      inherited: "metadata.toString",
    };
    const { body } = await rig.post("/threads/search", { ids: [threadId], select: ["thread_id"], extract });
    expect(body).toEqual([
      {
        thread_id: threadId,
        extracted: { last: "end", first: "human", owner: { name: "ada" }, nothing: null, inherited: null },
      },
    ]);
  });

  test("refuses paths that lead nowhere, and too many of them", async () => {
    const extract = { a: "values..x", b: "secrets.key", c: "metadata.ok" };
    expect(await rig.post("/threads/search", { extract })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "extract", "a"] }, { loc: ["body", "extract", "b"] }] },
    });
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`p${index}`, "values"]));
    expect((await rig.post("/threads/search", { extract: many })).status).toBe(422);
  });

  test("refuses pages, orders and states that do not exist", async () => {
    const wrong = {
      limit: 0,
      offset: -1,
      sort_by: "colour",
      status: "asleep",
      ids: ["x"],
      select: ["colour"],
    };
    const { status, body } = await rig.post("/threads/search", wrong);
    expect(status).toBe(422);
    const faults = listOf(Reflect.get(body as object, "detail")).map(
      (fault) => Reflect.get(fault as object, "loc")[1],
    );
    expect(faults.sort()).toEqual(["ids", "limit", "offset", "select", "sort_by", "status"]);
  });
});

function taskOf(thread: unknown): string {
  const [task] = Object.keys(Reflect.get(thread as object, "interrupts"));
  return task ?? "no task";
}
