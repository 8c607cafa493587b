import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { assistantId } from "@berth/agent";
import { instant, listOf, openAgentRig, textOf } from "./agent-rig.ts";
import { until } from "./http-app.ts";

let rig: Awaited<ReturnType<typeof openAgentRig>>;

beforeAll(async () => {
  rig = await openAgentRig();
});
afterAll(() => rig.close());

const unknown = "0197f0a0-0000-7000-8000-00000000dead";

const create = async (fields: object = {}) => {
  const { status, body } = await rig.post("/assistants", { graph_id: "agent", ...fields });
  expect(status).toBe(200);
  return textOf(body, "assistant_id");
};

describe("create", () => {
  test("with the graph alone, everything else gets its default", async () => {
    const { status, body } = await rig.post("/assistants", { graph_id: "agent" });
    expect(status).toBe(200);
    expect(body).toEqual({
      assistant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      graph_id: "agent",
      name: "Untitled",
      description: null,
      version: 1,
      config: {},
      context: {},
      metadata: {},
      created_at: instant,
      updated_at: instant,
    });
  });

  test("with everything, and unknown fields ignored", async () => {
    const fields = {
      assistant_id: "0197F0A0-0000-7000-8000-00000000AB01",
      name: "Ada",
      description: "knows",
      config: { tags: ["a"], recursion_limit: 7, configurable: { model: "x" } },
      context: { user: "ada" },
      metadata: { team: { name: "red" } },
    };
    const { body } = await rig.post("/assistants", { ...fields, graph_id: "agent", later: true });
    expect(body).toMatchObject({ ...fields, assistant_id: fields.assistant_id.toLowerCase() });
    expect(body).not.toHaveProperty("later");
  });

  test("a taken id is a conflict, or answered as it is", async () => {
    const assistant_id = await create({ name: "first" });
    const again = { graph_id: "agent", assistant_id, name: "second" };
    const refused = await rig.post("/assistants", again);
    expect(refused).toMatchObject({ status: 409, body: { detail: "Assistant already exists" } });
    const kept = await rig.post("/assistants", { ...again, if_exists: "do_nothing" });
    expect(kept).toMatchObject({ status: 200, body: { assistant_id, name: "first", version: 1 } });
  });

  test("of an unknown graph", async () => {
    const { status, body } = await rig.post("/assistants", { graph_id: "toString" });
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'Graph "toString" not found' } });
  });

  test("tells every fault at once", async () => {
    const wrong = { assistant_id: "x", config: { recursion_limit: "7" }, metadata: [], if_exists: "maybe" };
    const { status, body } = await rig.post("/assistants", wrong);
    expect(status).toBe(422);
    expect(body).toMatchObject({
      detail: expect.arrayContaining([
        expect.objectContaining({ loc: ["body", "graph_id"], type: "missing" }),
        expect.objectContaining({ loc: ["body", "assistant_id"], type: "uuid_parsing" }),
        expect.objectContaining({ loc: ["body", "config", "recursion_limit"], type: "int_type" }),
        expect.objectContaining({ loc: ["body", "metadata"], type: "dict_type" }),
        expect.objectContaining({ loc: ["body", "if_exists"], type: "literal_error" }),
      ]),
    });
  });
});

