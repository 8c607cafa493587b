import { DELIVERIES } from "./delivery-lines.ts";
import { DEPLOYMENTS, IDLE } from "./deployment-lines.ts";
import { ENGINE } from "./engine-lines.ts";
import { EXECUTORS } from "./executor-lines.ts";
import { DISK, LOADED } from "./footprint-lines.ts";
import { INGEST } from "./ingest-lines.ts";
import {
  BERTH,
  BERTH_AND_BARE,
  type Goal,
  type Group,
  less,
  type Measure,
  more,
  SERVERS,
  TARGETS,
} from "./line.ts";
import { MEMORY } from "./memory-lines.ts";
import { PAGES } from "./page-lines.ts";
import { POSTGRES } from "./postgres-lines.ts";
import { PYTHON_LINES } from "./python-lines.ts";
import { BENCH_KEY } from "./servers.ts";
import { PROTOCOL } from "./thread-lines.ts";
import { MORE_TRACES, TRACES } from "./trace-lines.ts";
import type { RequestName } from "./worker/job.ts";

const runs = (graph: "echo" | "steps", clients: number, turnsPerThread: number): Measure["job"] => {
  return (bounds) => ({ kind: "runs", bounds, graph, clients, turnsPerThread });
};

/** The peer would need minutes for 200 runs one after the other: it gets fewer samples, and the rest queued at once. */
const age = (graph: "echo" | "flat"): Measure["job"] => {
  return ({ limit }, target) => {
    const slow = target === "peer";
    const bounds = { warmMs: 1_500, measureMs: 500, limit };
    return { kind: "age", bounds, graph, turns: 200, sample: slow ? 5 : 20, filled: slow };
  };
};

const requests = (id: string, title: string, request: RequestName): Measure => ({
  on: SERVERS,
  job: (bounds) => ({ kind: "requests", bounds, request, clients: 16 }),
  lines: [more(id, title, "1/s", "perSecond", { peer: 1 })],
});

const streams = (graph: "tokens" | "timed", title: string, goal: Goal): Measure => ({
  on: TARGETS,
  job: (bounds) => ({ kind: "streams", bounds, graph, clients: 8 }),
  lines: [
    more(`${graph}.events`, `${title}, 8 clients`, "events/s", "eventsPerSecond", goal),
    less(`${graph}.lost`, "  tokens lost", "tokens", "lost", { most: 0 }),
    less(`${graph}.first`, "  first event", "ms", "firstEvent", { peer: 1 / 5 }),
    less(`${graph}.span`, "  first to last token", "ms", "firstToLastToken"),
    less(`${graph}.close`, "  last event to close", "ms", "lastEventToClose", { most: 10 }),
    less(`${graph}.close-p95`, "  last event to close, p95", "ms", "lastEventToCloseP95"),
    less(`${graph}.cpu`, "  CPU per run", "ms", "cpu"),
  ],
});

const ECHO: Measure[] = [
  {
    on: TARGETS,
    job: runs("echo", 16, 0),
    lines: [
      more("echo.stateless", "stateless runs/wait, 16 clients", "runs/s", "perSecond", {
        ...{ peer: 20, bare: 0.5 },
      }),
      less("echo.stateless-cpu", "  CPU per run", "ms", "cpu", { over: 0.3 }),
    ],
  },
  {
    on: BERTH_AND_BARE,
    served: true,
    job: runs("echo", 16, 0),
    lines: [more("echo.served", "  the same; bare behind `Bun.serve`", "runs/s", "perSecond", { bare: 0.9 })],
  },
  {
    on: TARGETS,
    job: runs("echo", 16, 20),
    lines: [
      more("echo.threads", "on threads of 20 runs, 16 clients", "runs/s", "perSecond", {
        ...{ peer: 18, bare: 0.7 },
      }),
      less("echo.threads-cpu", "  CPU per run", "ms", "cpu", { peer: 1 / 5 }),
    ],
  },
  {
    on: TARGETS,
    job: runs("echo", 1, 0),
    lines: [
      less("echo.latency", "one stateless run, 1 client, median", "ms", "median", { peer: 1 / 50 }),
      less("echo.latency-p95", "  p95", "ms", "p95"),
    ],
  },
];

const TOKENS: Measure[] = [
  streams("tokens", "200 tokens without pause", { peer: 5, bare: 0.6 }),
  {
    on: BERTH_AND_BARE,
    served: true,
    job: (bounds) => ({ kind: "streams", bounds, graph: "tokens", clients: 8 }),
    lines: [more("tokens.served", "  the same; bare behind `Bun.serve`", "events/s", "eventsPerSecond")],
  },
  // With a timer per token the timers set the pace, so that no ratio to the peer says anything.
  streams("timed", "200 tokens of 5 ms each", { bare: 0.5 }),
];

