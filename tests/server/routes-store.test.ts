import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { instant, listOf, openAgentRig, textOf } from "./agent-rig.ts";

let rig: Awaited<ReturnType<typeof openAgentRig>>;

beforeAll(async () => {
  rig = await openAgentRig();
});
afterAll(() => rig.close());

const put = (namespace: string[], key: string, value: object, more: object = {}) =>
  rig.put("/store/items", { namespace, key, value, ...more });

const search = async (body: object) => {
  const { status, body: found } = await rig.post("/store/items/search", body);
  expect(status).toBe(200);
  return listOf(Reflect.get(found as object, "items"));
};
const keys = async (body: object) => (await search(body)).map((item) => textOf(item, "key"));

const namespaces = async (body: object) => (await rig.post("/store/namespaces", body)).body;

describe("one item", () => {
  test("is stored without a word and read back", async () => {
    const { status, body } = await put(["one", "ada"], "k.1", { colour: "blue", deep: { list: [1, null] } });
    expect({ status, body }).toEqual({ status: 204, body: "" });
    expect(await rig.get("/store/items?namespace=one.ada&key=k.1")).toMatchObject({
      status: 200,
      body: {
        namespace: ["one", "ada"],
        key: "k.1",
        value: { colour: "blue", deep: { list: [1, null] } },
        created_at: instant,
        updated_at: instant,
      },
    });
  });

  test("the namespace comes with dots, repeated, or as a JSON list", async () => {
    await put(["forms", "x"], "k", { found: true });
    for (const query of ["namespace=forms.x", "namespace=forms&namespace=x", 'namespace=["forms","x"]'])
      expect((await rig.get(`/store/items?${query}&key=k`)).body).toMatchObject({ value: { found: true } });
  });

  test("a label may look like the beginning of a JSON list", async () => {
    await put(["[x]", "y"], "k", { found: true });
    expect((await rig.get("/store/items?namespace=%5Bx%5D.y&key=k")).body).toMatchObject({
      value: { found: true },
    });
  });

  test("an empty key is refused; what a graph stored under it can be deleted", async () => {
    expect((await put(["empty"], "", {})).status).toBe(422);
    await rig.agent.items.put({ namespace: ["empty"], key: "", value: {} });
    expect((await rig.remove("/store/items", { namespace: ["empty"], key: "" })).status).toBe(204);
    expect(await search({ namespace_prefix: ["empty"] })).toEqual([]);
  });

  test("putting it again keeps created_at and moves updated_at", async () => {
    const read = async () => (await rig.get("/store/items?namespace=again&key=k")).body;
    await put(["again"], "k", { n: 1 });
    const first = await read();
    await put(["again"], "k", { n: 2 });
    const second = await read();
    expect(second).toMatchObject({ value: { n: 2 }, created_at: textOf(first, "created_at") });
    expect(textOf(second, "updated_at") > textOf(first, "updated_at")).toBe(true);
  });

  test("that is not there is null", async () => {
    expect(await rig.get("/store/items?namespace=no.such&key=k")).toMatchObject({ status: 200, body: null });
    expect(await rig.get("/store/items?key=k")).toMatchObject({ status: 200, body: null });
  });

  test("is deleted by a body, and once more", async () => {
    await put(["gone"], "k", {});
    for (const _ of [1, 2])
      expect((await rig.remove("/store/items", { namespace: ["gone"], key: "k" })).status).toBe(204);
    expect((await rig.get("/store/items?namespace=gone&key=k")).body).toBeNull();
    expect(await search({ namespace_prefix: ["gone"] })).toEqual([]);
    expect(await namespaces({ prefix: ["gone"] })).toEqual({ namespaces: [] });
  });

  test("with a ttl is there until it is over; index and ttl are checked", async () => {
    expect((await put(["ttl"], "k", {}, { ttl: 5, index: ["a.b"] })).status).toBe(204);
    expect((await put(["ttl"], "k", {}, { ttl: null, index: false })).status).toBe(204);
    expect((await put(["ttl"], "short", {}, { ttl: 0.00001 })).status).toBe(204);
    expect((await rig.get("/store/items?namespace=ttl&key=short")).body).toBeNull();
    expect(await put(["ttl"], "k", {}, { ttl: 0, index: true })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "index"] }, { loc: ["body", "ttl"], type: "greater_than" }] },
    });
  });
});