describe("one assistant", () => {
  test("is found by its id, or by the name of its graph", async () => {
    const id = await create();
    expect(await rig.get(`/assistants/${id.toUpperCase()}`)).toMatchObject({
      status: 200,
      body: { assistant_id: id },
    });
    const system = await rig.get("/assistants/agent");
    expect(system.body).toMatchObject({
      assistant_id: assistantId("agent"),
      name: "agent",
      metadata: { created_by: "system" },
      description: "Calls one tool and says end",
    });
  });

  test.each([unknown, "no-such-graph", "constructor"])("is not found as %s", async (id) => {
    const missing = { status: 404, body: { detail: "Assistant not found" } };
    expect(await rig.get(`/assistants/${id}`)).toMatchObject(missing);
    expect(await rig.patch(`/assistants/${id}`, {})).toMatchObject(missing);
    expect(await rig.remove(`/assistants/${id}`)).toMatchObject(missing);
    expect(await rig.get(`/assistants/${id}/schemas`)).toMatchObject(missing);
    expect(await rig.post(`/assistants/${id}/latest`, { version: 1 })).toMatchObject(missing);
    expect(await rig.post(`/assistants/${id}/versions`)).toMatchObject({
      status: 404,
      body: { detail: `Assistant "${id}" not found.` },
    });
  });

  test("patching merges metadata, replaces the rest, and makes a version even of nothing", async () => {
    const id = await create({ metadata: { a: 1, b: 1 }, config: { tags: ["old"] }, name: "before" });
    const patch = { metadata: { b: 2 }, config: { recursion_limit: 3 }, name: null };
    const { body } = await rig.patch(`/assistants/${id}`, patch);
    expect(body).toMatchObject({ version: 2, name: "before", metadata: { a: 1, b: 2 } });
    expect(body).toHaveProperty("config", { recursion_limit: 3 });
    expect((await rig.patch(`/assistants/${id}`, {})).body).toMatchObject({ version: 3, name: "before" });
    const { status } = await rig.patch(`/assistants/${id}`, { graph_id: "nope" });
    expect(status).toBe(404);
    expect((await rig.get(`/assistants/${id}`)).body).toMatchObject({ version: 3, graph_id: "agent" });
  });

  test("has the schemas of its graph", async () => {
    const { status, body } = await rig.get("/assistants/runtime/schemas");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      graph_id: "runtime",
      state_schema: { properties: { model: {}, messages: {} } },
      context_schema: { properties: { model: { enum: ["openai", "anthropic"] } } },
    });
    expect(Object.keys(body as object).sort()).toEqual([
      "config_schema",
      "context_schema",
      "graph_id",
      "input_schema",
      "output_schema",
      "state_schema",
    ]);
  });
});

describe("versions", () => {
  test("newest first, paged and filtered", async () => {
    const id = await create({ name: "one", metadata: { step: 1 } });
    await rig.patch(`/assistants/${id}`, { name: "two", metadata: { step: 2 } });
    await rig.patch(`/assistants/${id}`, { name: "three" });
    const versions = async (body: object) =>
      listOf((await rig.post(`/assistants/${id}/versions`, body)).body).map((version) =>
        textOf(version, "name"),
      );
    expect(await versions({})).toEqual(["three", "two", "one"]);
    expect(await versions({ limit: 1, offset: 1 })).toEqual(["two"]);
    expect(await versions({ metadata: { step: 2 } })).toEqual(["three", "two"]);
    expect((await rig.post(`/assistants/${id}/versions`, { limit: 0 })).status).toBe(422);
  });

  test("going back keeps counting from the highest", async () => {
    const id = await create({ name: "one" });
    await rig.patch(`/assistants/${id}`, { name: "two" });
    const back = await rig.post(`/assistants/${id}/latest`, { version: 1 });
    expect(back).toMatchObject({ status: 200, body: { version: 1, name: "one" } });
    expect((await rig.patch(`/assistants/${id}`, {})).body).toMatchObject({ version: 3, name: "one" });
  });

  test("the version may come in the query, must come, and must exist", async () => {
    const id = await create();
    const { agent } = rig;
    await agent.assistants.patch(id, { name: "two" });
    const { status } = await rig.post(`/assistants/${id}/latest?version=1`, undefined);
    expect(status).toBe(200);
    expect(await rig.post(`/assistants/${id}/latest`, {})).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "version"], type: "missing" }] },
    });
    expect(await rig.post(`/assistants/${id}/latest`, { version: 9 })).toMatchObject({
      status: 404,
      body: { detail: "Assistant version not found" },
    });
  });
});

