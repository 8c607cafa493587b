/** How long a job may measure: whichever of time (ms) and count (per client) ends first. */
export type Bounds = { warmMs: number; measureMs: number; limit: number };

export type GraphName =
  | "echo"
  | "flat"
  | "tokens"
  | "timed"
  | "steps"
  | "approval"
  | "brisk"
  | "computes"
  | "tools";

export const REQUESTS = [
  "newest-threads",
  "filtered-threads",
  "create-thread",
  "put-item",
  "get-item",
  "search-items",
  "search-assistants",
  "large-newest",
  "large-by-graph",
  "large-by-user",
  "nearest-of-all",
  "nearest-of-one",
] as const;
export type RequestName = (typeof REQUESTS)[number];

/** What servers with executors and without are compared by. */
export type ExecutorLoad = "computes" | "echo" | "latency" | "tokens" | "spin" | "first" | "waiting" | "rest";

/** What a database on a server is measured by. */
export type PostgresLoad = "threads" | "stateless" | "statements" | "second" | "elsewhere" | "rest" | "queue";

/** The pages that somebody opens. */
export type PageName = "chat" | "console" | "docs";

/** What one worker process measures, against one target. */
export type Job = ColdJob | WarmJob;

/** The first runs of a process, and those after them; nothing is done before to warm it up. */
type ColdJob = { kind: "cold"; first: number; next: number; clients: number; turnsPerThread: number };

type WarmJob = { bounds: Bounds } & (
  | { kind: "runs"; graph: GraphName; clients: number; turnsPerThread: number }
  | { kind: "pairs"; clients: number }
  | { kind: "streams"; graph: GraphName; clients: number }
  | { kind: "age"; graph: GraphName; turns: number; sample: number; filled: boolean }
  | { kind: "busy-history"; graph: GraphName; runs: number; streams: number }
  | { kind: "requests"; request: RequestName; clients: number }
  | { kind: "readers"; readers: number; watchers: boolean }
  | { kind: "first-token" }
  | { kind: "replay"; runs: number; tokens: number }
  | { kind: "tracing"; graph: "echo" | "tools" | "tokens" | "steps"; clients: number; ships?: boolean }
  | { kind: "disk" }
  | { kind: "load-memory"; runs: number; restMs: number }
  | { kind: "executors"; load: ExecutorLoad }
  | { kind: "postgres"; load: PostgresLoad }
  | { kind: "python" }
  | { kind: "page-load"; page: PageName; loads: number }
  | { kind: "runs-scrolled"; runs: number }
  | { kind: "gateway" }
  | { kind: "idle-deployments"; deployments: number }
  | { kind: "engine-scan"; traces: number }
  | { kind: "ingest"; traces: number }
  | { kind: "backlog"; count: number }
  | { kind: "beside-hanging"; count: number }
  | { kind: "page-stream"; tokens: number; perSecond?: number }
);

export type JobOf<Kind extends Job["kind"]> = Extract<Job, { kind: Kind }>;

/** A server to be called over HTTP, with the process whose CPU time counts and its data folder, or the graphs in the worker itself. */
export type Target = { url: string; pid: number; data: string } | { bare: true };

/** What a job found, by name; a name that is absent was not measured. */
export type Figures = Record<string, number | undefined>;
