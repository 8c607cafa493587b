import type { Bounds, Job, RequestName } from "./worker/job.ts";

/** In the order of measuring: the two whose ratio is the closest call follow one another. */
export const TARGETS = ["berth", "bare", "peer"] as const;
export type TargetName = (typeof TARGETS)[number];

/** What Berth has to reach: a ratio to the peer, a ratio to the bare limit, or a bound on its own figure. */
export type Goal = { peer?: number; bare?: number; most?: number; least?: number };

/** One line of the table: a figure of a measure, and which way is better. */
export type Line = {
  id: string;
  title: string;
  unit: string;
  better: "more" | "less";
  figure: string;
  goal?: Goal;
};

/** A job that is done on every target of `on`, one after the other, and the lines that are read from it. */
export type Measure = {
  on: readonly TargetName[];
  lines: Line[];
  /** Bare is called over HTTP, from the least server there can be. */
  served?: boolean;
  job: (bounds: Bounds, target: TargetName) => Job;
};

export const SERVERS = ["berth", "peer"] as const;

const more = (id: string, title: string, unit: string, figure: string, goal?: Goal): Line => ({
  ...{ id, title, unit, better: "more", figure, goal },
});
const less = (id: string, title: string, unit: string, figure: string, goal?: Goal): Line => ({
  ...{ id, title, unit, better: "less", figure, goal },
});

const runs = (graph: "echo" | "steps", clients: number, turnsPerThread: number): Measure["job"] => {
  return (bounds) => ({ kind: "runs", bounds, graph, clients, turnsPerThread });
};

/** The peer would need minutes for 200 runs one after the other: it gets fewer samples, and the rest queued at once. */
const age = (graph: "echo" | "flat"): Measure["job"] => {
  return (bounds, target) => {
    const slow = target === "peer";
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

/** Lines of servers at rest, which are measured by starting them. */
export const REST_LINES: Line[] = [
  less("rest.start", "cold start to /ok", "ms", "start", { peer: 1 / 4 }),
  less("rest.memory", "memory at rest, the serving process", "MB", "process", { peer: 1 / 2 }),
  less("rest.memory-all", "memory at rest, all its processes", "MB", "tree", { peer: 1 / 2 }),
];

const ECHO: Measure[] = [
  {
    on: TARGETS,
    job: runs("echo", 16, 0),
    lines: [
      more("echo.stateless", "stateless runs/wait, 16 clients", "runs/s", "perSecond", {
        peer: 30,
        bare: 0.6,
      }),
      less("echo.stateless-cpu", "  CPU per run", "ms", "cpu", { peer: 1 / 5 }),
    ],
  },
  {
    on: ["berth", "bare"],
    served: true,
    job: runs("echo", 16, 0),
    lines: [more("echo.served", "  the same; bare behind Bun.serve", "runs/s", "perSecond")],
  },
  {
    on: TARGETS,
    job: runs("echo", 16, 20),
    lines: [
      more("echo.threads", "on threads of 20 runs, 16 clients", "runs/s", "perSecond", {
        peer: 25,
        bare: 0.45,
      }),
      less("echo.threads-cpu", "  CPU per run", "ms", "cpu", { peer: 1 / 5 }),
    ],
  },
  {
    on: TARGETS,
    job: runs("echo", 16, 1),
    lines: [more("echo.new-threads", "on a new thread each, 16 clients", "runs/s", "perSecond")],
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
  streams("tokens", "200 tokens without pause", { peer: 5, bare: 0.5 }),
  {
    on: ["berth", "bare"],
    served: true,
    job: (bounds) => ({ kind: "streams", bounds, graph: "tokens", clients: 8 }),
    lines: [more("tokens.served", "  the same; bare behind Bun.serve", "events/s", "eventsPerSecond")],
  },
  // With a timer per token the timers set the pace, so that no ratio to the peer says anything.
  streams("timed", "200 tokens of 5 ms each", { bare: 0.5 }),
];

const GRAPHS: Measure[] = [
  {
    on: TARGETS,
    job: runs("steps", 8, 20),
    lines: [
      more("steps.runs", "20 supersteps on threads, 8 clients", "runs/s", "perSecond", { peer: 10 }),
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
    on: ["berth", "bare"],
    job: age("flat"),
    lines: [less("age.growth-flat", "  181-200 over 1-20, fixed state", "×", "growth", { most: 1.3 })],
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

const PROTOCOL: Measure[] = [
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
    job: (bounds) => ({ kind: "readers", bounds, readers: 50, watchers: false }),
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
    job: (bounds) => ({ kind: "readers", bounds, readers: 50, watchers: true }),
    lines: [more("readers.mixed", "25 of them lifecycle watchers", "events/s", "eventsPerSecond")],
  },
  replay("replay", "10 runs", { runs: 10, tokens: 1_000 }, { most: 1_000 }),
  replay("replay-long", "one run", { runs: 1, tokens: 10_000 }),
];

const pageStream = (id: string, title: string, perSecond?: number, goal?: Goal): Measure => ({
  on: ["berth"],
  job: (bounds) => ({ kind: "page-stream", bounds, tokens: 10_000, ...(perSecond && { perSecond }) }),
  lines: [
    less(`${id}.longest`, `${title}, longest task`, "ms", "longest", goal),
    less(`${id}.long-p99`, "  long tasks, p99", "ms", "longP99"),
    less(`${id}.long`, "  long tasks", "tasks", "longTasks"),
    less(`${id}.frame-p99`, "  from frame to frame, p99", "ms", "frameP99"),
    less(`${id}.seconds`, "  from sending to the end of the answer", "s", "seconds"),
    less(`${id}.heap`, "  the page's objects afterwards", "MB", "heap"),
  ],
});

const PAGE: Measure[] = [
  {
    on: ["berth"],
    job: (bounds) => ({ kind: "page-load", bounds, loads: 5 }),
    lines: [
      less("page.size", "the chat, over the network", "KiB", "transferred", { most: 350 }),
      less("page.size-embedded", "  as the executable carries it", "KiB", "embedded"),
      less("page.requests", "  requests for it", "requests", "requests"),
      less("page.interactive", "cold load to the first key, median of 5", "ms", "interactive", {
        most: 1_500,
      }),
    ],
  },
  pageStream("page-paced", "10,000 tokens at 500/s", 500, { most: 100 }),
  pageStream("page-flood", "10,000 tokens at once"),
];

/** Every measure in order. Each group gets servers of its own, so that none carries what another left behind. */
export const GROUPS: Measure[][] = [[...ECHO, ...TOKENS], GRAPHS, REQUESTS, PROTOCOL, PAGE];
