import { isBelow, matches, type WireEvent, type WireFilter } from "./protocol.ts";
import type { NewestRunLog } from "./run-log.ts";

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
