import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@berth/agent";
import { DEFAULT_WORKSPACE, type Instance, openDatabase, Sessions, Traces } from "@berth/store";
import { Shipper, shipmentPath } from "../../../server/langsmith/index.ts";
import { logger } from "../../../server/log/log.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { type IngestRig, openIngest, tracesOf } from "./rig.ts";

const TOKEN = "the-token-of-the-instance";
const deployment = { id: Bun.randomUUIDv7(), name: "shop", workspace_id: DEFAULT_WORKSPACE.id };
const revision_id = Bun.randomUUIDv7();
const instance = {
  ...{ id: Bun.randomUUIDv7(), deployment_id: deployment.id, revision_id, token: TOKEN },
} as Instance;
const folder = mkdtempSync(join(tmpdir(), "berth-shipper-"));
let parent: IngestRig;
let db: Awaited<ReturnType<typeof openDatabase>>;
let traces: Traces;
let sessionId: string;

beforeAll(async () => {
  parent = await openIngest({ deployed: [{ instance, deployment }] });
  db = await openDatabase(await databaseUrl(join(folder, "child.db")));
  traces = new Traces(db, systemClock);
  sessionId = (await new Sessions(db, systemClock).ensure(DEFAULT_WORKSPACE.id, "own name", { ships: true }))
    .id;
});
afterAll(async () => {
  await parent.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

type Given = { token?: string; send?: typeof fetch };
const shipper = ({ token = TOKEN, send }: Given = {}) =>
  new Shipper({
    ...{ traces, token, url: parent.url + shipmentPath(instance.id), log: logger("test") },
    ...(send && { fetch: send }),
  });

async function leave(name: string, spans = 3, isWhole = false) {
  const id = Bun.randomUUIDv7();
  const at = Date.now();
  const writes = Array.from({ length: spans }, (_, n) => ({
    ...{ id: n === 0 ? id : Bun.randomUUIDv7(), trace_id: id, session_id: sessionId, name: `${name} ${n}` },
    ...{
      parent_id: n === 0 ? null : id,
      run_type: "llm" as const,
      status: "error" as const,
      thread_id: "t",
    },
    ...{ start_time: at + n, end_time: at + 10, error: { type: "E", message: "m" }, inputs: '{"a":[1]}' },
    ...{ metadata: { k: 1 }, tags: ["x"], input_tokens: 1, output_tokens: 2, total_tokens: 3, node: "n" },
  }));
  if (isWhole) await traces.writeWhole([writes.reverse()]);
  else await traces.write(writes);
  return id;
}

const isEmpty = async () => (await traces.unshipped(1)) === undefined;
const found = async (id: string) => (await tracesOf(parent, "shop")).find(({ trace }) => trace.id === id);

test("a thread that was deleted is forgotten by the Berth that deployed it, too", async () => {
  const id = await leave("forgotten");
  await shipper().once(Date.now());
  expect((await found(id))?.spans[0]?.inputs).toBe('{"a":[1]}');
  await traces.forgetThreads([{ thread_id: "t", at: Date.now() }], { workspaceId: DEFAULT_WORKSPACE.id });
  expect(await isEmpty()).toBeFalse();
  await shipper().once(Date.now());
  expect(await isEmpty()).toBeTrue();
  const there = await found(id);
  expect(there?.spans.map(({ inputs }) => inputs)).toEqual([null, null, null]);
  expect(there?.trace).toMatchObject({ total_tokens: 9, metadata: { content_deleted: true } });
});

test.each([
  ["a trace", false],
  ["a short one, which is one row,", true],
])(
  "%s arrives as it is, in the project of the deployment, and says which revision it was on",
  async (_, isWhole) => {
    const id = await leave("whole", 3, isWhole);
    await traces.feedback(DEFAULT_WORKSPACE.id, [{ trace_id: id, key: "liked", score: 0, comment: "no" }]);
    await shipper().once(Date.now());
    expect(await isEmpty()).toBeTrue();
    const here = await traces.get(DEFAULT_WORKSPACE.id, id);
    const there = await found(id);
    const known = ({ session_id: _, revision: __, metadata: ___, ...span }: (typeof here.spans)[number]) =>
      span;
    expect(there?.spans.map(known)).toEqual(here.spans.map(known));
    expect(there?.trace.metadata).toEqual({ k: 1, revision_id });
    expect(there?.spans.filter(({ metadata }) => "revision_id" in metadata).map((span) => span.id)).toEqual([
      id,
    ]);
    expect(there?.feedback).toMatchObject([{ key: "liked", score: 0, comment: "no" }]);
    expect(there?.trace.total_tokens).toBe(here.trace.total_tokens);
    // It is one row there, too.
    const packs = parent.db.read.selectFrom("span_packs").select("trace_id").where("trace_id", "=", id);
    expect(await packs.execute()).toHaveLength(isWhole ? 1 : 0);
  },
);

test("an answer that is lost makes it come again, and it is there once", async () => {
  const id = await leave("again", 5);
  const lost = (async (...given: Parameters<typeof fetch>) => {
    await fetch(...given);
    throw new TypeError("the connection broke");
  }) as unknown as typeof fetch;
  const unlucky = shipper({ send: lost });
  await unlucky.once(1_000);
  expect(await isEmpty()).toBeFalse();
  await shipper().once(Date.now());
  expect(await isEmpty()).toBeTrue();
  expect((await found(id))?.trace).toMatchObject({ span_count: 5, total_tokens: 15 });
});

test("what changes while it is under way is sent again", async () => {
  const id = await leave("changed", 1);
  const late = (async (...given: Parameters<typeof fetch>) => {
    const response = await fetch(...given);
    await traces.write([{ id, trace_id: id, session_id: sessionId, outputs: '"late"' }]);
    return response;
  }) as unknown as typeof fetch;
  await shipper({ send: late }).once(Date.now());
  await shipper().once(Date.now());
  expect((await found(id))?.spans[0]?.outputs).toBe('"late"');
  expect(await isEmpty()).toBeTrue();
});

test("who does not answer is asked less and less often", async () => {
  await leave("waiting", 1);
  const asked: number[] = [];
  let now = 0;
  const silent = (async () => {
    asked.push(now);
    throw new TypeError("nobody there");
  }) as unknown as typeof fetch;
  const patient = shipper({ send: silent });
  for (; now < 120_000; now += 500) await patient.once(now);
  expect(asked).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
  await shipper().once(Date.now());
  expect(await isEmpty()).toBeTrue();
});

test.each([false, true])("one span that nobody takes keeps none of the others back", async (isWhole) => {
  const [good, bad] = [await leave("good", 3, isWhole), await leave("bad", 1, isWhole)];
  const better = await leave("better", 1, isWhole);
  const picky = (async (...[url, init]: Parameters<typeof fetch>) =>
    String(init?.body).includes(bad)
      ? new Response(null, { status: 422 })
      : fetch(url, init)) as unknown as typeof fetch;
  await shipper({ send: picky }).once(Date.now());
  expect(await isEmpty()).toBeTrue();
  expect(
    [await found(good), await found(bad), await found(better)].map((each) => each !== undefined),
  ).toEqual([...[true, false, true]]);
});

test("another token, and none, bring nothing in", async () => {
  const id = await leave("foreign", 1);
  await shipper({ token: "another-token" }).once(Date.now());
  expect(await isEmpty()).toBeFalse();
  expect(await found(id)).toBeUndefined();
  const response = await fetch(parent.url + shipmentPath(instance.id), { method: "POST", body: "{}" });
  expect(response.status).toBeOneOf([401, 422]);
});
