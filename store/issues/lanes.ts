import { sql } from "kysely";
import { prepared, type Tx } from "../database/index.ts";
import { DIRECT } from "./enqueue.ts";
import { paceOf, selectSubscription } from "./subscription.ts";

export type ClaimLimits = {
  /** At most so many requests altogether. */
  total: number;
  /** So many of one subscription, or one host, may be on their way at once, in whatever process. */
  perSubscription: number;
  /** Channels that take no message right now. */
  resting?: { has(pace: string): boolean } | undefined;
};

const LANES_AT_ONCE = 256;
/** As many events are told by one message. */
const MOST_IN_A_MESSAGE = 100;

type Id = { id: string };
/** What waits in a lane: each list is one request. */
type Waiting = { lane: string; requests: string[][] };

const selectDue = prepared<{ lane: string; now: number; limit: number }, Id>((db, { lane, now, limit }) =>
  db
    .selectFrom("deliveries")
    .select("id")
    .where("lane", "=", lane)
    .where("state", "=", sql.lit("queued"))
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .orderBy("id")
    .limit(limit),
);

const selectInOrder = prepared<{ lane: string; limit: number }, Id>((db, { lane, limit }) =>
  db
    .selectFrom("deliveries")
    .select("id")
    .where("lane", "=", lane)
    .where("state", "=", sql.lit("queued"))
    .orderBy("id")
    .limit(limit),
);

const selectAskedFor = prepared<{ lane: string; now: number; limit: number }, Id>(
  (db, { lane, now, limit }) =>
    db
      .selectFrom("deliveries")
      .select("id")
      .where("lane", "=", lane)
      .where("state", "=", sql.lit("queued"))
      .where("due_at", "<=", now)
      .where(({ or, eb }) => or([eb("manual", ">", 0), eb("test", "=", 1)]))
      .orderBy("due_at")
      .orderBy("id")
      .limit(limit),
);

const anyLater = prepared<{ lane: string; now: number }, Id>((db, { lane, now }) =>
  db
    .selectFrom("deliveries")
    .select("id")
    .where("lane", "=", lane)
    .where("state", "=", sql.lit("queued"))
    .where("due_at", ">", now)
    .limit(1),
);

/**
 * What is to be sent next, one request of each lane after the other.
 * @param after the lane that was served last
 * @returns the deliveries, and the lane that is served last now; undefined where nothing is due
 */
export async function nextInLanes(
  tx: Tx,
  now: number,
  limits: ClaimLimits,
  after: string,
): Promise<{ ids: string[]; lane: string | undefined }> {
  const lanes = await queuedLanes(tx, after);
  const busy = await leasedByLane(tx);
  const spoken = await pacesOf(tx, busy.keys());
  const waiting: Waiting[] = [];
  for (const lane of lanes) {
    const pace = await paceOfLane(tx, lane);
    const underWay = busy.get(lane) ?? 0;
    const limit = Math.min(limits.total, limits.perSubscription - underWay);
    if (pace === undefined) {
      const rows = limit > 0 ? await selectDue(tx, { lane, now, limit }) : [];
      if (rows.length > 0) waiting.push({ lane, requests: rows.map(({ id }) => [id]) });
      continue;
    }
    if (spoken.has(pace) || limits.resting?.has(pace)) continue;
    const told = await nextMessage(tx, lane, now);
    if (told.length === 0) continue;
    spoken.add(pace);
    waiting.push({ lane, requests: [told] });
  }
  return inTurns(waiting, limits.total);
}

/**
 * A channel is told in the order in which things happened: while a message waits for its next attempt, those behind
 * it wait, too. What somebody asked for again does not.
 */
async function nextMessage(tx: Tx, lane: string, now: number): Promise<string[]> {
  const isHeld = (await anyLater(tx, { lane, now })).length > 0;
  const limit = MOST_IN_A_MESSAGE;
  const rows = isHeld
    ? await selectAskedFor(tx, { lane, now, limit })
    : await selectInOrder(tx, { lane, limit });
  return rows.map(({ id }) => id);
}

/** Channels that a message is on its way to. */
async function pacesOf(tx: Tx, lanes: Iterable<string>): Promise<Set<string>> {
  const paces = new Set<string>();
  for (const lane of lanes) {
    const pace = await paceOfLane(tx, lane);
    if (pace !== undefined) paces.add(pace);
  }
  return paces;
}

async function paceOfLane(tx: Tx, lane: string): Promise<string | undefined> {
  if (lane.startsWith(DIRECT)) return undefined;
  const [subscription] = await selectSubscription(tx, { id: lane });
  return subscription && paceOf(subscription);
}

/** Lanes in which something waits, those behind `after` first: found one by one in the index. */
async function queuedLanes(tx: Tx, after: string): Promise<string[]> {
  const behind = await nextLanes(tx, after, LANES_AT_ONCE);
  if (after === "" || behind.length >= LANES_AT_ONCE) return behind;
  const before = await nextLanes(tx, "", LANES_AT_ONCE - behind.length);
  return [...behind, ...before.filter((lane) => lane <= after)];
}

async function nextLanes(tx: Tx, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    with recursive lanes (lane) as (
      select (select min(lane) from deliveries where state = 'queued' and lane > ${after})
      union all
      select (select min(lane) from deliveries where state = 'queued' and lane > lanes.lane)
      from lanes where lanes.lane is not null
    )
    select lane from lanes where lane is not null limit ${limit}`.execute(tx);
  return rows.map(({ lane }) => lane);
}

async function leasedByLane(tx: Tx): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom("deliveries")
    .select(["lane", (eb) => eb.fn.countAll<number>().as("total")])
    .where("state", "=", sql.lit("leased"))
    .groupBy("lane")
    .execute();
  return new Map(rows.map(({ lane, total }) => [lane, Number(total)]));
}

/** A request of each lane, then another one of each, until there are enough. */
function inTurns(waiting: Waiting[], most: number): { ids: string[]; lane: string | undefined } {
  const picked: { lane: string; request: string[] }[] = [];
  for (let turn = 0; picked.length < most; turn++) {
    const before = picked.length;
    for (const { lane, requests } of waiting) {
      const request = requests[turn];
      if (request && picked.length < most) picked.push({ lane, request });
    }
    if (picked.length === before) break;
  }
  return { ids: picked.flatMap(({ request }) => request), lane: picked.at(-1)?.lane };
}
