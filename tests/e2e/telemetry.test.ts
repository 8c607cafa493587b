import { afterAll, beforeAll, expect, test } from "bun:test";
import { type BerthProcess, start, template } from "./berth-process.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { type Collected, startCollector } from "./telemetry/collector.ts";

const KEY = "a-key-for-telemetry";
const GRAPH = "chat";
const SECRET = "what is the weather in Lisbon, says Ada";

const collector = startCollector();
let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);

beforeAll(async () => {
  berth = await start({
    project: template("chat"),
    env: {
      ...{ SERVICE_API_KEY: KEY, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "shop" },
      ...{ OTEL_EXPORTER_OTLP_HEADERS: "x-team=agents%20and%20co", OTEL_RESOURCE_ATTRIBUTES: "region=west" },
    },
  });
});

afterAll(async () => {
  await berth.stop();
  collector.stop();
});

/** Asks for a run as a part of a trace that somebody else began. */
async function ask(path: string, flags = "01") {
  const traceId = crypto.randomUUID().replaceAll("-", "");
  const spanId = traceId.slice(0, 16);
  const input = { messages: [{ role: "user", content: SECRET }] };
  const response = await fetch(`${berth.url}${path}/runs/wait`, {
    method: "POST",
    headers: {
      ...{ "x-api-key": KEY, "content-type": "application/json" },
      traceparent: `00-${traceId}-${spanId}-${flags}`,
    },
    body: JSON.stringify({ assistant_id: GRAPH, input }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return { traceId, spanId, location: response.headers.get("content-location") ?? "" };
}

/** The spans of a trace, once so many requests and the run are among them. */
const collected = (traceId: string, requests: number) =>
  until(
    "the spans of a run",
    async () => collector.of(traceId),
    (spans) =>
      spans.filter(({ kind }) => kind === SERVER).length >= requests &&
      spans.some(({ name }) => name.startsWith("invoke_agent")),
  );

const SERVER = 2;
const CLIENT = 3;

function tree(spans: Collected[], parent: string): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
    .map(({ name, spanId }) => {
      const below = tree(spans, spanId);
      return below.length === 0 ? name : { [name]: below };
    });
}

test("a request and what its run does are spans of the trace that the caller began", async () => {
  const { traceId, spanId, location } = await ask("");
  const spans = await collected(traceId, 1);
  const model = "chat offline";
  expect(tree(spans, spanId)).toEqual([
    {
      "POST /runs/wait": [
        {
          "invoke_agent chat": [
            { model: [model] },
            { tools: ["execute_tool get_weather"] },
            { model: [model] },
          ],
        },
      ],
    },
  ]);
  expect(spans).toHaveLength(8);
  const run = spans.find(({ name }) => name.startsWith("invoke_agent"));
  expect(location).toContain(String(run?.attributes["berth.run.id"]));
  expect(run?.attributes["gen_ai.conversation.id"]).toBe(run?.attributes["berth.thread.id"]);
  const request = spans.find(({ kind }) => kind === SERVER);
  expect(request?.attributes).toMatchObject({
    ...{ "http.request.method": "POST", "http.route": "/runs/wait" },
    "http.response.status_code": 200,
  });
  const chat = spans.find(({ kind }) => kind === CLIENT);
  expect(chat?.attributes).toMatchObject({ "gen_ai.operation.name": "chat", "berth.status": "success" });
  for (const { startTimeUnixNano, endTimeUnixNano, resource } of spans) {
    expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
    expect(resource).toMatchObject({ "service.name": "shop", region: "west" });
  }
  expect(collector.requests[0]?.path).toBe("/v1/traces");
  expect(collector.requests[0]?.headers.get("x-team")).toBe("agents and co");
});

test("nothing of what was said or answered is exported", () => {
  expect(collector.spans.length).toBeGreaterThan(0);
  expect(JSON.stringify(collector.spans)).not.toContain("Lisbon");
});

test("a deployment exports under its own name, below the request at the gateway, and says more where it is told to", async () => {
  const capture = [{ name: "BERTH_OTEL_CAPTURE_CONTENT", value: "true" }];
  const { id, latest_revision_id } = await api.fromTemplate("weather", "chat", capture);
  expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
  const { traceId, spanId } = await ask(`/d/${id}`);
  const spans = await collected(traceId, 2);
  expect(tree(spans, spanId)).toEqual([
    { "POST /d/:deployment_id/*": [{ "POST /runs/wait": [{ "invoke_agent chat": expect.any(Array) }] }] },
  ]);
  const run = spans.find(({ name }) => name.startsWith("invoke_agent"));
  expect(run?.resource).toMatchObject({
    ...{ "service.name": "shop-weather", region: "west" },
    ...{ "berth.deployment.id": id, "berth.revision.id": latest_revision_id },
  });
  expect(run?.attributes["input.value"]).toContain("Lisbon");
  const model = spans.find(({ kind }) => kind === CLIENT);
  expect(model?.attributes["gen_ai.input.messages"]).toContain("Lisbon");
  await api.delete(id);
});

test("what the caller does not want to be sampled is not", async () => {
  const { traceId } = await ask("", "00");
  const { traceId: later } = await ask("");
  await collected(later, 1);
  expect(collector.of(traceId)).toEqual([]);
});

test("what waits is sent before the process ends, and counted", async () => {
  const { traceId } = await ask("");
  const metrics = await fetch(`${berth.url}/metrics`, { headers: { "x-api-key": KEY } });
  const exported = /^berth_telemetry_spans_total\{outcome="exported"\} (\d+)$/m.exec(await metrics.text());
  expect(Number(exported?.[1])).toBeGreaterThan(8);
  expect(await berth.stop()).toBe(0);
  expect(collector.of(traceId)).toHaveLength(8);
});
