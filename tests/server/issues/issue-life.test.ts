import { afterAll, beforeAll, expect, test } from "bun:test";
import { openIssueRig, type Rig, resources, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openIssueRig();
  await rig.fail(4);
});
afterAll(() => rig.close());

async function theIssue() {
  const [issue] = resources(await rig.get("/v1/issues"));
  return `/v1/issues/${issue?.id}`;
}

test("an issue says what it comes to now", async () => {
  const { body } = await rig.get(await theIssue());
  expect(body).toMatchObject({
    ...{ regressions: 0, regressed_at: null, fixed_in_next_revision: false, severity_reason: "" },
    figures: {
      ...{ runs: 4, shown: 4, share: 1, handled: false, first_revision: null, last_revision: null },
      recent_trace: {
        trace_id: expect.any(String),
        url: expect.stringMatching(/^http:\/\/berth\.example\/console\/traces\/[-\da-f]{36}\?span=/),
        start_time: expect.stringMatching(/Z$/),
      },
      typical_trace: { run_id: expect.any(String) },
    },
  });
  expect(body).not.toHaveProperty("known_revisions");
});

test("what people do is in its history, with whose key it was", async () => {
  const path = await theIssue();
  await rig.post(`${path}/mute`, { until: "2030-01-01T00:00:00Z" });
  await rig.post(`${path}/unmute`);
  await rig.patch(path, { severity: 0, name: "Mine" });
  await rig.post(`${path}/close`, { resolution: "wont_fix" });
  await rig.post(`${path}/reopen`);
  const all = resources(await rig.get(`${path}/history`));
  const by = { key_id: null, name: "operator" };
  expect(all.map(({ kind, actor, by: who, detail }) => [kind, actor, who, detail])).toEqual([
    ["reopened", "person", by, {}],
    ["closed", "person", by, { resolution: "wont_fix" }],
    ["worded", "person", by, { name: "Mine" }],
    ["severity", "person", by, { from: 1, to: 0 }],
    ["unmuted", "person", by, {}],
    ["muted", "person", by, { until: "2030-01-01T00:00:00.000Z" }],
    ["opened", "engine", null, { traces: 4 }],
  ]);
  expect(all.every(({ at }) => typeof at === "string")).toBe(true);
  expect(resources(await rig.get(`${path}/history?limit=1&offset=6`))).toMatchObject([{ kind: "opened" }]);
  expect((await rig.get(path)).body.severity_reason).toBe("Somebody chose it");
});

test("fixed in the next revision is refused where runs name none, or where it is not fixed", async () => {
  const path = await theIssue();
  const refused = await rig.post(`${path}/close`, { resolution: "fixed", in_next_revision: true });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain("name no revision");
  const odd = await rig.post(`${path}/close`, { resolution: "wont_fix", in_next_revision: true });
  expect(odd.status).toBe(422);
  expect((await rig.get(path)).body.status).toBe("open");
});

test("nobody sees another workspace's history and failures", async () => {
  await rig.fail(1, ["seen once"]);
  const stranger = await rig.stranger();
  expect((await stranger.get(`${await theIssue()}/history`)).status).toBe(404);
  expect((await rig.get(`/v1/issues/${UNKNOWN_ID}/history`)).status).toBe(404);
  expect((await stranger.get("/v1/failures")).body).toEqual({
    ...{ resources: [], offset: 0, total: 0, failed_runs: 0, failed_runs_without_issue: 0 },
  });
  expect((await rig.as(null).get("/v1/failures")).status).toBe(401);
});

test("what was seen once is listed, found, and becomes an issue", async () => {
  await rig.fail(2, ["\u001b[31mrare\u202e thing"]);
  const all = await rig.get("/v1/failures");
  expect(all.body).toMatchObject({ total: 2, offset: 2, failed_runs: 7, failed_runs_without_issue: 3 });
  const found = resources(await rig.get("/v1/failures?q=RARE"));
  expect(found).toMatchObject([
    { message: "rare thing", reason: "It threw rare thing", traces: 2, detector: "exception", tool: null },
  ]);
  expect((await rig.get(`/v1/traces/${found[0]?.trace_id}`)).status).toBe(200);
  await rig.fail(3, ["seen once"]);
  expect((await rig.get("/v1/failures")).body).toMatchObject({ total: 1, failed_runs_without_issue: 2 });
});

test("a damaged trace says so, and its list is there", async () => {
  const [trace] = resources(await rig.get("/v1/traces?limit=1"));
  const id = String(trace?.id);
  await rig.db.write((tx) => tx.updateTable("traces").set({ metadata: "{" }).where("id", "=", id).execute());
  expect(resources(await rig.get("/v1/traces?limit=1"))).toMatchObject([
    { id, metadata: { __unreadable__: true }, tags: [] },
  ]);
  expect((await rig.get(`/v1/traces/${id}`)).body).toMatchObject({ id, spans: [] });
});
