import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openIssueRig, type Rig, resources, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
const hook = { url: "http://127.0.0.1:4000/hook", severity_threshold: 2 };

beforeAll(async () => {
  rig = await openIssueRig();
});
afterAll(() => rig.close());

async function created(more: object = {}) {
  const { status, body } = await rig.post("/v1/issue-webhooks", { ...hook, ...more });
  expect(status).toBe(201);
  return { ...body, id: String(body.id), secret: body.secret as string | undefined };
}

const faults = ({ body }: { body: Record<string, unknown> }) =>
  (body.detail as { loc: string[] }[]).map(({ loc }) => loc.join("."));

describe("a subscription", () => {
  test("shows its secret when it is made and when it is rolled, and at no other time", async () => {
    const { id, secret, ...rest } = await created({ headers: { Authorization: "Bearer hush" } });
    expect(secret).toMatch(/^whsec_.{40,}/);
    expect(rest).toEqual({
      ...{ ...hook, session_id: null, event_types: ["issue.created"], notice: null },
      ...{ headers: { Authorization: "********" }, state: "active" },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    });
    const path = `/v1/issue-webhooks/${id}`;
    const rolled = await rig.post(`${path}/roll`);
    expect(rolled.status).toBe(200);
    expect(rolled.body.secret).toMatch(/^whsec_/);
    expect(rolled.body.secret).not.toBe(secret);
    expect(await rig.subscriptions.secretOf(id)).toBe(String(rolled.body.secret));
    const own = "a secret that somebody chose";
    expect((await rig.post(`${path}/roll`, { secret: own })).body.secret).toBe(own);
    for (const answer of [
      await rig.get(path),
      await rig.patch(path, { severity_threshold: 0 }),
      await rig.post(`${path}/disable`),
      await rig.post(`${path}/enable`),
      await rig.get("/v1/issue-webhooks"),
    ]) {
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer.body)).not.toMatch(/secret|hush/);
    }
  });

  test("has its secrets in no answer, however wrong the body is", async () => {
    const bodies = [
      { ...hook, severity_threshold: "high", secret: "leaked-1".repeat(200) },
      { url: hook.url, headers: { Authorization: "leaked-2" }, secret: "leaked-3".repeat(4) },
      { ...hook, headers: { Authorization: ["leaked-4"] } },
      { ...hook, headers: "leaked-5" },
      { severity_threshold: 1, channel: ` https://hooks.example/leaked-6` },
    ];
    const { id } = await created();
    const answers = [
      ...(await Promise.all(bodies.map((body) => rig.post("/v1/issue-webhooks", body)))),
      await rig.patch(`/v1/issue-webhooks/${id}`, { secret: "leaked-7".repeat(4) }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).not.toContain("leaked");
    }
  });

  test("takes a secret of 24 bytes, whatever its characters", async () => {
    expect((await created({ secret: "é".repeat(12) })).secret).toBe("é".repeat(12));
    expect(faults(await rig.post("/v1/issue-webhooks", { ...hook, secret: "x".repeat(23) }))).toEqual([
      "body.secret",
    ]);
  });

  test.each([
    [{ severity_threshold: 1 }, ["body.url"]],
    [{ ...hook, channel: "#agents" }, ["body.url", "body.channel"]],
    [{ channel: "#agents", severity_threshold: 1, secret: "x".repeat(30) }, ["body.secret"]],
    [{ channel: "#agents", severity_threshold: 1, headers: { "X-A": "a" } }, ["body.headers"]],
    [{ url: hook.url }, ["body.severity_threshold"]],
    [{ ...hook, severity_threshold: 4 }, ["body.severity_threshold"]],
    [{ ...hook, event_types: ["issue.closed"] }, ["body.event_types.0"]],
    [{ ...hook, headers: { "content-type": "text/plain" } }, ["body.headers.content-type"]],
    [{ ...hook, headers: { "X-Service-Signature": "sha256=0" } }, ["body.headers.X-Service-Signature"]],
    [{ ...hook, headers: { "webhook-id": "1" } }, ["body.headers.webhook-id"]],
    [{ ...hook, headers: { "X-A": "a\r\nHost: b" } }, ["body.headers.X-A"]],
    [{ ...hook, headers: { "X-A": "********" } }, ["body.headers.X-A"]],
    [{ channel: "https://127.0.0.1:1/********", severity_threshold: 1 }, ["body.channel"]],
    [{ ...hook, url: "http://169.254.169.254/latest" }, ["body.url"]],
    [{ ...hook, url: "http://[::ffff:10.0.0.1]/" }, ["body.url"]],
    [{ ...hook, url: "http://0x0a000001/" }, ["body.url"]],
    [{ ...hook, url: "http://user:pass@127.0.0.1:4000/" }, ["body.url"]],
    [{ ...hook, url: "file:///etc/passwd" }, ["body.url"]],
    [{ channel: "https://10.0.0.1/services/T0", severity_threshold: 1 }, ["body.channel"]],
  ])("is refused: %j", async (body, places) => {
    const answer = await rig.post("/v1/issue-webhooks", body);
    expect(answer.status).toBe(422);
    expect(faults(answer)).toEqual(places);
  });

  test("to a channel has neither a secret nor headers, and can have none", async () => {
    const { status, body } = await rig.post("/v1/issue-webhooks", {
      ...{ channel: "#agents", severity_threshold: 3 },
      event_types: ["issue.created", "issue.agent_run.failed", "issue.created"],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      channel: "#agents",
      event_types: ["issue.created", "issue.agent_run.failed"],
    });
    expect(Object.keys(body)).not.toContain("secret");
    expect(Object.keys(body)).not.toContain("url");
    const path = `/v1/issue-webhooks/${body.id}`;
    expect((await rig.post(`${path}/roll`)).status).toBe(409);
    expect((await rig.patch(path, { headers: { "X-A": "a" } })).status).toBe(422);
    expect((await rig.patch(path, { url: hook.url })).status).toBe(409);
    expect((await rig.patch(path, { channel: "#others" })).body.channel).toBe("#others");
  });

  test("to the address of a chat shows it when it is made, and no more than its host later", async () => {
    const channel = "http://127.0.0.1:4000/services/hush";
    const { status, body } = await rig.post("/v1/issue-webhooks", { channel, severity_threshold: 3 });
    expect([status, body.channel]).toEqual([201, channel]);
    const path = `/v1/issue-webhooks/${body.id}`;
    const masked = "http://127.0.0.1:4000/********";
    expect((await rig.get(path)).body.channel).toBe(masked);
    expect((await rig.patch(path, { channel: masked })).body.channel).toBe(masked);
    expect((await rig.patch(path, { channel: "http://10.0.0.1/********" })).status).toBe(422);
  });

  test("is checked again when its address changes, and keeps headers that were masked", async () => {
    const { id } = await created({ headers: { "X-A": "first" } });
    const path = `/v1/issue-webhooks/${id}`;
    expect((await rig.patch(path, { url: "http://10.0.0.1/" })).status).toBe(422);
    expect((await rig.patch(path, { secret: "a secret of twenty-four bytes" })).status).toBe(422);
    const changed = await rig.patch(path, { headers: { "X-A": "********", "X-B": "second" } });
    expect(changed.body.headers).toEqual({ "X-A": "********", "X-B": "********" });
    await rig.outbox.test(rig.workspaceId, id);
    const claimed = await rig.outbox.claim("w", rig.clock.now(), { total: 5, perSubscription: 5 });
    expect(claimed.map(({ headers }) => headers)).toEqual([{ "X-A": "first", "X-B": "second" }]);
  });

  test("names a tracing project that there is", async () => {
    const session_id = UNKNOWN_ID;
    expect((await rig.post("/v1/issue-webhooks", { ...hook, session_id })).status).toBe(404);
    const session = await rig.fail(1);
    const { id } = await created({ session_id: session.id.toUpperCase() });
    const listed = await rig.get(`/v1/issue-webhooks?session_id=${session.id}`);
    expect(resources(listed).map((subscription) => subscription.id)).toEqual([id]);
    expect((await rig.patch(`/v1/issue-webhooks/${id}`, { session_id: null })).body.session_id).toBeNull();
    expect((await rig.remove(`/v1/issue-webhooks/${id}`)).status).toBe(204);
    expect((await rig.get(`/v1/issue-webhooks/${id}`)).status).toBe(404);
  });
});
