import { afterAll, beforeAll, expect, test } from "bun:test";
import { isSigned } from "../../server/delivery/signature.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { idOf, type Receiver, startReceiver } from "../server/delivery/receiver.ts";
import { notLong, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";

type Subscription = { id: string; secret: string };
type Delivery = { id: string; state: string; try_count: number };

let berth: BerthProcess;
let receiver: Receiver;
const env = { WEBHOOK_ALLOW: "127.0.0.0/8", WEBHOOK_BACKOFF: "0", ENGINE_INTERVAL: "0", LOG_LEVEL: "debug" };

beforeAll(async () => {
  receiver = startReceiver();
  berth = await start({ env });
});
afterAll(async () => {
  receiver.stop();
  await berth.stop();
});

async function ask<T>(method: string, path: string, body?: object): Promise<{ status: number; json: T }> {
  const response = await fetch(`${berth.url}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? null : JSON.parse(text) };
}

const subscribe = async (more: object = {}): Promise<Subscription> => {
  const wanted = { url: `${receiver.url}hook`, severity_threshold: 3, ...more };
  const { json } = await ask<Subscription>("POST", "/v1/issue-webhooks", wanted);
  return json;
};
/** @returns the id of the delivery */
const sample = async ({ id }: Subscription): Promise<string> =>
  (await ask<Delivery>("POST", `/v1/issue-webhooks/${id}/test`)).json.id;
const came = (id: string) => receiver.received.filter((received) => idOf(received) === id);
const deliveryIs = (id: string, state: string) =>
  until(
    `${id} to be ${state}`,
    async () => (await ask<Delivery>("GET", `/v1/deliveries/${id}`)).json,
    (delivery) => delivery.state === state,
  );

test("a sample goes out at once, signed, and the log has no secret of it", async () => {
  const subscription = await subscribe({ headers: { Authorization: "Bearer of-a-subscriber" } });
  const id = await sample(subscription);
  await deliveryIs(id, "delivered");
  const [received] = came(id);
  if (!received) throw new Error("nothing came");
  const bytes = new TextEncoder().encode(received.body);
  expect(isSigned(bytes, received.headers.get("x-service-signature"), subscription.secret)).toBe(true);
  expect(received.headers.get("authorization")).toBe("Bearer of-a-subscriber");
  expect(JSON.parse(received.body)).toMatchObject({
    type: "issue.created",
    data: {
      object: {
        name: expect.stringContaining("Test"),
        severity: 3,
        url: expect.stringContaining(`/console/webhooks/${subscription.id}`),
      },
    },
  });
  for (const words of [subscription.secret, "of-a-subscriber"]) expect(berth.output()).not.toContain(words);
});

test("what fails is tried four times, and again when somebody asks, with the same bytes", async () => {
  const subscription = await subscribe();
  receiver.answer(() => 500);
  const id = await sample(subscription);
  expect(await deliveryIs(id, "dead")).toMatchObject({ try_count: 4 });
  receiver.answer(() => 200);
  expect((await ask("POST", `/v1/deliveries/${id}/redeliver`)).status).toBeLessThan(300);
  await until(
    "the fifth to come",
    async () => came(id).length,
    (count) => count === 5,
  );
  await deliveryIs(id, "delivered");
  expect(new Set(came(id).map(({ body }) => body)).size).toBe(1);
});

test("a channel by its name is refused where no chat is set, and the answer says what to set", async () => {
  const { status, json } = await ask<{ message: string }>("POST", "/v1/issue-webhooks", {
    channel: "#agents",
    severity_threshold: 3,
  });
  expect([status, json.message]).toEqual([422, expect.stringContaining("CHAT_TOKEN")]);
});

test("a private address is refused when a subscription is made, unless it was opened", async () => {
  const refused = [
    "http://10.0.0.1/",
    "http://169.254.169.254/latest",
    "http://[fd00::1]/",
    `${berth.url}/v1/keys`,
  ];
  for (const url of [...refused, "http://user:pass@example.com/", "ftp://example.com/"]) {
    const { status } = await ask("POST", "/v1/issue-webhooks", { url, severity_threshold: 3 });
    expect([url, status]).toEqual([url, 422]);
  }
});

// Half a minute: the lease of what was on its way has to end. The crash rounds turn the clock instead.
testUnless(notLong)(
  "what is on its way when the process is killed comes again after the next start",
  async () => {
    const subscription = await subscribe();
    const held = Promise.withResolvers<number>();
    receiver.answer(() => held.promise);
    const id = await sample(subscription);
    await until("it to be on its way", async () => came(id).length === 1);
    await berth.kill9();
    held.resolve(200);
    receiver.answer(() => 200);
    berth = await berth.restartOnSameData();
    await until(
      "it to come again",
      async () => came(id).length,
      (count) => count === 2,
    );
    await deliveryIs(id, "delivered");
    expect(new Set(came(id).map(({ body }) => body)).size).toBe(1);
  },
  TEST_LIMIT_MS,
);
