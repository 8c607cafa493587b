import type { Agent } from "@berth/agent";
import { type Database, freePages, giveBackSlice, monotonicClock } from "@berth/store";
import type { OpenCode } from "../executors/index.ts";
import { FreeRoom } from "./free-room.ts";
import type { Job } from "./loop.ts";

/** Looks how many runs this process can bear, and after those who execute them. */
export function runPlaces({ queue }: Agent, executors: OpenCode["executors"]): Job {
  const everyMs = 250;
  const freeMemory = () => process.availableMemory() / process.constrainedMemory();
  let lookedAt: number | undefined;
  const rests = () => {
    const isIdle = queue.running === 0 && executors?.isIdle !== false;
    // The time that it rests is no delay.
    if (isIdle) lookedAt = undefined;
    return isIdle;
  };
  const look = async () => {
    const now = monotonicClock.now();
    const ownMs = lookedAt === undefined ? 0 : now - lookedAt - everyMs;
    lookedAt = now;
    queue.look({ lateMs: Math.max(ownMs, executors?.lateMs(now) ?? 0), freeMemory: freeMemory() });
    executors?.watch(now);
  };
  return { name: "runs.places", everyMs, once: look, rests };
}

/** What each process does for the runs that it executes, and for those who wait for others'. */
export function runJobs(agent: Agent, db: Database): Job[] {
  const { queue } = agent;
  return [
    { name: "runs.watch", everyMs: 50, once: () => queue.watch(), rests: () => db.notifiesForeign() },
    // What runs here has leases to renew.
    { name: "runs.queue", everyMs: 500, once: (now) => queue.once(now), rests: () => queue.running === 0 },
  ];
}

/** What a database file needs; a server looks after itself. */
export function fileJobs(db: Database): Job[] {
  const { checkpoint } = db;
  if (!checkpoint) return [];
  const freePagesNow = () => freePages(db);
  return [new FreeRoom({ freePages: freePagesNow, giveBackSlice: () => giveBackSlice(db), checkpoint }).job];
}

/** Crons fire wherever they are looked at first, so that none waits for a new leader. */
export function upkeepJobs(agent: Agent): Job[] {
  return [
    { name: "crons.fire", everyMs: 500, once: (now) => agent.fireCrons(now), rests: true },
    { name: "runs.sweep", everyMs: 10_000, once: (now) => agent.sweep(now), byLeader: true },
    { name: "memory.expire", everyMs: 500, once: (now) => agent.expire(now), byLeader: true },
    { name: "memory.index", everyMs: 500, once: (now) => agent.indexItems(now), byLeader: true, rests: true },
    {
      name: "threads.index",
      everyMs: 1_000,
      once: () => agent.indexThreads(agent.queue.running > 0 ? 20 : 500),
      byLeader: true,
      rests: true,
    },
  ];
}
