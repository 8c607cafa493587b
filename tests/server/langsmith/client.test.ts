import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client } from "langsmith";
import { RunTree } from "langsmith/run_trees";
import { traceable } from "langsmith/traceable";
import { type IngestRig, openIngest, tracesOf } from "./rig.ts";

let rig: IngestRig;
let client: Client;
const before = { ...process.env };

beforeAll(async () => {
  rig = await openIngest();
  client = new Client({ apiUrl: rig.endpoint, apiKey: "a key" });
});
afterAll(async () => {
  await rig.close();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
});

const traced = { tracingEnabled: true, project_name: "js app" } as const;

test("nested runs, an error and feedback of the JavaScript client become one trace", async () => {
  const model = traceable(
    async (city: string) => ({
      content: `sunny in ${city}`,
      usage_metadata: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
    }),
    { ...traced, client, name: "model", run_type: "llm" },
  );
  const tool = traceable(
    async (city: string): Promise<string> => {
      throw new TypeError(`no city ${city}`);
    },
    { ...traced, client, name: "weather", run_type: "tool" },
  );
  let runId = "";
  const agent = traceable(
    async (city: string) => {
      const { content } = await model(city);
      return tool(city).catch(() => content);
    },
    {
      ...{ ...traced, client, name: "agent", tags: ["js"], metadata: { thread_id: "thread 1" } },
      on_end: (run: RunTree) => {
        runId = run.id;
      },
    },
  );
  expect(await agent("Lisbon")).toBe("sunny in Lisbon");
  await client.createFeedback(runId, "liked", { score: 0, comment: "too short", traceId: runId });
  await client.awaitPendingTraceBatches();
  const [whole, ...others] = await tracesOf(rig, "js app");
  expect(others).toEqual([]);
  expect(whole?.trace).toMatchObject({
    id: runId,
    name: "agent",
    status: "success",
    thread_id: "thread 1",
    tags: ["js"],
    total_tokens: 12,
    span_count: 3,
  });
  const spans = new Map(whole?.spans.map((span) => [span.name, span]));
  expect(spans.get("model")).toMatchObject({ run_type: "llm", parent_id: runId, input_tokens: 5 });
  expect(spans.get("weather")).toMatchObject({
    run_type: "tool",
    parent_id: runId,
    status: "error",
    error: { type: "TypeError", message: "no city Lisbon" },
  });
  expect(JSON.parse(spans.get("agent")?.inputs ?? "")).toEqual({ input: "Lisbon" });
  expect(whole?.feedback).toMatchObject([{ key: "liked", score: 0, comment: "too short" }]);
});

test("a hundred traces at once arrive whole, in whatever batches", async () => {
  const step = traceable(async (n: number) => n, { ...traced, project_name: "many", client, name: "step" });
  const work = traceable(async (n: number) => (await step(n)) + (await step(n)), {
    ...{ ...traced, project_name: "many", client, name: "work" },
  });
  await Promise.all(Array.from({ length: 100 }, (_, n) => work(n)));
  await client.awaitPendingTraceBatches();
  const traces = await tracesOf(rig, "many");
  expect(traces).toHaveLength(100);
  for (const { trace } of traces) expect(trace).toMatchObject({ status: "success", span_count: 3 });
});

test("a client without batches, and one that takes no multipart, arrive too", async () => {
  const plain = new Client({ apiUrl: rig.endpoint, apiKey: "a key", autoBatchTracing: false });
  const run = new RunTree({ name: "plain", project_name: "plain", client: plain, tracingEnabled: true });
  await run.postRun();
  await run.end({ answer: 42 });
  await run.patchRun();
  const [whole] = await tracesOf(rig, "plain");
  expect(whole?.trace).toMatchObject({ id: run.id, name: "plain", status: "success" });
  const root = {
    ...{ id: Bun.randomUUIDv7(), name: "batched", run_type: "chain", inputs: {} },
    project_name: "x",
  };
  const order = `20260101T000000000000Z${root.id}`;
  const created = { ...root, session_name: "batched", trace_id: root.id, dotted_order: order };
  await client.batchIngestRuns({ runCreates: [created as never] });
  expect((await tracesOf(rig, "batched"))[0]?.trace).toMatchObject({ name: "batched", status: "pending" });
});

test("projects are found and made", async () => {
  const made = await client.createProject({ projectName: "made" });
  expect(await client.readProject({ projectName: "made" })).toMatchObject({ id: made.id, name: "made" });
  expect(await client.hasProject({ projectId: made.id })).toBeTrue();
  expect(await client.hasProject({ projectName: "nobody's" })).toBeFalse();
  await expect(client.createProject({ projectName: "made" })).rejects.toThrow("already");
  expect((await client.createProject({ projectName: "made", upsert: true })).id).toBe(made.id);
});
