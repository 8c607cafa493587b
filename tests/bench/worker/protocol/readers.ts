import { median, quantile } from "../drive.ts";
import type { Figures, JobOf } from "../job.ts";
import { rateOf, stampsOf } from "./stamps.ts";
import { startRun } from "./start-run.ts";
import { isRunEnd, PUMP, ThreadReader, WATCHER } from "./thread-reader.ts";

/** Events per second that are tried, one after the other, until one is too many. */
const RATES = [100, 200, 350, 500, 700, 1000, 1400, 2000, 2800, 4000, 5600, 8000, 11_000, 16_000];

/** Between the last rate that was held and the first that was not, so many more are tried. */
const REFINEMENTS = 2;

const TRIES = 3;

const P99_MS = 250;

/** A step is no longer than this: all that arrives is kept, fifty times. */
const MOST_TOKENS = 12_000;

/** Below this part of the rate that was asked for, the server held its own model up. */
const OF_THE_RATE = 0.95;

type Step = { held: boolean; rate: number; median: number; p99: number; megabytesPerSecond: number };
type Measured = { url: string; job: JobOf<"readers"> };

/** The most events per second into one thread at which all its readers still get them in time. */
export async function readers(url: string, job: JobOf<"readers">): Promise<Figures> {
  const measured = { url, job };
  await take(measured, 100);
  let best: Step | undefined;
  let tooMany: number | undefined;
  for (const rate of RATES) {
    const step = await hold(measured, rate);
    if (!step.held) {
      tooMany = rate;
      break;
    }
    best = step;
  }
  for (let round = 0; round < REFINEMENTS && best && tooMany !== undefined; round += 1) {
    const rate = Math.round((best.rate + tooMany) / 2);
    const step = await take(measured, rate);
    if (step.held) best = step;
    else tooMany = rate;
  }
  return {
    eventsPerSecond: best?.rate ?? 0,
    delay: best?.median,
    delayP99: best?.p99,
    megabytesPerSecond: best?.megabytesPerSecond,
  };
}

/** A rate that was missed is tried again: the machine may have been busy with something else. */
async function hold(measured: Measured, rate: number): Promise<Step> {
  let step = await take(measured, rate);
  for (let again = 1; again < TRIES && !step.held; again += 1) step = await take(measured, rate);
  return step;
}

/** One run on a new thread that all readers are attached to before it starts. */
async function take({ url, job }: Measured, rate: number): Promise<Step> {
  const threadId = Bun.randomUUIDv7();
  const count = Math.min(MOST_TOKENS, Math.round((rate * job.bounds.measureMs) / 1000));
  const open = (_: unknown, index: number) =>
    ThreadReader.open(url, threadId, job.watchers && index % 2 === 1 ? WATCHER : PUMP);
  const all = await Promise.all(Array.from({ length: job.readers }, open));
  try {
    await startRun(url, threadId, `${count} stamps at ${rate}/s`);
    await Promise.all(all.map((reader) => reader.until(isRunEnd)));
  } finally {
    for (const reader of all) reader.close();
  }
  const pumps = all.filter((_, index) => !job.watchers || index % 2 === 0);
  const stamps = pumps.map((reader) => stampsOf(reader.events(), count));
  const delays = stamps.flatMap((each) => each.map(({ delayMs }) => delayMs));
  const p99 = quantile(delays, 0.99);
  const left = rateOf(stamps[0] ?? []);
  const bytes = all.flatMap(({ arrivals }) => arrivals).reduce((sum, each) => sum + each.bytes.length, 0);
  const seconds = count / left;
  return {
    held: p99 < P99_MS && left >= rate * OF_THE_RATE,
    ...{ rate: left, median: median(delays), p99, megabytesPerSecond: bytes / 1e6 / seconds },
  };
}
