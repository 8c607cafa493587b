import { afterAll, beforeAll, expect, test } from "bun:test";
import { openIssueRig, type Rig, resources, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
let stranger: Awaited<ReturnType<Rig["stranger"]>>;
let ids: Record<string, string>;

/** A body that each operation would take, where it needs one. */
const BODIES: Record<string, () => object> = {
  "/v1/sessions/:session_id/grouping": () => ({ rules: [] }),
  "/v1/issues/:issue_id/merge": () => ({ into: ids.issue_id }),
  "/v1/issues/:issue_id/split": () => ({ fingerprints: ["boom"] }),
  "/v1/issues/:issue_id/close": () => ({ resolution: "fixed" }),
  "/v1/traces/:trace_id": () => ({ tags: ["seen"] }),
};

beforeAll(async () => {
  rig = await openIssueRig();
  stranger = await rig.stranger();
  const url = "http://127.0.0.1:4000/hook";
  const webhook = await rig.post("/v1/issue-webhooks", { url, severity_threshold: 3 });
  const session = await rig.fail(3, ["boom", "bang"]);
  await rig.fail(1, ["seen once"]);
  const price = { model: "m", input: 1, output: 1 };
  const idOf = async (path: string) => String(resources(await rig.get(path))[0]?.id);
  ids = {
    webhook_id: String(webhook.body.id),
    session_id: session.id,
    issue_id: await idOf("/v1/issues"),
    trace_id: await idOf("/v1/traces"),
    delivery_id: await idOf("/v1/deliveries"),
    price_id: String((await rig.send("PUT", "/v1/model-prices", price)).body.id),
    engine_run_id: await idOf("/v1/engine/runs"),
  };
});
afterAll(() => rig.close());

const EXPORT = "/v1/traces/export";
/** They answer sums and prices, which `figures.test.ts` asks as two workspaces, and a file. */
const NO_LISTS = new Set(["/v1/figures", "/v1/figures/csv", "/v1/model-prices", EXPORT]);

const operations = () =>
  rig.operations
    .map(({ spec: { method, path } }) => ({ method, path }))
    .filter(({ path }) => path.startsWith("/v1/"));

const at = (path: string, id: (name: string) => string) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => id(name));

test("somebody else's id answers exactly as an unknown one, everywhere", async () => {
  const before = (await rig.get("/v1/issues")).body;
  const withId = operations().filter(({ path }) => path.includes(":"));
  expect(withId.length).toBeGreaterThan(20);
  for (const { method, path } of withId) {
    const body = method === "GET" || method === "DELETE" ? undefined : (BODIES[path]?.() ?? {});
    const theirs = await stranger.send(
      method,
      at(path, (name) => ids[name] ?? ""),
      body,
    );
    const unknown = await stranger.send(
      method,
      at(path, () => UNKNOWN_ID),
      body,
    );
    expect([path, theirs.status, theirs.body]).toEqual([path, 404, unknown.body]);
  }
  expect((await rig.get("/v1/issues")).body).toEqual(before);
});

test("lists and bulk deeds see the rows of one workspace", async () => {
  const lists = operations().filter(
    ({ method, path }) => method === "GET" && !path.includes(":") && !NO_LISTS.has(path),
  );
  expect(lists).toHaveLength(7);
  for (const { path } of lists) {
    expect([path, resources(await stranger.get(path))]).toEqual([path, []]);
    expect([path, resources(await rig.get(path)).length > 0]).toEqual([path, true]);
  }
  const whole = `${EXPORT}?format=json`;
  expect([(await stranger.get(whole)).body, (await rig.get(whole)).body]).toEqual([
    [],
    expect.arrayContaining([expect.objectContaining({ id: ids.trace_id })]),
  ]);
  const range = { since: "2026-01-01T00:00:00Z", subscription_id: ids.webhook_id };
  expect((await stranger.post("/v1/deliveries/redeliver", range)).body).toEqual({ queued: 0 });
  const foreign = { channel: "#a", severity_threshold: 3, session_id: ids.session_id };
  expect((await stranger.post("/v1/issue-webhooks", foreign)).status).toBe(404);
  expect((await stranger.post("/v1/engine/scan", { session_id: ids.session_id })).status).toBe(404);
});

test("every operation asks for a key", async () => {
  const nobody = rig.as(null);
  for (const { method, path } of operations()) {
    const { status } = await nobody.send(
      method,
      at(path, (name) => ids[name] ?? ""),
      method === "GET" ? undefined : {},
    );
    expect([method, path, status]).toEqual([method, path, 401]);
  }
});
