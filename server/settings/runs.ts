import { type Read, SettingError, taking } from "./setting.ts";
import { integer, text } from "./setting-values.ts";

export const runs = (read: Read) => ({
  roles: read("ROLE", someRoles, EVERY_ROLE, {
    means:
      "what this process does, if [several](several-berths.md) share a database: `front` answers requests, `executor` runs graphs, `control` does the work that only one process may do at a time",
    usual: "everything",
  }),
  executors: read("EXECUTORS", executing, ONE_PER_CORE, {
    means:
      "the most [executors](executors.md) that run the code of the project, beside the thread that answers requests. `0`: that thread runs the code itself",
    usual: "the number of cores",
  }),
  runConcurrency: read(["RUN_CONCURRENCY", "N_JOBS_PER_WORKER"], integer(1, 10_000), 256, {
    means:
      "the most runs that this process [executes at once](executors.md#how-many-runs-at-once); Berth 0.1.0 executed 10",
  }),
  runLeaseMs: read("RUN_LEASE_MS", integer(1_000, 600_000), 10_000, {
    means:
      "how long a run belongs to a process that no longer responds; after that, another process takes the run",
  }),
  runTimeoutSeconds: read("BG_JOB_TIMEOUT_SECS", integer(1, 2_147_483), 3_600, {
    means: "the longest time that a run may take; a longer run ends with the status `timeout`",
  }),
  shutdownGraceSeconds: read("BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS", integer(0, 3_600), 180, {
    means: "how long a process waits for its runs when it has to stop",
  }),
  /** Graph id → config (and `context`). */
  graphConfig:
    read("LANGGRAPH_CONFIG", taking("a JSON object", graphConfig), null, {
      means:
        "JSON that maps the id of a graph to the config (and `context`) of the graph's own assistant. Each start of Berth applies it, unless somebody has patched the assistant",
    }) ?? {},
  /** Null for the machine's. */
  python: read("PYTHON", text, null, {
    means:
      "the interpreter of [Python graphs](python.md), if the project has no virtual environment (`.venv`)",
    usual: "`python3` of the `PATH`",
  }),
  schemaTimeoutMs: read("LANGGRAPH_SCHEMA_RESOLVE_TIMEOUT_MS", integer(1, 600_000), 30_000, {
    means: "how long Berth may take to read a graph's schemas",
  }),
});

const ROLES = ["front", "executor", "control"] as const;

/**
 * What one of several processes on a database does: a front answers, an executor runs graphs, control does what one of all
 * processes does at a time, and what has its hour.
 */
export type Role = (typeof ROLES)[number];

/** A process that nobody narrowed. */
export const EVERY_ROLE: readonly Role[] = ROLES;

const someRoles = taking<readonly Role[]>(
  "`front`, `executor`, `control`, or several of them with commas",
  (given, name) => {
    const named = given.split(",").map((role) => role.trim());
    const known = ROLES.filter((role) => named.includes(role));
    if (named.some((role) => !ROLES.some((one) => one === role)))
      throw new SettingError(name, given, "must be front, executor or control, or several with commas");
    return known;
  },
);

/** What runs graphs beside the thread that answers, and how many of them at most; 0: that one runs them itself. */
type Executing = Readonly<{ kind: "thread" | "process"; most: number }>;

const MOST_EXECUTORS = 64;
const ONE_PER_CORE: Executing = {
  kind: "thread",
  most: Math.min(MOST_EXECUTORS, Math.max(1, navigator.hardwareConcurrency)),
};

const executing = taking<Executing>(`0 to ${MOST_EXECUTORS}, \`process\` or \`process:N\``, (given, name) => {
  const [, isProcess, processes, threads] = /^(process)(?::(\d+))?$|^(\d+)$/.exec(given) ?? [];
  const count = processes ?? threads;
  const most = count === undefined ? ONE_PER_CORE.most : Number(count);
  const isValid = (isProcess !== undefined || threads !== undefined) && most <= MOST_EXECUTORS;
  if (!isValid) throw new SettingError(name, given, `must be 0 to ${MOST_EXECUTORS}, process or process:N`);
  return { kind: isProcess ? "process" : "thread", most };
});

function graphConfig(given: string, name: string): Readonly<Record<string, Record<string, unknown>>> {
  const wrong = new SettingError(name, given, "must be a JSON object of graph id to config object");
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    throw wrong;
  }
  if (!isDictionary(value)) throw wrong;
  return Object.fromEntries(
    Object.entries(value).map(([graph, config]) => {
      if (!isDictionary(config)) throw wrong;
      return [graph, config];
    }),
  );
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
