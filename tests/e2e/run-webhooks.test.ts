import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { openShop, type Shop, TOKEN } from "./issues/shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
}, 40_000);
afterAll(() => shop.close(), 40_000);

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
    error: { error: "TypeError", message: expect.stringContaining("has no items") },
  });
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
  shop.change("update crons set next_run_at = ? where cron_id = ?", Date.now(), body.cron_id);
  await until("the cron's run", async () => shop.receiver.received.length > before);
  await shop.send("DELETE", `/runs/crons/${body.cron_id}`);
  expect(JSON.parse(shop.receiver.received[before]?.body ?? "").metadata.cron_id).toBe(body.cron_id);
}, 20_000);

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
  const cron = { assistant_id: "shop", schedule: "0 0 1 1 *", webhook };
  expect((await shop.post("/runs/crons", cron)).status).toBe(422);
});
