import { expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@berth/store";
import { WAIT_LIMIT_MS } from "../../limits.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { idOf, type Receiver, startReceiver } from "../../server/delivery/receiver.ts";
import { partsOn, WORKSPACE } from "../../server/delivery/rig.ts";
import { standingClock } from "../../store/every-store.ts";
import { until } from "../condition.ts";
import { randomOf } from "../crash-load.ts";

/** Where a process is killed: what it says of itself, or that the receiver has the bytes and has not answered. */
export const POINTS = ["committed", "claimed", "begun", "received", "answered"] as const;
export type Point = (typeof POINTS)[number];

export type CrashFigures = {
  point: Point;
  committed: number;
  requests: number;
  twice: number;
  mostTimes: number;
};

const LEASE_MS = 31_000;
const LONGEST_PAUSE_MS = 450_000;

/** One round: a process sends, is killed at a point that the seed decides, and another one goes on. */
export async function crashRound(seed: number): Promise<CrashFigures> {
  const random = randomOf(seed);
  const folder = mkdtempSync(join(tmpdir(), "berth-webhooks-"));
  const file = join(folder, "berth.db");
  const receiver = startReceiver(() => (random() < 0.2 ? 503 : 200));
  try {
    await subscribe(file, receiver.url);
    const point = POINTS[seed % POINTS.length] ?? "begun";
    const committed = await sendUntilKilled(file, receiver, { point, nth: 1 + Math.floor(random() * 4) });
    await goOn(file);
    return await check(file, receiver, { point, committed });
  } finally {
    receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function subscribe(file: string, url: string): Promise<void> {
  const db = await openDatabase(await databaseUrl(file));
  await partsOn(db, standingClock(Date.now()), {}).subscriptions.create(WORKSPACE, {
    url,
    severity_threshold: 3,
  });
  await db.close();
}

/** @returns the names of what it said to have committed */
async function sendUntilKilled(
  file: string,
  receiver: Receiver,
  { point, nth }: { point: Point; nth: number },
): Promise<string[]> {
  const script = join(import.meta.dir, "sending-process.ts");
  const child = Bun.spawn([process.execPath, script, await databaseUrl(file), point, String(nth)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), WAIT_LIMIT_MS);
  if (point === "received") killOnRequest(receiver, nth, () => child.kill("SIGKILL"));
  const committed: string[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const said = JSON.parse(line);
      if (said.committed) committed.push(said.committed);
      if (said.at) child.kill("SIGKILL");
    }
  }
  await child.exited;
  clearTimeout(limit);
  expect([point, child.signalCode]).toEqual([point, "SIGKILL"]);
  return committed;
}

/** From then on the receiver answers as it did. */
function killOnRequest(receiver: Receiver, nth: number, kill: () => void): void {
  receiver.answer((_, count) => {
    if (count === nth) kill();
    return 200;
  });
}

/** What a process does that is started on the same data, with hours going by in a moment. */
async function goOn(file: string): Promise<void> {
  const db = await openDatabase(await databaseUrl(file));
  const clock = standingClock(Date.now() + LEASE_MS);
  const { drain, outbox } = partsOn(db, clock, {});
  for (let turn = 0; turn < 20; turn += 1) {
    await outbox.reap(clock.now());
    await drain.once();
    await until(
      "nothing to be on its way",
      async () => drain.underWay,
      (left) => left === 0,
    );
    const { queued, leased } = await outbox.depth(clock.now());
    if (queued + leased === 0) break;
    clock.advance(LONGEST_PAUSE_MS);
  }
  await db.close();
}

async function check(
  file: string,
  { received }: Receiver,
  { point, committed }: { point: Point; committed: string[] },
): Promise<CrashFigures> {
  const db = await openDatabase(await databaseUrl(file));
  const rows = await db.read.selectFrom("deliveries").select(["id", "state", "attempts", "body"]).execute();
  await db.close();
  const bodies = Map.groupBy(received, idOf);
  const named = (name: string) => rows.filter(({ body }) => JSON.parse(body).data.object.name === name);
  for (const name of committed) expect([name, named(name).length]).toEqual([name, 3]);
  for (const { id, state, attempts, body } of rows) {
    const came = bodies.get(id) ?? [];
    expect(came.length).toBeGreaterThanOrEqual(1);
    expect(came.length).toBeLessThanOrEqual(attempts);
    expect(attempts).toBeLessThanOrEqual(4);
    expect(new Set(came.map((one) => one.body))).toEqual(new Set([body]));
    expect(["delivered", "dead"]).toContain(state);
  }
  expect(bodies.size).toBe(rows.length);
  const times = [...bodies.values()].map(({ length }) => length);
  const twice = times.filter((count) => count > 1).length;
  return { point, committed: rows.length, requests: received.length, twice, mostTimes: Math.max(...times) };
}
