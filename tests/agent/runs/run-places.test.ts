import { expect, test } from "bun:test";
import { RunPlaces } from "../../../agent/runs/run-places.ts";

const WELL = { lateMs: 0, freeMemory: 0.5 };
const LATE = { lateMs: 80, freeMemory: 0.5 };
const TIGHT = { lateMs: 0, freeMemory: 0.02 };
const due = { due: 5, behind: 0, since: 1, later: 0 };

test("all places are there until the event loop is late twice, and come back when it is well", () => {
  const places = new RunPlaces(256);
  places.look(LATE, 200);
  places.look(WELL, 200);
  places.look(LATE, 200);
  expect(places.now).toBe(256);
  places.look(LATE, 200);
  expect([places.now, places.why(due, true)]).toEqual([150, "late"]);
  places.look(LATE, 150);
  expect(places.now).toBe(112);
  places.look({ ...WELL, lateMs: 30 }, 112);
  expect(places.now).toBe(112);
  for (let look = 0; look < 3; look += 1) places.look(WELL, 112);
  expect([places.now, places.why(due, true)]).toEqual([256, "places"]);
});

test("short memory takes places at once, and ten stay whatever happens", () => {
  const places = new RunPlaces(256);
  places.look(TIGHT, 100);
  expect([places.now, places.why(due, true)]).toEqual([75, "memory"]);
  for (let look = 0; look < 20; look += 1) places.look(TIGHT, places.now);
  expect(places.now).toBe(10);
});

test("few runs are not what a process is busy with, and a small setting holds as it is", () => {
  const idle = new RunPlaces(256);
  for (let look = 0; look < 5; look += 1) idle.look(LATE, 3);
  expect(idle.now).toBe(256);
  const small = new RunPlaces(4);
  for (let look = 0; look < 5; look += 1) small.look(TIGHT, 4);
  expect([small.now, small.why(due, true)]).toEqual([4, "places"]);
});

test("why runs wait: for their threads, for nobody, for another process", () => {
  const places = new RunPlaces(4);
  expect(places.why({ ...due, behind: 5 }, true)).toBe("thread");
  expect(places.why({ ...due, due: 0 }, true)).toBeNull();
  expect(places.why(due, false)).toBe("standby");
});
