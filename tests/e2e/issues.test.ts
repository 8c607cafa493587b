import { afterAll, beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { Received } from "../server/delivery/receiver.ts";
import { until } from "./condition.ts";
import { type Envelope, openShop, type Shop } from "./issues/shop.ts";

const EVENTS = ["issue.created", "issue.trace.added", "issue.agent_run.failed"];
const DEFAULT_WORKSPACE = "00000000-0000-4000-8000-000000000001";
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

let shop: Shop;
let secret: string;

beforeAll(async () => {
  shop = await openShop();
  const hook = { severity_threshold: 3, event_types: EVENTS };
  const url = `${shop.receiver.url}hook`;
  const created = await shop.post("/v1/issue-webhooks", { ...hook, url, headers: { "X-Who": "shop" } });
  expect(created.status).toBe(201);
  secret = created.body.secret;
  const toChat = { channel: "#agents", severity_threshold: 3 };
  expect((await shop.post("/v1/issue-webhooks", toChat)).status).toBe(201);
});
afterAll(() => shop.close());

const arrived = (count: number) =>
  until(
    "deliveries",
    async () => shop.receiver.received.length,
    (length) => length >= count,
  );

async function scan() {
  const { status, body } = await shop.post("/v1/engine/scan");
  expect(status).toBe(200);
  return body.resources[0];
}

async function issues() {
  const { body } = await shop.get("/v1/issues");
  const all: { id: string; name: string; trace_count: number; session_id: string; status: string }[] =
    body.resources;
  const of = (tool: string) => all.find(({ name }) => name.includes(tool)) ?? { id: "", session_id: "" };
  return { all, of };
}

test("two ways to fail, in 30 of 100 runs, are two issues, told of once each, with their traces", async () => {
  const faults = Array.from({ length: 100 }, (_, at) => ["refused", "broken"][at % 10 < 3 ? at % 2 : 2]);
  const expected = { refused: 0, broken: 0 };
  for (const fault of faults) if (fault === "refused" || fault === "broken") expected[fault] += 1;
  expect(expected.refused + expected.broken).toBe(30);
  for (let at = 0; at < 100; at += 20) await shop.order(faults.slice(at, at + 20));
  expect(await scan()).toMatchObject({ status: "success", scanned: 100, opened: 2, linked: 30 });

  const { all } = await issues();
  expect(all.map(({ trace_count }) => trace_count).sort()).toEqual(Object.values(expected).sort());
  for (const issue of all) {
    const { body } = await shop.get(`/v1/issues/${issue.id}/traces?limit=100`);
    const inputs = await Promise.all(
      body.resources.map(async ({ trace_id }: { trace_id: string }) => {
        const trace = await shop.get(`/v1/traces/${trace_id}`);
        return trace.body.spans[0].inputs.fault;
      }),
    );
    expect([new Set(inputs).size, inputs.length]).toEqual([1, issue.trace_count]);
  }

  await arrived(32);
  const told = Map.groupBy(shop.envelopes(), ({ data }) => data.object.id);
  expect([...told.keys()].sort()).toEqual(all.map(({ id }) => id).sort());
  for (const [id, events] of told)
    expectOpening(events, all.find((issue) => issue.id === id)?.trace_count ?? 0);
  expect(new Set(shop.envelopes().map(({ id }) => id)).size).toBe(32);
});

function expectOpening(events: Envelope[], traces: number): void {
  const types = events.map(({ type }) => type).sort();
  expect(types).toEqual(["issue.created", ...Array(traces).fill("issue.trace.added")]);
  expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(1);
  expect(new Set(events.map(({ data }) => JSON.stringify(data.object))).size).toBe(1);
  const object = events[0]?.data.object ?? {};
  expect(object).toEqual({
    ...{ id: expect.stringMatching(UUID), name: expect.any(String), description: expect.any(String) },
    ...{ severity: expect.any(Number), tenant_id: DEFAULT_WORKSPACE, tenant_name: expect.any(String) },
    ...{ session_id: expect.stringMatching(UUID), session_name: "project" },
    url: `${shop.berth.url}/console/issues/${object.id}`,
  });
  for (const event of events) {
    expect(Object.keys(event)).toEqual(["id", "type", "created", "request_id", "data"]);
    expect(event.created).toBeInteger();
    expect("trace" in event.data).toBe(event.type === "issue.trace.added");
  }
}

test("every signature verifies, by openssl and by a library of others", async () => {
  const { received } = shop.receiver;
  for (const one of received) {
    expect(one.headers.get("x-service-signature")).toBe(`sha256=${await hmacOf(one)}`);
    expect(one.headers.get("x-who")).toBe("shop");
    expect(one.headers.get("content-type")).toBe("application/json");
    const headers = Object.fromEntries(one.headers);
    expect(new Webhook(secret).verify(one.body, headers)).toEqual(JSON.parse(one.body));
  }
});

/** Over the raw bytes, by another program. */
async function hmacOf({ body }: Received): Promise<string> {
  const command = ["openssl", "dgst", "-sha256", "-hmac", secret];
  const child = Bun.spawn(command, { stdin: Buffer.from(body), stdout: "pipe" });
  return (await new Response(child.stdout).text()).trim().split(" ").at(-1) ?? "";
}

test("the chat is told of each issue", async () => {
  const told = () =>
    shop.chat.received.flatMap(({ body }) => JSON.parse(body).text.match(/New issue/g) ?? []);
  await until(
    "messages",
    async () => told().length,
    (length) => length === 2,
  );
  for (const { path, headers, body } of shop.chat.received) {
    expect([path, headers.get("authorization")]).toEqual(["/chat.postMessage", "Bearer xoxb-for-tests"]);
    expect(JSON.parse(body)).toMatchObject({
      channel: "#agents",
      text: expect.stringContaining("/console/issues/"),
    });
    expect(headers.get("x-service-signature")).toBeNull();
  }
});

test("a recurrence links, and one of a fixed issue reopens it, without another issue.created", async () => {
  const before = shop.envelopes().length;
  await shop.order(["refused"]);
  expect(await scan()).toMatchObject({ scanned: 1, opened: 0, linked: 1, reopened: 0 });
  await arrived(before + 1);
  const again = shop.envelopes().at(-1);
  expect(again?.type).toBe("issue.trace.added");

  const path = `/v1/issues/${again?.data.object.id}`;
  expect((await shop.post(`${path}/close`, { resolution: "fixed" })).body.status).toBe("closed");
  await shop.order(["refused"]);
  expect(await scan()).toMatchObject({ opened: 0, linked: 1, reopened: 1 });
  await arrived(before + 2);
  expect(
    shop
      .envelopes()
      .slice(before)
      .map(({ type }) => type),
  ).toEqual(Array(2).fill("issue.trace.added"));
  expect((await shop.get(path)).body).toMatchObject({ status: "open", resolution: null, regressions: 1 });
  const regression = { count: 1, regressed_at: expect.stringMatching(/Z$/) };
  expect(
    shop
      .envelopes()
      .slice(before)
      .map(({ data }) => data.regression),
  ).toEqual([undefined, regression]);
  const { resources: history } = (await shop.get(`${path}/history`)).body;
  expect(history.map(({ kind }: { kind: string }) => kind)).toEqual(["regressed", "closed", "opened"]);
});

test("a scan that nobody ended, however often it was begun, is told of as failed", async () => {
  const before = shop.envelopes().length;
  const { all } = await issues();
  const session_id = all[0]?.session_id ?? "";
  // What a process leaves that was killed while it scanned, as those before it were.
  const id = Bun.randomUUIDv7();
  const began = Date.now() - 600_000;
  await shop.change(
    "insert into engine_runs (id, workspace_id, session_id, thread_id, run_id, status, lease_until, attempt, scanned, findings, opened, linked, reopened, started_at) values (?, ?, ?, 'thread', 'run', 'running', ?, 3, 0, 0, 0, 0, 0, ?)",
    ...[id, DEFAULT_WORKSPACE, session_id, began + 1_000, began],
  );
  await shop.post("/v1/engine/scan", { session_id });
  await arrived(before + 1);
  const failed = shop.envelopes().find(({ type }) => type === "issue.agent_run.failed");
  expect(failed?.data).toEqual({
    object: {
      ...{ tenant_id: DEFAULT_WORKSPACE, tenant_name: expect.any(String) },
      ...{ session_id, session_name: "project", url: `${shop.berth.url}/console/sessions/${session_id}` },
      ...{ thread_id: "thread", run_id: "run", status: "timeout" },
      ...{ error_message: expect.stringMatching(/\S/), occurred_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    },
  });
  expect((await shop.get(`/v1/engine/runs/${id}`)).body).toMatchObject({ status: "timeout" });
});

test("deliveries are counted by how they ended", async () => {
  const text = await (await fetch(`${shop.berth.url}/metrics`)).text();
  const delivered = /^berth_webhook_deliveries_total\{outcome="ok",verdict="delivered"\} (\d+)$/m.exec(text);
  expect(Number(delivered?.[1])).toBeGreaterThanOrEqual(shop.receiver.received.length);
  expect(text).toContain(`berth_webhook_attempt_seconds_count ${delivered?.[1]}`);
  expect(text).toContain("berth_webhook_lease_expired_total 0");
});

test("what the engine does is in no public list", async () => {
  const { body: threads } = await shop.post("/threads/search", { limit: 1000 });
  const { body: assistants } = await shop.post("/assistants/search", { limit: 1000 });
  expect(threads).toEqual([]);
  expect(assistants.map(({ graph_id }: { graph_id: string }) => graph_id)).toEqual(["shop"]);
});
