import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkMerged, MOST_BYTES, MOST_ELEMENTS, passedBound } from "@berth/store";
import { StatelessRunBody, ThreadRunBody } from "../../server/agent/run-schemas.ts";
import { boundsOf, SMALL_BODY_BYTES } from "../../server/http/bounds.ts";
import { spanOf } from "../../server/langsmith/run-form.ts";
import { openAgentRig, textOf } from "./agent-rig.ts";

let rig: Awaited<ReturnType<typeof openAgentRig>>;

beforeAll(async () => {
  rig = await openAgentRig();
});
afterAll(() => rig.close());

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
const many = keys(MOST_ELEMENTS + 1);
const long = { text: "é".repeat(MOST_BYTES / 2) };
const unknown = "0197f0a0-0000-7000-8000-00000000dead";

describe("the bounds on metadata, config and context", () => {
  test("count keys and elements at all levels, and bytes of JSON", () => {
    expect(passedBound(keys(MOST_ELEMENTS))).toBeUndefined();
    expect(passedBound(many)).toBe("elements");
    expect(passedBound({ a: [keys(500), { b: keys(500) }] })).toBe("elements");
    expect(passedBound({ text: "x".repeat(MOST_BYTES - '{"text":""}'.length) })).toBeUndefined();
    expect(passedBound(long)).toBe("bytes");
    expect(passedBound({ text: "\u0001".repeat(MOST_BYTES / 2) })).toBe("bytes");
  });

  const places: [string, string, (value: unknown) => object, (string | number)[]][] = [
    ["POST", "/threads", (metadata) => ({ metadata }), ["metadata"]],
    ["POST", "/threads/search", (metadata) => ({ metadata }), ["metadata"]],
    ["POST", "/threads/search", (values) => ({ values }), ["values"]],
    ["POST", "/threads/count", (metadata) => ({ metadata }), ["metadata"]],
    ["POST", `/threads/${unknown}/history`, (metadata) => ({ metadata }), ["metadata"]],
    ["POST", "/assistants", (config) => ({ graph_id: "g", config }), ["config"]],
    ["POST", "/assistants", (context) => ({ graph_id: "g", context }), ["context"]],
    ["POST", "/assistants", (metadata) => ({ graph_id: "g", metadata }), ["metadata"]],
    ["POST", "/assistants/search", (metadata) => ({ metadata }), ["metadata"]],
    ["POST", "/runs/crons/search", (metadata) => ({ metadata }), ["metadata"]],
    ["POST", "/store/items/search", (filter) => ({ filter }), ["filter"]],
  ];

  test.each(places)("%s %s refuses what passes them, with a 422", async (_, path, body, loc) => {
    for (const value of [many, long]) {
      expect(await rig.post(path, body(value))).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", ...loc], type: "too_long" }] },
      });
    }
  });

  test("a body whose every part is bounded is refused before it is read as JSON", async () => {
    const padded = { unknown: "x".repeat(SMALL_BODY_BYTES) };
    for (const path of ["/threads/search", "/assistants/search", "/store/items/search", "/runs/crons/count"])
      expect((await rig.post(path, padded)).status).toBe(413);
    expect((await rig.post("/threads", padded)).status).toBe(200);
  });

  test("a run's config, tags, metadata and context, also of each run of a batch", () => {
    const bounds = boundsOf(ThreadRunBody);
    const at = (body: object) => bounds?.({ assistant_id: "g", ...body }).map(({ loc }) => loc.join("."));
    expect(at({ config: { configurable: keys(900) }, metadata: keys(900), input: many })).toEqual([]);
    expect(at({ config: { configurable: many }, context: long })).toEqual(["body.config", "body.context"]);
    expect(at({ config: { tags: Array(MOST_ELEMENTS + 1).fill("t") } })).toEqual(["body.config"]);
    expect(boundsOf(StatelessRunBody)?.({ metadata: many })).toHaveLength(1);
  });

  test("a merge does not pass them either, but what an older version stored may shrink", async () => {
    const thread_id = textOf((await rig.post("/threads", { metadata: keys(600) })).body, "thread_id");
    const more = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`m${index}`, 1]));
    const patch = (metadata: object) => rig.patch(`/threads/${thread_id}`, { metadata });
    expect(await patch(more)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("metadata would be too large") },
    });
    expect((await patch({ k1: 2 })).status).toBe(200);
    expect(() => checkMerged("metadata", keys(2_000), { ...keys(1_999), k1: 0 })).not.toThrow();
    expect(() => checkMerged("metadata", keys(2_000), keys(2_001))).toThrow("metadata would be too large");
  });

  test("a run that is told of keeps its place when its metadata is too large", () => {
    const id = unknown;
    const extra = { metadata: { ...many, thread_id: "t-1", langgraph_node: "n" } };
    const span = spanOf({ id, extra, tags: Array(300_000).fill("t") }, { id, traceId: id });
    expect(span).toMatchObject({ thread_id: "t-1", node: "n", metadata: { __cut__: true } });
    expect(span.tags?.length).toBe(MOST_ELEMENTS);
  });
});

describe("what a body may hold in all", () => {
  const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

  test.each([
    ["values", Array(500_001).fill(0), "holds more than 500000 values"],
    ["named fields", keys(100_001), "holds more than 100000 named fields"],
    ["levels", nested(1_001), "nested more than 1000 levels deep"],
  ])("too many %s are refused", async (_, a, reason) => {
    const put = await rig.put("/store/items", { namespace: ["a"], key: "k", value: { a } });
    expect(put).toMatchObject({ status: 422, body: { detail: [{ msg: `Value error, ${reason}` }] } });
  });

  test("what stands in strings does not count, and as much as is allowed is stored", async () => {
    const value = { a: Array(100_000).fill(0), b: keys(20_000), c: "[{,:".repeat(60_000), d: nested(900) };
    expect((await rig.put("/store/items", { namespace: ["a"], key: "k", value })).status).toBe(204);
  });

  test("a list of more than 10,000 is not looked through", async () => {
    const found = await rig.post("/threads/search", { select: Array(10_001).fill("nothing") });
    const [fault] = (found.body as { detail: { loc: string[]; type: string }[] }).detail;
    expect([found.status, fault]).toMatchObject([422, { loc: ["body", "select"], type: "too_long" }]);
  });

  test("a filter of a history has at most 100 conditions, as any", async () => {
    const { body } = await rig.post("/threads", {});
    const { thread_id } = body as { thread_id: string };
    await rig.post(`/threads/${thread_id}/state`, { values: {} });
    const found = await rig.post(`/threads/${thread_id}/history`, { metadata: keys(990) });
    expect([200, 400]).toContain(found.status);
  });
});
