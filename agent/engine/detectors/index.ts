import type { Baseline, WholeTrace } from "@berth/store";
import { fingerprintOf } from "../fingerprint/index.ts";
import type { Observed } from "../grouping.ts";
import { answers } from "./answers.ts";
import { Evidence, type Observation } from "./evidence.ts";
import { exceptions } from "./exceptions.ts";
import { negativeFeedback } from "./feedback.ts";
import { loops, recursionLimits } from "./loops.ts";
import { outliers } from "./outliers.ts";
import { timeouts } from "./timeouts.ts";
import { toolMessages } from "./tool-messages.ts";

/** More kinds of failure in one trace tell nobody more. */
const MOST_FINDINGS = 20;

const detectors: ((evidence: Evidence, baseline: Baseline) => Observation[])[] = [
  exceptions,
  toolMessages,
  recursionLimits,
  timeouts,
  loops,
  answers,
  negativeFeedback,
  outliers,
];

/**
 * What is wrong in a trace, each kind once. No model is asked.
 * @param baseline what runs of the session usually take
 */
export function detect(whole: WholeTrace, baseline: Baseline): Observed[] {
  const evidence = new Evidence(whole);
  const found = new Map<string, Observed>();
  for (const observation of detectors.flatMap((detector) => detector(evidence, baseline))) {
    const { facts, ...said } = observation;
    const finding = {
      ...said,
      ...fingerprintOf({ ...said, facts }),
      trace_id: whole.trace.id,
      text: said.message,
    };
    if (found.size < MOST_FINDINGS && !found.has(finding.fingerprint))
      found.set(finding.fingerprint, finding);
  }
  return [...found.values()];
}
