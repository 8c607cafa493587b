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

/** Kinds of errors after which a run may go on. */
const ERRORS = new Set(["exception", "tool_error"]);

/** What the severity of an issue is made of, for those who explain it. */
export type SeverityReasons = {
  severity: Severity;
  share: number;
  growing: boolean;
  oneThread: boolean;
  handled: boolean;
};

/**
 * How urgent an issue is:
 * 1. by the part of the project's runs that show it, since it was first seen, of the newest 10,000 at most: from 50 %
 *    urgent, from 20 % high, from 5 % medium, else low;
 * 2. one step more when it grows: half of its traces, of at least eight, in the last quarter of its time, of at least
 *    ten minutes;
 * 3. one step less when all of it happened on one thread;
 * 4. one step less for an error after which the run went on, in each of the newest twenty;
 * 5. slow and expensive runs are medium at most, loops and feedback high at most.
 */
export function severityOf(group: FindingGroup): SeverityReasons {
  const share = group.session_shown / Math.max(group.session_traces, group.session_shown, LEAST_RUNS);
  const hasTrend = group.traces >= TREND_TRACES && group.last_seen_at - group.first_seen_at >= TREND_MS;
  const growing = hasTrend && group.recent >= group.traces * GROWING;
  const oneThread = group.threads === 1 && group.traces > 1;
  const handled = group.handled && ERRORS.has(group.detector);
  const byShare = SHARES.findIndex((least) => share >= least);
  const moved = (byShare < 0 ? 3 : byShare) - (growing ? 1 : 0) + (oneThread ? 1 : 0) + (handled ? 1 : 0);
  return {
    severity: bounded(Math.max(moved, AT_MOST[group.detector] ?? 0)),
    share,
    growing,
    oneThread,
    handled,
  };
}

function bounded(value: number): Severity {
  if (value <= 0) return 0;
  return value === 1 ? 1 : value === 2 ? 2 : 3;
}
