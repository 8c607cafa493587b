import { BERTH, less, type Measure, more } from "./line.ts";
import type { RequestName } from "./worker/job.ts";

/** One client: what a person waits for. The peer has no such searches, or would fill for minutes. */
const latency = (id: string, title: string, request: RequestName, most: number): Measure => ({
  on: BERTH,
  job: (bounds) => ({ kind: "requests", bounds, request, clients: 1 }),
  lines: [
    less(`${id}.median`, `${title}, 1 client, median`, "ms", "median", { most }),
    less(`${id}.p95`, "  p95", "ms", "p95"),
    more(`${id}.rate`, "  rate", "1/s", "perSecond"),
  ],
});

/** Searches among a hundred thousand. */
export const MEMORY: Measure[] = [
  latency("large-threads.newest", "newest 10 of 100,000 threads", "large-newest", 10),
  latency("large-threads.many", "10 of 100,000 threads by a graph's id", "large-by-graph", 15),
  latency("large-threads.few", "10 of 100,000 threads by a user", "large-by-user", 10),
  latency("meaning.all", "10 nearest of 100,000 items", "nearest-of-all", 50),
  latency("meaning.one", "  of one user's 100", "nearest-of-one", 20),
];
