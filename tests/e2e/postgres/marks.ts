import { existsSync, readFileSync } from "node:fs";
import { LEASE_MS } from "./cluster.ts";
import type { Loss } from "./faults.ts";

/** One execution of a run, from begin to end (ms of the machine's clock); one that was killed has no end. */
export type ExecutionMarks = {
  label: string;
  run: string;
  attempt: number;
  pid: number;
  begin: number;
  end?: number;
};

type Line = Omit<ExecutionMarks, "begin" | "end"> & { kind: "begin" | "end"; at: number };

/** What the runs of the graph `marked` wrote down, by run, in the order in which they began. */
export function readMarks(file: string): Map<string, ExecutionMarks[]> {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const byRun = new Map<string, ExecutionMarks[]>();
  for (const line of text.split("\n").filter(Boolean)) {
    const { kind, at, ...who } = JSON.parse(line) as Line;
    const all = byRun.get(who.run) ?? [];
    byRun.set(who.run, all);
    if (kind === "begin") all.push({ ...who, begin: at });
    else {
      const open = all.findLast((one) => one.pid === who.pid && one.end === undefined);
      if (!open) throw new Error(`an end without a begin: ${line}`);
      open.end = at;
    }
  }
  for (const all of byRun.values()) all.sort((a, b) => a.begin - b.begin);
  return byRun;
}

/** A process that goes on again notices what it has lost when it renews its leases, at the latest. */
const NOTICES_MS = LEASE_MS / 2;

export type MarkFigures = {
  runs: number;
  executions: number;
  /** How long (ms) a process executed what another one had taken over: one that had been frozen, or was starved. */
  afterThaw: number;
  /** Attempts of processes that lived and did not come to renew their lease in time. */
  starved: number;
};

/**
 * Judges that no run was executed by two at once: the next one began when the one before had ended, or its process was
 * killed or stood still. On a machine that is too busy a process may stand still without being told to: then its lease
 * was over, and it stops as soon as it notices.
 * @param lapsed attempts (`RUN ATTEMPT`) whose lease was over before their end
 * @throws what was executed by two
 */
export function judgeMarks(
  byRun: Map<string, ExecutionMarks[]>,
  losses: readonly Loss[],
  lapsed: ReadonlySet<string>,
): MarkFigures {
  const figures = { runs: byRun.size, executions: 0, afterThaw: 0, starved: 0 };
  for (const all of byRun.values()) {
    figures.executions += all.length;
    for (const [at, one] of all.entries()) {
      const next = all[at + 1];
      if (one.end === undefined && !wasKilled(one, losses))
        throw new Error(`it began and never ended, in a process that lived: ${JSON.stringify(all)}`);
      if (!next) continue;
      const end = one.end ?? one.begin;
      if (end <= next.begin) continue;
      const froze = losses.find(
        ({ pid, from, until }) => pid === one.pid && from <= next.begin && next.begin < until + NOTICES_MS,
      );
      const isLapsed = lapsed.has(`${one.run} ${one.attempt}`);
      if (!froze && isLapsed) figures.starved += 1;
      const since = Math.max(froze?.until ?? next.begin, next.begin);
      const both = froze || isLapsed ? end - since : Number.POSITIVE_INFINITY;
      if (both > NOTICES_MS) throw new Error(`two executed it at once: ${JSON.stringify(all)}`);
      figures.afterThaw = Math.max(figures.afterThaw, Math.round(both));
    }
  }
  return figures;
}

function wasKilled({ pid, begin }: ExecutionMarks, losses: readonly Loss[]): boolean {
  return losses.some(
    (loss) => loss.pid === pid && loss.until === Number.POSITIVE_INFINITY && begin <= loss.from + 1,
  );
}
