import { afterAll, beforeAll, expect, test } from "bun:test";
import { refuseRows } from "../statement.ts";
import { until } from "./condition.ts";
import { startModel } from "./issues/model.ts";
import { type Envelope, openShop, type Shop } from "./issues/shop.ts";
import { urlOf } from "./stored.ts";

const DEFAULT_WORKSPACE = "00000000-0000-4000-8000-000000000001";
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const KINDS = ["refused", "broken", "odd"];
/** What a scan may take that is to take too long: the others have the usual time, for the machine may be busy. */
const TIMEOUT_S = 3;

const model = startModel();
let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ ...model.env, RUN_LEASE_MS: "1000" });
  const event_types = ["issue.created", "issue.trace.added", "issue.agent_run.failed"];
  const hook = { url: `${shop.receiver.url}hook`, severity_threshold: 3, event_types };
  expect((await shop.post("/v1/issue-webhooks", hook)).status).toBe(201);
});
afterAll(async () => {
  await shop.close();
  model.stop();
});

const told = (type: string) => shop.envelopes().filter((event) => event.type === type);
const arrived = (type: string, count: number) =>
  until(
    `${count} of ${type}`,
    async () => told(type).length,
    (length) => length >= count,
  );
const eventOf = async ({ id }: { id: string }): Promise<Envelope> =>
  JSON.parse((await shop.get(`/v1/deliveries/${id}`)).body.body);
const newestScan = async () => (await shop.get("/v1/engine/runs")).body.resources[0];

test("a scan that is killed in the middle goes on: nothing is missing, nothing is there twice", async () => {
  await shop.order(KINDS.flatMap((kind) => [kind, kind, kind, kind]));
  // One issue is open, the findings of the next are kept, and nobody has looked for the third.
  const middle = Promise.withResolvers<void>();
  model.behaves((request) => {
    if (request === 2) middle.resolve();
    return request === 2 ? "hangs" : "answers";
  });
  const cut = shop.post("/v1/engine/scan").catch(() => "cut");
  // It must not be over before.
  expect(await Promise.race([middle.promise, cut])).toBeUndefined();
  await shop.killAndRestart();
  expect(await cut).toBe("cut");
  const scan = await until("the scan to end", newestScan, ({ status }) => status !== "running");
  expect(scan).toMatchObject({ status: "success", scanned: 12, opened: 3, linked: 12, reopened: 0 });
  expect((await shop.get("/v1/engine/runs")).body.resources).toHaveLength(1);

  const { resources: issues } = (await shop.get("/v1/issues")).body;
  expect(issues.map(({ trace_count }: { trace_count: number }) => trace_count)).toEqual([4, 4, 4]);
  // What was on its way when the process died comes again when its lease is over: too late for a test to wait for.
  const { resources: deliveries } = (await shop.get("/v1/deliveries?limit=100")).body;
  const events = await Promise.all(deliveries.map(eventOf));
  const named = events.map(({ type, data }) => `${type} ${data.object.id} ${data.trace?.trace_id}`);
  expect([named.length, new Set(named).size]).toEqual([15, 15]);
  expect(events.filter(({ type }) => type === "issue.created")).toHaveLength(3);
  expect(new Set(events.map(({ data }) => data.object.id)).size).toBe(3);
  expect((await shop.post("/v1/engine/scan")).body.resources).toEqual([]);
});

test("a scan that takes too long is told of, as a timeout", async () => {
  await shop.killAndRestart({ ENGINE_TIMEOUT_S: String(TIMEOUT_S) });
  model.behaves(() => "hangs");
  await shop.order(["slow", "slow", "slow"]);
  const { status, body } = await shop.post("/v1/engine/scan");
  expect([status, body.resources[0].status]).toEqual([200, "timeout"]);
  await arrived("issue.agent_run.failed", 1);
  expectFailure(`Run exceeded its limit of ${TIMEOUT_S} s`, "timeout", await newestScan());

  // What it had not done yet, the next one does.
  await shop.killAndRestart({ ENGINE_TIMEOUT_S: "300" });
  model.behaves(() => "answers");
  expect((await shop.post("/v1/engine/scan")).body.resources[0]).toMatchObject({
    ...{ status: "success", scanned: 3, opened: 1, linked: 3 },
  });
});

test("rows that something damaged are left out and counted, and stop no scan", async () => {
  const traces = async () => (await shop.get("/v1/traces?limit=100")).body.resources.length;
  const before = await traces();
  await shop.order(["torn", "torn", "torn"]);
  await until("their traces", traces, (count) => count === before + 3);
  await shop.change(
    "update traces set metadata = '{' where id in (select id from traces where unscanned = 1 order by id limit 2)",
  );
  const failed = told("issue.agent_run.failed").length;
  expect((await shop.post("/v1/engine/scan")).body.resources[0]).toMatchObject({
    ...{ status: "success", scanned: 3, unreadable: 2, opened: 0 },
  });
  expect((await shop.get("/v1/engine/runs")).body.resources[0]).toMatchObject({ unreadable: 2 });
  expect((await shop.get("/v1/traces")).status).toBe(200);
  await shop.order(["torn", "torn"]);
  expect((await shop.post("/v1/engine/scan")).body.resources[0]).toMatchObject({
    ...{ status: "success", scanned: 2, unreadable: 0, opened: 1, linked: 3 },
  });
  expect(told("issue.agent_run.failed")).toHaveLength(failed);
});

test("a scan that cannot write is told of, with its error", async () => {
  const accept = await refuseRows(await urlOf(shop.berth.data), {
    ...{ table: "findings", when: "true", saying: "the disk is full" },
  });
  await shop.order(["lost", "lost", "lost"]);
  const { status, body } = await shop.post("/v1/engine/scan");
  expect([status, body.resources[0].status]).toEqual([200, "error"]);
  await arrived("issue.agent_run.failed", 2);
  expectFailure("the disk is full", "error", await newestScan());

  await accept();
  expect((await shop.post("/v1/engine/scan")).body.resources[0]).toMatchObject({
    ...{ status: "success", scanned: 3, opened: 1, linked: 3 },
  });
});

type Scan = { session_id: string; thread_id: string; run_id: string; status: string; ended_at: string };

/** The newest event about a failed scan is this, and nothing more. */
function expectFailure(error_message: string, status: string, scan: Scan): void {
  const event = told("issue.agent_run.failed").at(-1);
  const { session_id, thread_id, run_id, ended_at: occurred_at } = scan;
  expect(event).toEqual({
    ...{ id: expect.stringMatching(UUID), type: "issue.agent_run.failed" },
    ...{ created: Math.floor(Date.parse(occurred_at) / 1_000), request_id: expect.stringMatching(UUID) },
    data: {
      object: {
        ...{ tenant_id: DEFAULT_WORKSPACE, tenant_name: "default", session_id, session_name: "project" },
        url: `${shop.berth.url}/console/sessions/${session_id}`,
        ...{ thread_id, run_id, status, error_message, occurred_at },
      },
    },
  });
}
