import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figures, JobOf } from "./job.ts";

/** One subscription has eight places, the process 64. */
const SUBSCRIPTIONS = 8;
const MOST_MS = 100_000;
const TICK_MS = 5;

/** How fast an outbox is emptied when that many deliveries are due, and how long the process is not there for others. */
export async function backlog({ count }: JobOf<"backlog">): Promise<Figures> {
  return withOutbox(async ({ subscribe, open, drain, until, url }) => {
    for (let at = 0; at < SUBSCRIPTIONS; at += 1) await subscribe(url);
    for (let filled = 0; filled < count / SUBSCRIPTIONS; filled += 250) await open(250);
    Bun.gc(true);
    const memory = process.memoryUsage.rss();
    const delay = watchLoop();
    const startedAt = performance.now();
    await drain.once();
    await until(count);
    const seconds = (performance.now() - startedAt) / 1_000;
    const { p99, most } = delay();
    return {
      perSecond: count / seconds,
      delayP99: p99,
      delayMost: most,
      growth: (process.memoryUsage.rss() - memory) / 2 ** 20,
    };
  });
}

/** How long a subscriber waits for its events while another one, with as many, never answers. */
export async function besideHanging({ count }: JobOf<"beside-hanging">): Promise<Figures> {
  // Until then code is compiled.
  await timed(count, false);
  const alone = await timed(count, false);
  const beside = await timed(count, true);
  return { alone, beside, extra: beside / alone };
}

function timed(count: number, withHanging: boolean): Promise<number> {
  return withOutbox(async ({ subscribe, open, drain, until, url }) => {
    if (withHanging) await subscribe(`${url}hang`);
    await subscribe(url);
    for (let filled = 0; filled < count; filled += 250) await open(250);
    const startedAt = performance.now();
    await drain.once();
    await until(count);
    return performance.now() - startedAt;
  });
}

type Bench = {
  url: string;
  subscribe(url: string): Promise<unknown>;
  open(count: number): Promise<void>;
  drain: { once(): Promise<void> };
  /** Resolves when so many deliveries came. */
  until(count: number): Promise<void>;
};

async function withOutbox<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
  // Loaded only here: a load client must not carry them.
  const { openDatabase, systemClock } = await import("@berth/store");
  const { partsOn, WORKSPACE } = await import("../../server/delivery/rig.ts");
  const folder = mkdtempSync(join(tmpdir(), "berth-bench-"));
  const receiver = Bun.spawn([process.execPath, join(import.meta.dir, "webhook-receiver.ts")], {
    stdout: "pipe",
  });
  const db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
  const { drain, subscriptions, open } = partsOn(db, systemClock, {});
  try {
    const { value } = await receiver.stdout.getReader().read();
    const url = new TextDecoder().decode(value).trim();
    return await work({
      ...{ url, open, drain },
      subscribe: (to) => subscriptions.create(WORKSPACE, { url: to, severity_threshold: 3 }),
      until: async (count) => {
        const limit = Date.now() + MOST_MS;
        while (Number(await (await fetch(`${url}count`)).text()) < count) {
          if (Date.now() > limit) throw new Error(`${count} deliveries did not come in ${MOST_MS} ms`);
          await Bun.sleep(20);
        }
      },
    });
  } finally {
    await drain.stop(0);
    receiver.kill();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How late timers are, in ms: what another request of this process would wait. */
function watchLoop(): () => { p99: number; most: number } {
  const late: number[] = [];
  let expected = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    late.push(Math.max(0, now - expected));
    expected = now + TICK_MS;
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    const sorted = late.sort((a, b) => a - b);
    return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, most: sorted.at(-1) ?? 0 };
  };
}
