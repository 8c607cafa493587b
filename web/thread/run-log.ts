import { isBelow, matches, type WireEvent, type WireFilter } from "./protocol.ts";

/** The newest run of a thread. */
export type LastRun = {
  runId: string;
  status: "running" | "completed" | "failed" | "interrupted";
  /** What made it fail. */
  error?: string;
};

const ENDINGS = new Map<unknown, Exclude<LastRun["status"], "running">>([
  ["completed", "completed"],
  ["failed", "failed"],
  ["interrupted", "interrupted"],
]);

/** What an event says about the thread's newest run, if it is about a whole run at all. */
export function lastRunOf({ method, namespace, data, eventId }: WireEvent): LastRun | undefined {
  if (method !== "lifecycle" || namespace.length > 0) return;
  const status = data.event === "running" ? "running" : ENDINGS.get(data.event);
  if (!status) return;
  // `synth:<run>:…` is how the server marks events about whole runs.
  const [mark, runId = ""] = eventId.split(":");
  const error = typeof data.error === "string" ? { error: data.error } : {};
  return { runId: mark === "synth" ? runId : "", status, ...error };
}

/** As much of a run is kept here. Beyond it the older half goes: the server still has it. */
const MOST_CHARS = 16 * 1024 * 1024;

/**
 * The newest run's events as they came in, so that a subscription opened late starts with what it missed
 * without asking the server again. Older runs are in the thread's state already.
 */
export class NewestRunLog {
  #events: WireEvent[] = [];
  #chars = 0;
  #mostChars: number;
  #newest = 0;
  #begins = 0;
  #isResumed = false;
  #lastRun: LastRun | undefined;

  constructor(mostChars = MOST_CHARS) {
    this.#mostChars = mostChars;
  }

  /** The number of the newest event that was seen. */
  get newest(): number {
    return this.#newest;
  }

  get lastRun(): LastRun | undefined {
    return this.#lastRun;
  }

  /** Whether the newest run answers questions of the one before it, and goes on in its namespaces. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  /** The number behind which events of the newest run are missing here, when it was too long to keep. */
  get missingSince(): number | undefined {
    const [first] = this.#events;
    return first && first.seq > this.#begins ? this.#begins - 1 : undefined;
  }

  /** Where to begin, learned from the thread's lifecycle before the log itself is read. */
  begin(since: number, lastRun: LastRun | undefined): void {
    this.#newest = since;
    this.#lastRun = lastRun;
  }

  /** Whether the event is a new one, which is then kept. */
  add(event: WireEvent): boolean {
    if (event.seq <= this.#newest) return false;
    this.#newest = event.seq;
    const run = lastRunOf(event);
    if (run) this.#lastRun = run;
    if (run?.status === "running") this.#clear();
    if (event.method === "input.answered") this.#isResumed = true;
    if (this.#events.length === 0) this.#begins = event.seq;
    this.#events.push(event);
    this.#chars += event.json.length;
    if (this.#chars > this.#mostChars) this.#halve();
    return true;
  }

  matching(filter: WireFilter): WireEvent[] {
    return this.#events.filter((event) => matches(filter, event));
  }

  #clear(): void {
    this.#events = [];
    this.#chars = 0;
    this.#isResumed = false;
  }

  #halve(): void {
    let dropped = 0;
    const keepFrom = this.#events.findIndex(({ json }) => {
      dropped += json.length;
      return dropped > this.#chars / 2;
    });
    this.#events = this.#events.slice(keepFrom + 1);
    this.#chars -= dropped;
  }
}

/** Reads stored events from the server, all that match or those behind `since`. */
export type Backfill = (filter: WireFilter, since?: number) => Promise<WireEvent[]>;

/** The tools that a graph's agent called, those that start subagents among them. */
const AGENT_TOOLS: WireFilter = { channels: ["tools"], namespaces: [["tools"]], depth: 0 };
/** A namespace that was run in; before a subagent runs, the SDK makes one up from the id of its call. */
const TASK = /:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a late subscription has to ask the server for, because the newest run's log does not hold it. */
export class OlderEvents {
  #backfill: Backfill;
  #subagentCalls: Promise<WireEvent[]> | undefined;

  constructor(backfill: Backfill) {
    this.#backfill = backfill;
  }

  /** The events before those that are kept here. Where they cannot be had, there are fewer. */
  async before(kept: readonly WireEvent[], filter: WireFilter, log: NewestRunLog): Promise<WireEvent[]> {
    const { missingSince } = log;
    const namespaces = olderNamespaces(filter, kept, log);
    const tasks = namespaces.filter((namespace) => TASK.test(namespace.at(-1) ?? ""));
    const isSubagent = namespaces.some(([first]) => first?.startsWith("tools:"));
    const found = await Promise.allSettled([
      tasks.length > 0 ? this.#backfill({ ...filter, namespaces: tasks }) : [],
      missingSince === undefined ? [] : this.#backfill(filter, missingSince),
      isSubagent ? this.#callsOfSubagents() : [],
    ]);
    const first = kept[0]?.seq ?? Infinity;
    return found
      .flatMap((part) => (part.status === "fulfilled" ? part.value : []))
      .filter((event) => event.seq < first && matches(filter, event))
      .sort((one, other) => one.seq - other.seq);
  }

  /**
   * From the checkpoints of a long thread the SDK may take another tool's namespace for a subagent's. The calls
   * themselves say which is whose.
   */
  async #callsOfSubagents(): Promise<WireEvent[]> {
    this.#subagentCalls ??= this.#backfill(AGENT_TOOLS);
    const events = await this.#subagentCalls;
    const calls = new Set(
      events.filter(({ data }) => data.tool_name === "task").map(({ data }) => data.tool_call_id),
    );
    return events.filter(({ data }) => calls.has(data.tool_call_id));
  }
}

/** The filter's namespaces below the root that earlier runs have written in, or may have. */
function olderNamespaces({ namespaces = [] }: WireFilter, kept: readonly WireEvent[], log: NewestRunLog) {
  const isRunning = log.lastRun?.status === "running";
  return namespaces.filter((namespace) => {
    const last = namespace.at(-1);
    if (last === undefined) return false;
    // What is about to run will be told.
    if (isRunning && !TASK.test(last)) return false;
    return log.isResumed || !kept.some((event) => isBelow(event.namespace, namespace));
  });
}
