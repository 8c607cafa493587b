import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { CONTROL_LEASE_MS, ControlLease, type Database, LeadershipLost, openDatabase } from "@berth/store";
import { getLogger } from "@logtape/logtape";
import { Leadership } from "../../../server/control/reconcile/leadership.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { standingClock, temporaryFolder } from "../../store/every-store.ts";

const clock = standingClock();
let folder: string;
let db: Database;
let said: string[];

beforeEach(async () => {
  folder = temporaryFolder();
  db = await openDatabase(await databaseUrl(join(folder, "berth.db")), clock);
  said = [];
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

const LEASE_MS = CONTROL_LEASE_MS;

function candidate(
  name: string,
  pid: number,
  fails = false,
  lease: Pick<ControlLease, "take" | "renew" | "release"> = new ControlLease(db, clock, () => true),
): Leadership {
  let trouble = fails;
  const reign = {
    begin: async () => {
      if (trouble) {
        trouble = false;
        throw new Error("no room");
      }
      said.push(`${name} begins`);
    },
    end: async () => void said.push(`${name} ends`),
  };
  const holder = { id: name, host: "here", pid };
  return new Leadership(lease, holder, reign, getLogger(["berth", "control"]), clock);
}

test("one of two reconciles, and the other one when that one resigns", async () => {
  const [first, second] = [candidate("first", 1), candidate("second", 2)];
  await first.once();
  await second.once();
  await first.once();
  expect(said).toEqual(["first begins"]);
  await first.resign();
  await second.once();
  expect(said).toEqual(["first begins", "second begins"]);
});

test("who rests becomes the one no more, also when it had just begun to", async () => {
  const began = Promise.withResolvers<void>();
  const lease = new ControlLease(db, clock, () => true);
  const slow = { take: () => began.promise.then(() => lease.take({ id: "slow", host: "here", pid: 1 })) };
  const leader = candidate("slow", 1, false, Object.assign(Object.create(lease), slow));
  const turn = leader.once();
  const resting = leader.rest();
  began.resolve();
  await resting;
  expect(said).toEqual(["slow begins"]);
  await turn;
  await leader.resign();
  await leader.once();
  expect(said).toEqual(["slow begins"]);
  const next = candidate("next", 2);
  await next.once();
  expect(said).toEqual(["slow begins", "next begins"]);
});

test("who was away for too long finds that another one does it, and ends", async () => {
  const [first, second] = [candidate("first", 1), candidate("second", 2)];
  await first.once();
  clock.advance(LEASE_MS + 1);
  await second.once();
  await first.once();
  await first.once();
  expect(said).toEqual(["first begins", "second begins", "first ends"]);
});

test("a leader that was away trusts its lease no longer, and what it writes is refused", async () => {
  const lease = new ControlLease(db, clock, () => true);
  const fenced = lease.fence({ id: "first" });
  const write = () =>
    fenced.write((tx) => tx.deleteFrom("control_counters").where("name", "=", "x").execute());
  const [first, second] = [candidate("first", 1), candidate("second", 2)];
  expect(first.isHeld).toBe(false);
  await expect(write()).rejects.toBeInstanceOf(LeadershipLost);
  await first.once();
  expect(first.isHeld).toBe(true);
  await write();
  clock.advance(LEASE_MS - 3_000);
  // Before another one may begin, and before this one has learned anything.
  expect([first.leads, first.isHeld]).toEqual([true, false]);
  expect(() => first.assertHeld()).toThrow(LeadershipLost);
  clock.advance(3_001);
  await second.once();
  await expect(write()).rejects.toBeInstanceOf(LeadershipLost);
  await first.once();
  expect([first.leads, first.isHeld, second.isHeld]).toEqual([false, false, true]);
});

test("who cannot renew ends before another one may begin", async () => {
  const real = new ControlLease(db, clock, () => true);
  let isFull = false;
  const first = candidate("first", 1, false, {
    take: (holder) => real.take(holder),
    renew: (holder) => (isFull ? Promise.reject(new Error("no room")) : real.renew(holder)),
    release: (holder) => real.release(holder),
  });
  await first.once();
  isFull = true;
  await expect(first.once()).rejects.toThrow("no room");
  clock.advance(LEASE_MS - 1_000);
  await first.once();
  expect(said).toEqual(["first begins", "first ends"]);
  isFull = false;
  await first.once();
  expect(said).toEqual(["first begins", "first ends", "first begins"]);
});

test("a beginning that fails is made again", async () => {
  const first = candidate("first", 1, true);
  await expect(first.once()).rejects.toThrow("no room");
  await first.once();
  expect(said).toEqual(["first begins"]);
});
