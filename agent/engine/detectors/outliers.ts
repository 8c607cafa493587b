import type { Baseline, Percentiles, Span } from "@berth/store";
import type { Evidence, Observation } from "./evidence.ts";

/** Before that, nobody knows what is usual. */
const BASELINE_RUNS = 200;

/**
 * An outlier is above twice what 99 of 100 runs stay below, and above four times what is usual; and above a floor, since
 * nobody minds ten milliseconds instead of two.
 */
const FACTOR_P99 = 2;
const FACTOR_P50 = 4;
const LATENCY_FLOOR_MS = 1_000;
const TOKENS_FLOOR = 1_000;
/** A step that takes this part of the whole is what makes it slow. */
const MOST_OF_IT = 0.5;

/** Runs that went well but took far longer, or used far more tokens, than those of the session usually do. */
export function outliers(evidence: Evidence, baseline: Baseline): Observation[] {
  const { trace } = evidence.whole;
  if (baseline.count < BASELINE_RUNS || trace.status !== "success") return [];
  const found: Observation[] = [];
  const latency = trace.latency_ms ?? 0;
  if (isOutlier(latency, baseline.latency, LATENCY_FLOOR_MS)) {
    const slow = heaviest(evidence, (span) => (span.end_time ?? span.start_time) - span.start_time, latency);
    found.push(
      observation(evidence, slow, {
        detector: "slow_run",
        error_type: "SlowRun",
        message: "The run takes far longer than usual",
        reason: `The run took ${seconds(latency)}; half of all runs take ${seconds(baseline.latency.p50)} at most, and 99 of 100 ${seconds(baseline.latency.p99)}.`,
      }),
    );
  }
  if (isOutlier(trace.total_tokens, baseline.tokens, TOKENS_FLOOR)) {
    const large = heaviest(evidence, (span) => span.total_tokens ?? 0, trace.total_tokens);
    found.push(
      observation(evidence, large, {
        detector: "token_outlier",
        error_type: "TokenOutlier",
        message: "The run uses far more tokens than usual",
        reason: `The run used ${trace.total_tokens} tokens; half of all runs use ${baseline.tokens.p50} at most, and 99 of 100 ${baseline.tokens.p99}.`,
      }),
    );
  }
  return found;
}

function isOutlier(value: number, { p50, p99 }: Percentiles, floor: number): boolean {
  return value > Math.max(p99 * FACTOR_P99, p50 * FACTOR_P50, floor);
}

/** The step below the graph itself that made the most of it; undefined when no single one did. */
function heaviest(evidence: Evidence, weight: (span: Span) => number, whole: number): Span | undefined {
  const { root } = evidence;
  const steps = evidence.spans.filter((span) => span.id !== root?.id && evidence.children(span).length === 0);
  const heavy = steps.reduce<Span | undefined>(
    (one, other) => (one && weight(one) >= weight(other) ? one : other),
    undefined,
  );
  return heavy && weight(heavy) >= whole * MOST_OF_IT ? heavy : undefined;
}

function observation(
  evidence: Evidence,
  span: Span | undefined,
  seen: Pick<Observation, "detector" | "error_type" | "message" | "reason">,
): Observation {
  const most = span ? ` Most of it was ${evidence.place(span).replace(/,$/, "")}.` : "";
  return {
    ...seen,
    node: span ? evidence.node(span) : null,
    tool: span ? evidence.tool(span) : null,
    reason: seen.reason + most.replace("was The ", "was the ").replace("was A ", "was a "),
    run_id: span?.id ?? evidence.whole.trace.id,
  };
}

const seconds = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);