describe("what is refused", () => {
  test("an empty namespace", async () => {
    expect(await put([], "k", {})).toMatchObject({ status: 400, body: { detail: "Namespace is required" } });
  });

  test.each([[["a", ""]], [["a", "b.c"]]])("the label in %j, wherever it comes", async (labels) => {
    const at = (...loc: unknown[]) => ({ status: 422, body: { detail: [{ loc }] } });
    expect(await put(labels, "k", {})).toMatchObject(at("body", "namespace", 1));
    const item = { namespace: labels, key: "k" };
    expect(await rig.remove("/store/items", item)).toMatchObject(at("body", "namespace", 1));
    const prefix = await rig.post("/store/items/search", { namespace_prefix: labels });
    expect(prefix).toMatchObject(at("body", "namespace_prefix", 1));
    expect(await rig.post("/store/namespaces", { suffix: labels })).toMatchObject(at("body", "suffix", 1));
  });

  test("a namespace with a hole in the query", async () => {
    const { status, body } = await rig.get("/store/items?namespace=a..b&key=k");
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "namespace", 0] }] },
    });
  });

  test("values that are no objects, and what is missing", async () => {
    expect(await rig.put("/store/items", { namespace: ["a"], value: "text" })).toMatchObject({
      status: 422,
      body: {
        detail: expect.arrayContaining([
          expect.objectContaining({ loc: ["body", "key"], type: "missing" }),
          expect.objectContaining({ loc: ["body", "value"], type: "dict_type" }),
        ]),
      },
    });
    expect(await rig.get("/store/items?namespace=a")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "key"], type: "missing" }] },
    });
  });
});

describe("search", () => {
  beforeAll(async () => {
    await put(["find", "ada"], "low", { n: 1, tag: "x" });
    await put(["find", "ada"], "mid", { n: 5, tag: "y" });
    await put(["find", "adaline"], "high", { n: 10, tag: "x" });
  });

  test("by whole labels, last changed first, with no score", async () => {
    expect(await keys({ namespace_prefix: ["find"] })).toEqual(["high", "mid", "low"]);
    expect(await keys({ namespace_prefix: ["find", "ada"] })).toEqual(["mid", "low"]);
    expect(await search({ namespace_prefix: ["find", "ada"], limit: 1 })).toEqual([
      {
        namespace: ["find", "ada"],
        key: "mid",
        value: { n: 5, tag: "y" },
        created_at: instant,
        updated_at: instant,
        score: null,
      },
    ]);
    expect(await keys({ namespace_prefix: ["find"], limit: 1, offset: 2 })).toEqual(["low"]);
  });

  test("by equality and operators on fields", async () => {
    const found = (filter: object) => keys({ namespace_prefix: ["find"], filter, query: null });
    expect(await found({ tag: "x" })).toEqual(["high", "low"]);
    expect(await found({ n: { $gte: 5, $lt: 10 } })).toEqual(["mid"]);
    expect(await found({ tag: { $in: ["y"] }, n: { $ne: 1 } })).toEqual(["mid"]);
    expect(await found({ tag: { $nin: ["x"] } })).toEqual(["mid"]);
    expect(await found({ tag: "z" })).toEqual([]);
  });

  test("an unknown operator is a 422 that names it", async () => {
    const answer = await rig.post("/store/items/search", { filter: { n: { $regex: "1" } } });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ["body", "filter", "n", "$regex"],
            msg: expect.stringContaining("$regex"),
            type: "value_error",
          },
        ],
      },
    });
  });

  test("an empty result is an empty list, also of everything", async () => {
    expect((await rig.post("/store/items/search", { namespace_prefix: ["nowhere"] })).body).toEqual({
      items: [],
    });
    expect((await search({ namespace_prefix: null, limit: 1000 })).length).toBeGreaterThanOrEqual(3);
    expect((await rig.post("/store/items/search", { limit: 0 })).status).toBe(422);
  });
});

describe("namespaces", () => {
  test("in order, by prefix, suffix and depth", async () => {
    for (const labels of [
      ["ns", "b", "notes"],
      ["ns", "a", "notes"],
      ["ns", "a", "files", "old"],
    ])
      await put(labels, "k", {});
    expect(await namespaces({ prefix: ["ns"] })).toEqual({
      namespaces: [
        ["ns", "a", "files", "old"],
        ["ns", "a", "notes"],
        ["ns", "b", "notes"],
      ],
    });
    const two = {
      namespaces: [
        ["ns", "a"],
        ["ns", "b"],
      ],
    };
    expect(await namespaces({ prefix: ["ns"], max_depth: 2 })).toEqual(two);
    expect(await namespaces({ prefix: ["ns", "*", "notes"], limit: 1, offset: 1 })).toEqual({
      namespaces: [["ns", "b", "notes"]],
    });
    expect(await namespaces({ prefix: ["ns"], suffix: ["old"] })).toEqual({
      namespaces: [["ns", "a", "files", "old"]],
    });
    expect((await rig.post("/store/namespaces", { max_depth: 0 })).status).toBe(422);
  });
});

test("graphs and HTTP see the same items", async () => {
  await put(["notes", "ada"], "last", { note: "from outside" });
  const threadId = textOf((await rig.post("/threads")).body, "thread_id");
  const result = await rig.run(threadId, "memory", { note: "from inside" });
  expect(JSON.parse(result)).toMatchObject({ previous: "from outside" });
  expect((await rig.get("/store/items?namespace=notes.ada&key=last")).body).toMatchObject({
    value: { note: "from inside" },
  });
});
