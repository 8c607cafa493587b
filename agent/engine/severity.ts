import type { FindingGroup } from "@berth/store";

/** 0 urgent, 1 high, 2 medium, 3 low. */
export type Severity = 0 | 1 | 2 | 3;

/** Three of three runs are not yet a hundred of a hundred: fewer than this count as this many. */
export const LEAST_RUNS = 20;
/** From this part of the runs on it is urgent, high, medium. */
const SHARES = [0.5, 0.2, 0.05];
/** Fewer traces, or less time, have no trend. */
const TREND_TRACES = 8;
const TREND_MS = 600_000;
/** Spread evenly, a quarter of the traces would be in the last quarter of the time. */
const GROWING = 0.5;

/** Kinds that stop nobody, and how urgent they can be at most. */
const AT_MOST: Record<string, Severity> = { slow_run: 2, token_outlier: 2, negative_feedback: 1, loop: 1 };

/** Kinds of errors after which a run may go on; then it is medium at most. */
const ERRORS = new Set(["exception", "tool_error"]);
const HANDLED_AT_MOST = 2;

/** Kinds that a run may die of. */
const DEADLY = new Set(["exception", "tool_error", "recursion_limit", "timeout"]);

/** What the severity of an issue is made of, for those who explain it. */
export type SeverityReasons = {
  severity: Severity;
  share: number;
  growing: boolean;
  oneThread: boolean;
  handled: boolean;
  died: boolean;
};

/**
 * How urgent an issue is:
 * 1. by the part of the project's runs that show it, since it was first seen, of the newest 10,000 at most: from 50 %
 *    urgent, from 20 % high, from 5 % medium, else low;
 * 2. one step more when it grows: half of its traces, of at least eight, in the last quarter of its time, of at least
 *    ten minutes;
 * 3. one step less when all of it happened on one thread;
 * 4. one step more for what runs died of, among the newest twenty; one step less, and medium at most, for an error
 *    after which each of them went on;
 * 5. slow and expensive runs are medium at most, loops and feedback high at most.
 */
export function severityOf(group: FindingGroup): SeverityReasons {
  const share = group.session_shown / Math.max(group.session_traces, group.session_shown, LEAST_RUNS);
  const hasTrend = group.traces >= TREND_TRACES && group.last_seen_at - group.first_seen_at >= TREND_MS;
  const growing = hasTrend && group.recent >= group.traces * GROWING;
  const oneThread = group.threads === 1 && group.traces > 1;
  const handled = group.handled && ERRORS.has(group.detector);
  const died = !group.handled && DEADLY.has(group.detector);
  const byShare = SHARES.findIndex((least) => share >= least);
  const moved =
    (byShare < 0 ? 3 : byShare) - (growing ? 1 : 0) + (oneThread ? 1 : 0) + (handled ? 1 : died ? -1 : 0);
  const atMost = handled ? HANDLED_AT_MOST : (AT_MOST[group.detector] ?? 0);
  return {
    severity: bounded(Math.max(moved, atMost)),
    share,
    growing,
    oneThread,
    handled,
    died,
  };
}

function bounded(value: number): Severity {
  if (value <= 0) return 0;
  return value === 1 ? 1 : value === 2 ? 2 : 3;
}
