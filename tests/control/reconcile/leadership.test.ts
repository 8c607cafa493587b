import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ControlLease, type Database, openDatabase } from "@berth/store";
import { getLogger } from "@logtape/logtape";
import { Leadership } from "../../../server/control/reconcile/leadership.ts";
import { standingClock, temporaryFolder } from "../../store/every-store.ts";

const clock = standingClock();
let folder: string;
let db: Database;
let said: string[];

beforeEach(async () => {
  folder = temporaryFolder();
  db = await openDatabase(`sqlite:${join(folder, "berth.db")}`, clock);
  said = [];
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

const LEASE_MS = 15_000;

function candidate(name: string, pid: number, fails = false): Leadership {
  const lease = new ControlLease(db, clock, () => true);
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
  return new Leadership(lease, { id: name, host: "here", pid }, reign, getLogger(["berth", "control"]));
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

test("who was away for too long finds that another one does it, and ends", async () => {
  const [first, second] = [candidate("first", 1), candidate("second", 2)];
  await first.once();
  clock.advance(LEASE_MS + 1);
  await second.once();
  await first.once();
  await first.once();
  expect(said).toEqual(["first begins", "second begins", "first ends"]);
});

test("a beginning that fails is made again", async () => {
  const first = candidate("first", 1, true);
  await expect(first.once()).rejects.toThrow("no room");
  await first.once();
  expect(said).toEqual(["first begins"]);
});