const GRAPHS: Measure[] = [
  {
    on: TARGETS,
    job: runs("steps", 8, 20),
    lines: [
      more("steps.runs", "20 supersteps on threads, 8 clients", "runs/s", "perSecond", {
        ...{ peer: 10, bare: 0.8 },
      }),
      less("steps.cpu", "  CPU per run", "ms", "cpu"),
    ],
  },
  {
    on: TARGETS,
    job: (bounds) => ({ kind: "pairs", bounds, clients: 8 }),
    lines: [more("approval.pairs", "interrupt and resume, 8 clients", "pairs/s", "perSecond", { peer: 10 })],
  },
  {
    on: TARGETS,
    rounds: 3,
    job: age("echo"),
    lines: [
      less("age.first", "one thread, runs 1-20, median", "ms", "first"),
      less("age.last", "  runs 181-200, median", "ms", "last"),
      less("age.growth", "  181-200 over 1-20, messages", "×", "growth", { most: 1.3 }),
      less("age.state", "  its state", "ms", "state", { peer: 1 / 10 }),
      less("age.history", "  its history (10)", "ms", "history", { peer: 1 / 10 }),
    ],
  },
  {
    on: BERTH_AND_BARE,
    rounds: 3,
    job: age("flat"),
    lines: [less("age.growth-flat", "  181-200 over 1-20, fixed state", "×", "growth", { most: 1.3 })],
  },
];

/** What takes the peer a minute, or says less. */
const MORE_RUNS: Measure[] = [
  {
    on: TARGETS,
    job: runs("echo", 16, 1),
    lines: [more("echo.new-threads", "on a new thread each, 16 clients", "runs/s", "perSecond")],
  },
  {
    on: BERTH,
    job: ({ measureMs }) => ({
      ...{ kind: "busy-history", bounds: { warmMs: 500, measureMs, limit: 2_000 } },
      ...{ graph: "timed", runs: 10, streams: 4 },
    }),
    lines: [
      less("history.busy", "history of 10 runs, while 4 runs stream, median", "ms", "median"),
      less("history.busy-p95", "  p95", "ms", "p95", { most: 10 }),
    ],
  },
];

const REQUESTS: Measure[] = [
  requests("threads.newest", "newest 10 of 2,000 threads", "newest-threads"),
  requests("threads.search", "10 of 2,000 threads by metadata", "filtered-threads"),
  requests("assistants.search", "assistants/search", "search-assistants"),
  requests("store.put", "store put", "put-item"),
  requests("store.get", "store get", "get-item"),
  requests("store.search", "store search", "search-items"),
  // Last, since the faster server has more threads after it.
  requests("threads.create", "create a thread", "create-thread"),
];

const each = (section: string, measures: Measure[]): Group[] =>
  measures.map((measure) => ({ section, measures: [measure], isLong: true }));

/** Every measure in order. Each group gets servers of its own, so that none carries what another left behind. */
export const GROUPS: Group[] = [
  { section: "Runs", measures: [...ECHO, ...TOKENS] },
  { section: "Supersteps and growth", measures: GRAPHS },
  { section: "Traces", measures: TRACES },
  { section: "Traces", measures: ENGINE },
  { section: "Disk and memory", measures: DISK },
  { section: "Disk and memory", measures: LOADED },
  {
    ...{ section: "Disk and memory", measures: IDLE },
    environment: { SERVICE_API_KEY: BENCH_KEY, SLEEP_MINUTES: "0.5" },
  },
  { section: "Pages", measures: PAGES },
  { section: "More runs", measures: MORE_RUNS, isLong: true },
  { section: "Traces", measures: MORE_TRACES, isLong: true },
  { section: "Requests", measures: REQUESTS, isLong: true },
  { section: "Thread protocol", measures: PROTOCOL, isLong: true },
  { section: "Searches among 100,000", measures: MEMORY, isLong: true },
  { section: "Webhooks and traces from elsewhere", measures: DELIVERIES, isLong: true },
  { section: "Webhooks and traces from elsewhere", measures: INGEST, isLong: true },
  {
    ...{ section: "Gateway", measures: DEPLOYMENTS, isLong: true },
    environment: { SERVICE_API_KEY: BENCH_KEY },
  },
  ...each("Executors", EXECUTORS),
  ...each("Python", PYTHON_LINES),
  ...each("Postgres", POSTGRES),
];
