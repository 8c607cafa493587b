import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { randomOf } from "../crash-load.ts";
import { SpokenThread } from "./spoken-thread.ts";
import { type ReaderKind, ThreadReader } from "./thread-reader.ts";

const LONG = process.env.BERTH_LONG === "1";
const SHAPE = LONG
  ? { minutes: 10, sse: 200, sockets: 50, threads: 20, runs: 8, sampleMs: 5_000 }
  : { minutes: 8 / 60, sse: 40, sockets: 10, threads: 5, runs: 2, sampleMs: 1_000 };
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const DURATION_MS = SHAPE.minutes * 60_000;
/** Until then code is compiled and caches fill. */
const WARM_UP = 0.2;
const MIB = 1_048_576;
/** What may be open that was not before: connections that are kept for the next request. */
const KEPT_OPEN = 10;

type Sample = { rss: number; heap: number; files: number };

let berth: BerthProcess;
beforeAll(async () => {
  berth = await start({ project: join(import.meta.dir, "project") });
});
afterAll(async () => {
  await berth.stop();
});

/** What a process has open can be looked up where there is a /proc. */
const openFiles = (): number =>
  existsSync("/proc/self/fd") ? readdirSync(`/proc/${berth.pid}/fd`).length : 0;

async function sample(): Promise<Sample> {
  const memory: { rss: number; heap: number } = await (await fetch(`${berth.url}/memory`)).json();
  return { ...memory, files: openFiles() };
}

/** Clients that come and go while runs stream, for as long as the shape says. */
async function soak(fault: (what: string) => void) {
  const random = randomOf(SEED);
  const endsAt = Date.now() + DURATION_MS;
  const threads = Array.from({ length: SHAPE.threads }, () => newThread());
  function newThread() {
    return new SpokenThread(berth.url, SHAPE.runs, fault);
  }
  let spoken = 0;
  const speaking = threads.map(async (_, at) => {
    for (;;) {
      await threads[at]?.over;
      spoken += 1;
      if (Date.now() > endsAt) return;
      threads[at] = newThread();
    }
  });
  const pick = () => threads[Math.floor(random() * threads.length)] ?? newThread();
  const readersOf = (kind: ReaderKind, count: number) =>
    Array.from({ length: count }, () => new ThreadReader({ url: berth.url, kind, random, pick, fault }));
  const readers = [...readersOf("sse", SHAPE.sse), ...readersOf("socket", SHAPE.sockets)];
  const samples: Sample[] = [];
  while (Date.now() < endsAt) {
    await Bun.sleep(SHAPE.sampleMs);
    samples.push(await sample());
  }
  await Promise.all(readers.map((reader) => reader.stop()));
  await Promise.all(speaking);
  const sum = (of: (reader: ThreadReader) => number) => readers.reduce((total, one) => total + of(one), 0);
  return { samples, spoken, visits: sum(({ visits }) => visits), events: sum(({ events }) => events) };
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The median of a figure in the first third after the warm-up, and in the last one. */
function course(samples: Sample[], of: (one: Sample) => number): { first: number; last: number } {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP)).map(of);
  const third = Math.ceil(warm.length / 3);
  return { first: median(warm.slice(0, third)), last: median(warm.slice(-third)) };
}

test(
  `${SHAPE.sse} event streams and ${SHAPE.sockets} sockets come and go for ${DURATION_MS / 1_000} s`,
  async () => {
    const faults: string[] = [];
    const before = openFiles();
    const { samples, spoken, visits, events } = await soak((what) => faults.push(what));
    const [rss, heap, files] = [
      course(samples, (one) => one.rss / MIB),
      course(samples, (one) => one.heap / MIB),
      course(samples, (one) => one.files),
    ];
    const told = (name: string, { first, last }: { first: number; last: number }) =>
      `${name} ${first.toFixed(1)} → ${last.toFixed(1)}`;
    console.log(
      `soak: ${visits} visits saw ${events} events of ${spoken} threads (${SHAPE.runs} runs each); medians after ` +
        `warm-up: ${told("RSS MiB", rss)}, ${told("heap MiB", heap)}, ${told("open files", files)}; seed ${SEED}`,
    );
    expect(faults.slice(0, 20)).toEqual([]);
    expect(berth.output()).not.toContain("stray error");
    expect(visits).toBeGreaterThan(SHAPE.sse + SHAPE.sockets);
    // Everybody has left.
    await until(
      "connections are closed",
      async () => openFiles(),
      (now) => now <= before + KEPT_OPEN,
    );
    // In seconds a process is not warm yet; then only what grows beyond all bounds would show.
    const slack = LONG
      ? { factor: 1.1, rss: 24, heap: 12, files: 1.2 }
      : { factor: 1.5, rss: 100, heap: 50, files: 1.5 };
    expect(rss.last).toBeLessThan(rss.first * slack.factor + slack.rss);
    expect(heap.last).toBeLessThan(heap.first * slack.factor + slack.heap);
    expect(files.last).toBeLessThan(files.first * slack.files + KEPT_OPEN);
  },
  DURATION_MS + TEST_LIMIT_MS,
);
