import { matches, type WireEvent, type WireFilter } from "./protocol.ts";

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
