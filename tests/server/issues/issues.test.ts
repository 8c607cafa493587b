import { afterAll, beforeAll, expect, test } from "bun:test";
import { openIssueRig, type Rig, resources, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openIssueRig();
  await rig.post("/v1/issue-webhooks", {
    ...{ url: "http://127.0.0.1:4000/hook", severity_threshold: 3 },
    event_types: ["issue.created", "issue.trace.added"],
  });
  await rig.fail(4, ["boom", "<script>bang"]);
});
afterAll(() => rig.close());

async function issueNamed(name: string) {
  const found = resources(await rig.get("/v1/issues?limit=100")).find((issue) => issue.name === name);
  return { ...found, id: String(found?.id) };
}

test("issues are listed with what they are recognised by, a page at a time", async () => {
  const first = await rig.get("/v1/issues?limit=1");
  const second = await rig.get(`/v1/issues?limit=1&offset=${first.body.offset}`);
  const names = [...resources(first), ...resources(second)].map(({ name }) => name);
  expect(names.sort()).toEqual(["<script>bang", "boom"]);
  const boom = await issueNamed("boom");
  expect(boom).toMatchObject({
    ...{ severity: 1, status: "open", trace_count: 4, muted_until: null },
    fingerprints: [{ fingerprint: "boom", detector: "exception", reason: "It threw boom" }],
    url: `http://berth.example/console/issues/${boom.id}`,
  });
  const traces = await rig.get(`/v1/issues/${boom.id}/traces?limit=3`);
  expect(resources(traces)).toHaveLength(3);
  const counts = resources(await rig.get(`/v1/issues/${boom.id}/occurrences?by=day`));
  expect(counts.reduce((sum, { traces: seen }) => sum + Number(seen), 0)).toBe(4);
});

test("a trace is found by its error, and shows its spans", async () => {
  const found = resources(await rig.get("/v1/traces?status=error&error=BANG"));
  expect(found).toHaveLength(4);
  const whole = await rig.get(`/v1/traces/${found[0]?.id}`);
  expect(whole.body).toMatchObject({
    ...found[0],
    spans: [{ name: "agent", inputs: { asked: "<b>" }, outputs: null }],
    feedback: [],
  });
  const issues = resources(await rig.get(`/v1/issues?trace_id=${found[0]?.id}`));
  expect(issues.map(({ name }) => name)).toEqual(["<script>bang"]);
  const first = await rig.get("/v1/traces?limit=5");
  const rest = await rig.get(`/v1/traces?limit=5&cursor=${first.body.next}`);
  expect([resources(first).length, resources(rest).length, rest.body.next]).toEqual([5, 3, null]);
  expect((await rig.get("/v1/traces?cursor=none")).status).toBe(400);
  expect((await rig.get("/v1/traces?from=2026-02-30T00:00:00Z")).status).toBe(422);
});

test("people close, reopen, mute and word an issue", async () => {
  const { id } = await issueNamed("boom");
  const path = `/v1/issues/${id}`;
  expect((await rig.post(`${path}/close`, { resolution: "fixed" })).body).toMatchObject({
    ...{ status: "closed", resolution: "fixed", closed_at: expect.any(String) },
  });
  expect((await rig.post(`${path}/reopen`)).body).toMatchObject({ status: "open", resolution: null });
  expect((await rig.post(`${path}/mute`)).body.muted_until).toBe("9999-12-31T23:59:59.999Z");
  expect(resources(await rig.get("/v1/issues?muted=true"))).toHaveLength(1);
  expect((await rig.post(`${path}/unmute`)).body.muted_until).toBeNull();
  expect((await rig.post(`${path}/mute`, { until: "2001-01-01T00:00:00Z" })).status).toBe(422);
  const worded = await rig.patch(path, { severity: 3, description: "Known." });
  expect(worded.body).toMatchObject({ severity: 3, severity_kept: true, text_kept: true, name: "boom" });
});

