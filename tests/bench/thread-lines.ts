import { type Goal, less, type Measure, more, SERVERS } from "./line.ts";

/** Long enough for a queue to show that grows. */
const readers = ({ watchers }: { watchers: boolean }): Measure["job"] => {
  return ({ measureMs }) => ({
    kind: "readers",
    bounds: { warmMs: 0, measureMs: Math.max(1_500, measureMs), limit: 1 },
    readers: 50,
    watchers,
  });
};

const replay = (id: string, of: string, past: { runs: number; tokens: number }, goal?: Goal): Measure => ({
  on: SERVERS,
  job: ({ measureMs }) => ({ kind: "replay", bounds: { warmMs: 1, measureMs, limit: 20 }, ...past }),
  lines: [
    less(`${id}.ms`, `10,000 events of ${of}, to the last`, "ms", "ms", goal),
    more(`${id}.events`, "  events", "events", "events"),
    more(`${id}.rate`, "  rate", "events/s", "eventsPerSecond"),
    less(`${id}.first`, "  to the first", "ms", "first"),
    less(`${id}.since`, "  with since 100 before the end, to the first", "ms", "since"),
  ],
});

/** What clients of the thread protocol get. */
export const PROTOCOL: Measure[] = [
  {
    on: SERVERS,
    job: (bounds) => ({ kind: "first-token", bounds }),
    lines: [
      less("protocol.first", "run.start to the first token, median", "ms", "median", { peer: 1, most: 30 }),
      less("protocol.first-p95", "  p95", "ms", "p95"),
      less("protocol.reply", "  run.start to its reply, median", "ms", "reply"),
    ],
  },
  {
    on: SERVERS,
    job: readers({ watchers: false }),
    lines: [
      more("readers.events", "one thread, 50 readers, p99 < 250 ms", "events/s", "eventsPerSecond", {
        least: 500,
      }),
      less("readers.delay", "  delay at that rate, median", "ms", "delay"),
      less("readers.delay-p99", "  p99", "ms", "delayP99"),
      more("readers.bytes", "  to all readers", "MB/s", "megabytesPerSecond"),
    ],
  },
  {
    on: SERVERS,
    job: readers({ watchers: true }),
    lines: [more("readers.mixed", "25 of them lifecycle watchers", "events/s", "eventsPerSecond")],
  },
  replay("replay", "10 runs", { runs: 10, tokens: 1_000 }, { most: 1_000 }),
  replay("replay-long", "one run", { runs: 1, tokens: 10_000 }),
];