describe("search and count", () => {
  test("by metadata, graph and part of the name", async () => {
    await create({ name: "Grace Hopper", metadata: { search: { role: "admiral" } } });
    await create({ name: "Ada_Lovelace", metadata: { search: { role: "countess" } } });
    await create({ name: "Someone", graph_id: "delay", metadata: { search: { role: "countess" } } });
    const names = async (body: object) =>
      listOf(
        (await rig.post("/assistants/search", { sort_by: "name", sort_order: "asc", ...body })).body,
      ).map((found) => textOf(found, "name"));
    expect(await names({ metadata: { search: { role: "countess" } } })).toEqual(["Ada_Lovelace", "Someone"]);
    expect(await names({ metadata: { search: {} }, graph_id: "delay" })).toEqual(["Someone"]);
    expect(await names({ name: "hopper" })).toEqual(["Grace Hopper"]);
    expect(await names({ name: "a_l" })).toEqual(["Ada_Lovelace"]);
    expect((await rig.post("/assistants/count", { metadata: { search: {} } })).body).toBe(3);
    expect((await rig.post("/assistants/count", { graph_id: "delay", metadata: { search: {} } })).body).toBe(
      1,
    );
  });

  test("a page tells the true total, and where the next one starts while there is one", async () => {
    for (const number of [1, 2, 3]) await create({ name: `page ${number}`, metadata: { paged: true } });
    const page = (limit: number, offset: number) =>
      rig.post("/assistants/search", { metadata: { paged: true }, limit, offset });
    const first = await page(2, 0);
    expect(listOf(first.body).map((found) => textOf(found, "name"))).toEqual(["page 3", "page 2"]);
    expect(first.headers.get("x-pagination-total")).toBe("3");
    expect(first.headers.get("x-pagination-next")).toBe("2");
    const second = await page(2, 2);
    expect(listOf(second.body)).toHaveLength(1);
    expect(second.headers.get("x-pagination-total")).toBe("3");
    expect(second.headers.get("x-pagination-next")).toBeNull();
  });

  test("select leaves the rest out", async () => {
    const { body } = await rig.post("/assistants/search", { select: ["assistant_id", "version"], limit: 1 });
    expect(Object.keys(listOf(body)[0] as object).sort()).toEqual(["assistant_id", "version"]);
  });

  test("refuses pages and fields that do not exist", async () => {
    const wrong = { limit: 1001, offset: -1, sort_by: "colour", sort_order: "up", select: ["colour"] };
    const { status, body } = await rig.post("/assistants/search", wrong);
    expect(status).toBe(422);
    const faults = listOf(Reflect.get(body as object, "detail")).map(
      (fault) => Reflect.get(fault as object, "loc")[1],
    );
    expect(faults.sort()).toEqual(["limit", "offset", "select", "sort_by", "sort_order"]);
  });
});

describe("delete", () => {
  const thread = async () => textOf((await rig.post("/threads")).body, "thread_id");

  test("takes its versions and runs, and leaves the threads", async () => {
    const id = await create();
    const threadId = await thread();
    await rig.run(threadId, id, { messages: [{ role: "human", content: "hi" }] });
    expect(await rig.remove(`/assistants/${id}`)).toMatchObject({ status: 200, body: [id] });
    expect((await rig.get(`/assistants/${id}`)).status).toBe(404);
    expect((await rig.post(`/assistants/${id}/versions`)).status).toBe(404);
    expect(await rig.rowsOf(threadId)).toMatchObject({ threads: 1, runs: 0, events: 0 });
    expect((await rig.get(`/threads/${threadId}/state`)).body).toMatchObject({ next: [] });
  });

  test("with delete_threads nothing is left of the threads", async () => {
    const id = await create();
    const [threadId, other] = [await thread(), await thread()];
    const input = { messages: [{ role: "human", content: "hi" }] };
    await rig.run(threadId, id, input);
    await rig.run(other, "agent", input);
    expect((await rig.remove(`/assistants/${id}?delete_threads=true`)).status).toBe(200);
    expect((await rig.get(`/threads/${threadId}`)).status).toBe(404);
    expect(await rig.rowsOf(threadId)).toEqual({
      threads: 0,
      runs: 0,
      events: 0,
      checkpoints: 0,
      channel_values: 0,
    });
    expect((await rig.get(`/threads/${other}`)).status).toBe(200);
  });

  test("stops what is under way, and its thread comes to rest", async () => {
    const id = await create({ graph_id: "delay" });
    const threadId = await thread();
    await rig.start(threadId, id, { delay: 60_000 });
    expect(rig.agent.queue.running).toBe(1);
    expect((await rig.remove(`/assistants/${id}`)).status).toBe(200);
    await until(() => rig.agent.queue.running === 0, "the run stopped");
    expect((await rig.get(`/threads/${threadId}`)).body).toMatchObject({ status: "idle" });
    expect(await rig.rowsOf(threadId)).toMatchObject({ runs: 0 });
  });
});