test("issues are merged and split", async () => {
  const [boom, bang] = [await issueNamed("boom"), await issueNamed("<script>bang")];
  const merged = await rig.post(`/v1/issues/${bang.id}/merge`, { into: boom.id.toUpperCase() });
  expect(merged.body).toMatchObject({ id: boom.id, trace_count: 8 });
  expect((await rig.get(`/v1/issues/${bang.id}`)).body).toMatchObject({
    status: "closed",
    merged_into: boom.id,
  });
  expect((await rig.post(`/v1/issues/${bang.id}/reopen`)).status).toBe(409);
  expect((await rig.post(`/v1/issues/${boom.id}/merge`, { into: boom.id })).status).toBe(400);
  const split = await rig.post(`/v1/issues/${boom.id}/split`, {
    fingerprints: ["<script>bang"],
    name: "Again",
  });
  expect([split.status, split.body.name, split.body.trace_count]).toEqual([201, "Again", 4]);
  expect((await rig.post(`/v1/issues/${boom.id}/split`, {})).status).toBe(422);
});

test("deliveries are listed with their bytes, and sent again", async () => {
  const all = resources(await rig.get("/v1/deliveries?limit=100"));
  expect(all).toHaveLength(10);
  const created = resources(await rig.get("/v1/deliveries?type=issue.created"));
  expect(created).toHaveLength(2);
  const id = String(created[0]?.id);
  const { body } = await rig.get(`/v1/deliveries/${id}`);
  expect(JSON.parse(String(body.body))).toMatchObject({ id, type: "issue.created" });
  expect(body).toMatchObject({ state: "queued", attempts: [], attempt_count: 0, test: false });
  const claims = await rig.outbox.claim("w", rig.clock.now(), { total: 10, perSubscription: 10 });
  expect((await rig.post(`/v1/deliveries/${id}/redeliver`)).status).toBe(409);
  for (const claim of claims) {
    await rig.outbox.began(claim, rig.clock.now());
    const end = { outcome: "http" as const, status: 400, retry: false, durationMs: 1 };
    await rig.outbox.finish(claim, end, rig.clock.now());
  }
  const webhook = `/v1/issue-webhooks/${resources(await rig.get("/v1/issue-webhooks"))[0]?.id}`;
  const made = all.map(({ created_at }) => String(created_at)).sort();
  const missed = { cancelled: 0, since: made[0], until: made.at(-1) };
  expect((await rig.get(`${webhook}/missed`)).body).toEqual({ ...missed, dead: 10 });
  const sent = (await rig.get(`/v1/deliveries/${id}`)).body;
  expect(sent).toMatchObject({ state: "dead", attempts: [{ number: 1, outcome: "http", status: 400 }] });
  expect((await rig.post(`/v1/deliveries/${id}/redeliver`)).status).toBe(202);
  expect((await rig.get(`${webhook}/missed`)).body).toMatchObject({ dead: 9 });
  const range = { since: "2026-01-01T00:00:00Z" };
  const key = { "idempotency-key": "once" };
  expect((await rig.post("/v1/deliveries/redeliver", range, key)).body).toEqual({ queued: 9 });
  expect((await rig.post("/v1/deliveries/redeliver", range, key)).body).toEqual({ queued: 9 });
  expect((await rig.post("/v1/deliveries/redeliver", range)).body).toEqual({ queued: 0 });
  const nothing = { dead: 0, cancelled: 0, since: null, until: null };
  expect((await rig.get(`${webhook}/missed`)).body).toEqual(nothing);
});

test("a scan is of one project or of all, and answers with what it came to", async () => {
  const session = await rig.fail(1);
  const scanned = await rig.post("/v1/engine/scan", { session_id: session.id.toUpperCase() });
  expect(rig.asked.at(-1)).toEqual({ workspaceId: rig.workspaceId, sessionId: session.id });
  const [run] = resources(scanned);
  expect(run).toMatchObject({ session_id: session.id, status: "success", error_message: null });
  expect((await rig.get(`/v1/engine/runs/${run?.id}`)).body).toEqual({ ...run });
  expect(resources(await rig.get(`/v1/engine/runs?session_id=${session.id}&status=error`))).toEqual([]);
  await rig.post("/v1/engine/scan");
  expect(rig.asked.at(-1)).toEqual({ workspaceId: rig.workspaceId });
  expect((await rig.post("/v1/engine/scan", { session_id: UNKNOWN_ID })).status).toBe(404);
});

test("one project is the one that is served here", async () => {
  const session = resources(await rig.get("/v1/sessions?served=true"))[0];
  expect(session).toMatchObject({ name: "shop", served: true });
  expect(resources(await rig.get("/v1/sessions?served=true&name=another"))).toEqual([]);
});
