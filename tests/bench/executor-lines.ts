import { BERTH, type Line, less, type Measure, more } from "./line.ts";
import type { ExecutorLoad } from "./worker/job.ts";

const compared = (load: ExecutorLoad, lines: Line[]): Measure => ({
  on: BERTH,
  job: (bounds) => ({ kind: "executors", bounds, load }),
  lines,
});

/** How often as much is done with executors as without. */
const rate = (load: ExecutorLoad, title: string, unit: string, least: number): Measure =>
  compared(load, [
    more(`executors.${load}`, `${title}, with executors`, unit, "beside"),
    more(`executors.${load}-0`, "  with EXECUTORS=0", unit, "within"),
    more(`executors.${load}-ratio`, "  with over without", "×", "ratio", { least }),
  ]);

/** Servers with executors and with EXECUTORS=0, which take turns. */
export const EXECUTORS: Measure[] = [
  rate("computes", "5 nodes of 2 ms of CPU, 16 clients", "runs/s", 1.5),
  rate("echo", "stateless runs/wait, 16 clients", "runs/s", 1),
  rate("tokens", "200 tokens without pause, 8 clients", "events/s", 1),
  compared("latency", [
    less("executors.latency", "one stateless run, 1 client, median, with executors", "ms", "beside"),
    less("executors.latency-0", "  with EXECUTORS=0", "ms", "within"),
    less("executors.latency-extra", "  what executors add", "ms", "extra", { most: 0.3 }),
  ]),
  compared("spin", [
    less("executors.spin-ok", "a node spins 8 s: /ok, p99", "ms", "ok", { most: 20 }),
    less("executors.spin-tokens", "  pause between 5-ms tokens of 8 streams, p99", "ms", "tokens", {
      most: 20,
    }),
  ]),
  compared("first", [
    less("executors.first", "32 clients × 200 tokens of 1 ms: first event, median", "ms", "first", {
      most: 50,
    }),
    less("executors.first-beside", "  beside 200 runs that wait", "ms", "besideWaiting"),
    less("executors.first-growth", "  what those change", "×", "growth", { most: 1.1 }),
  ]),
  compared("waiting", [less("executors.waiting", "1,000 runs that wait: memory a run", "KB", "each")]),
  compared("rest", [
    less("executors.rest", "memory at rest with one executor", "MB", "beside"),
    less("executors.rest-0", "  with EXECUTORS=0", "MB", "within"),
    less("executors.rest-extra", "  what the first adds", "MB", "extra", { most: 25 }),
    less("executors.rest-further", "  what a further one adds", "MB", "further", { most: 35 }),
    less("executors.start", "cold start to /ok with executors", "ms", "start"),
    less("executors.start-0", "  with EXECUTORS=0", "ms", "startWithin"),
  ]),
];
