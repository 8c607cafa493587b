import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { eventsIn, pacedChat } from "./issues/paced-chat.ts";
import { openShop, type Shop } from "./issues/shop.ts";
import { query } from "./stored.ts";

const RUNS_OF_A_KIND = 61;
const LATE_RUNS = 3;
const SUBSCRIPTIONS = 2;
/** Two issues are opened, and told of with all their runs. */
const EVENTS = 2 + 2 * RUNS_OF_A_KIND + LATE_RUNS;
/** From the moment of the burst, the time in which the process was dead and its lease ran on included. */
const LONGEST_MS = 120_000;
const MOST_REFUSALS = 3;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

/** Each delivery in the order in which it was made, with the time at which it was sent last. */
function sentIn(lane: string): Promise<{ state: string; sent: number }[]> {
  const sql = `select deliveries.state, max(delivery_attempts.started_at) as sent
    from deliveries left join delivery_attempts on delivery_attempts.delivery_id = deliveries.id
    where lane = ? group by deliveries.id order by deliveries.id`;
  return query(shop.berth.data, sql, lane);
}

test("a process that is killed in the middle of a burst to a chat loses nothing of it, and keeps the order", async () => {
  const chat = pacedChat(shop.chat);
  const lanes: string[] = [];
  for (let at = 0; at < SUBSCRIPTIONS; at += 1) {
    const event_types = ["issue.created", "issue.trace.added"];
    const wanted = { channel: "#agents", severity_threshold: 3, event_types };
    lanes.push((await shop.post("/v1/issue-webhooks", wanted)).body.id);
  }
  await shop.order(Array.from({ length: 2 * RUNS_OF_A_KIND }, (_, at) => (at % 2 ? "refused" : "broken")));

  // Of the second message the chat has the bytes, and nobody hears that it has.
  const isCut = chat.arrivalOf(2);
  const began = Date.now();
  expect((await shop.post("/v1/engine/scan")).status).toBe(200);
  await isCut;
  await shop.killAndRestart();
  await shop.order(Array<string>(LATE_RUNS).fill("refused"));
  expect((await shop.post("/v1/engine/scan")).status).toBe(200);

  await until(
    "everything to be delivered",
    async () =>
      (await Promise.all(lanes.map(sentIn))).flat().filter(({ state }) => state !== "delivered").length,
    (left) => left === 0,
  );
  expect(Date.now() - began).toBeLessThan(LONGEST_MS);
  for (const lane of lanes) {
    const times = (await sentIn(lane)).map(({ sent }) => sent);
    expect(times).toHaveLength(EVENTS);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
  expect(eventsIn(chat.taken.map(({ text }) => text))).toBe(SUBSCRIPTIONS * EVENTS);
  expect(chat.refused()).toBeLessThanOrEqual(MOST_REFUSALS);
});
