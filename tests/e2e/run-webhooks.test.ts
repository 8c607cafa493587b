import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { openShop, type Shop, TOKEN } from "./issues/shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ WEBHOOK_BACKOFF: "0" });
});
afterAll(() => shop.close());

const run = (webhook: string, fault?: string) =>
  shop.post("/runs/wait", {
    assistant_id: "shop",
    input: { order: 7, fault },
    webhook,
    on_completion: "keep",
  });

/** What the receiver got next. */
async function told(count: number) {
  await until(
    "a webhook",
    async () => shop.receiver.received.length,
    (length) => length === count,
  );
  const one = shop.receiver.received[count - 1];
  return { headers: one?.headers, body: JSON.parse(one?.body ?? "") };
}

test("a run's webhook gets the run and its values, with the project's headers and no signature", async () => {
  expect((await run(shop.receiver.url)).status).toBe(200);
  const { headers, body } = await told(1);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(body).toEqual({
    ...{ run_id: expect.any(String), thread_id: expect.any(String), assistant_id: expect.any(String) },
    ...{
      created_at: time,
      updated_at: time,
      run_started_at: time,
      run_ended_at: time,
      webhook_sent_at: time,
    },
    ...{ status: "success", error: null, values: { order: 7, found: "order 7" } },
    metadata: expect.objectContaining({ graph_id: "shop" }),
    kwargs: expect.objectContaining({ webhook: shop.receiver.url, input: { order: 7 } }),
    multitask_strategy: "enqueue",
  });
  expect(headers?.get("content-type")).toBe("application/json");
  expect(headers?.get("authorization")).toBe(`Bearer ${TOKEN}`);
  expect(headers?.get("x-service-signature")).toBeNull();
  const { body: log } = await shop.get("/v1/deliveries?type=run.completed");
  expect(log.resources).toMatchObject([{ url: shop.receiver.url, subscription_id: null }]);
});

test("a run that fails says how", async () => {
  await run(shop.receiver.url, "broken");
  const { body } = await told(2);
  expect(body).toMatchObject({
    status: "error",
    values: { order: 7, fault: "broken" },
    error: expect.stringContaining("has no items"),
  });
});

test("a run that is cancelled before it began says so, by a cancel or by the run that takes its place", async () => {
  const { body: thread } = await shop.post("/threads", {});
  const runs = `/threads/${thread.thread_id}/runs`;
  await shop.post(`${runs}/wait`, { assistant_id: "shop", input: { order: 7 } });
  const waiting = { assistant_id: "shop", webhook: shop.receiver.url, after_seconds: 1_000 };
  const interrupted = {
    status: "interrupted",
    run_started_at: null,
    run_ended_at: expect.any(String),
    values: { order: 7, found: "order 7" },
    error: null,
  };
  const first = (await shop.post(runs, waiting)).body;
  await shop.post(`${runs}/${first.run_id}/cancel`);
  expect((await told(3)).body).toMatchObject({ ...interrupted, run_id: first.run_id });
  const second = (await shop.post(runs, waiting)).body;
  const newer = { assistant_id: "shop", input: { order: 8 }, multitask_strategy: "interrupt" };
  await shop.post(`${runs}/wait`, newer);
  expect((await told(4)).body).toMatchObject({ ...interrupted, run_id: second.run_id });
  // One that is rolled back is as if it had never been.
  const third = (await shop.post(runs, waiting)).body;
  await shop.post(`${runs}/${third.run_id}/cancel?action=rollback`);
  const { body: log } = await shop.get("/v1/deliveries?type=run.completed&limit=100");
  expect(JSON.stringify(log)).not.toContain(third.run_id);
  expect(log.resources).toHaveLength(4);
});

test("one that is not taken is sent again, the same, until it is", async () => {
  const before = shop.receiver.received.length;
  shop.receiver.answer((_, count) => (count === before + 1 ? 503 : 200));
  await run(shop.receiver.url);
  await until("the second attempt", async () => shop.receiver.received.length >= before + 2);
  const [first, second] = shop.receiver.received.slice(before);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
  await until(
    "the log of both attempts",
    async () => (await shop.get("/v1/deliveries?type=run.completed&limit=1")).body.resources[0].attempt_count,
    (attempts) => attempts === 2,
  );
  shop.receiver.answer(() => 200);
});

test("a webhook that is only a path is the project's own app's", async () => {
  await run("/hook");
  const hooks = await until(
    "the app's hook",
    async () => (await shop.get("/hook")).body as { authorization: string; body: { status: string } }[],
    (all) => all.length === 1,
  );
  expect(hooks[0]).toMatchObject({ authorization: `Bearer ${TOKEN}`, body: { status: "success" } });
});

test("a cron's runs tell its webhook", async () => {
  const before = shop.receiver.received.length;
  const cron = {
    assistant_id: "shop",
    schedule: "0 0 1 1 *",
    input: { order: 1 },
    webhook: shop.receiver.url,
  };
  const { status, body } = await shop.post("/runs/crons", cron);
  expect(status).toBe(200);
  await shop.change("update crons set next_run_at = ? where cron_id = ?", Date.now(), body.cron_id);
  await until("the cron's run", async () => shop.receiver.received.length > before);
  await shop.send("DELETE", `/runs/crons/${body.cron_id}`);
  expect(JSON.parse(shop.receiver.received[before]?.body ?? "").metadata.cron_id).toBe(body.cron_id);
});

test.each([
  ["http://169.254.169.254/latest/meta-data"],
  ["http://example.com/hook"],
  ["http://10.0.0.1/hook"],
  ["//127.0.0.1/hook"],
  ["ftp://127.0.0.1/hook"],
  ["http://user:pass@127.0.0.1:9999/"],
  ["hook"],
])("a run is refused whose webhook is %s", async (webhook) => {
  const refused = await run(webhook);
  expect([refused.status, refused.body.detail?.[0]?.loc]).toEqual([422, ["body", "webhook"]]);
  // An address may have a token in it.
  expect(refused.body.detail?.[0]).not.toHaveProperty("input");
  const cron = { assistant_id: "shop", schedule: "0 0 1 1 *", webhook };
  expect((await shop.post("/runs/crons", cron)).status).toBe(422);
});
