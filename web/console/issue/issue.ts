import type { Issue, RevisionName } from "@berth/server";

/** By its number, or as whoever sent the runs calls it. */
export const revisionName = ({ id, number }: RevisionName): string => (number === null ? id : String(number));

export const SEVERITIES = ["Urgent", "High", "Medium", "Low"] as const;

export const severityName = (severity: number): string => SEVERITIES[severity] ?? String(severity);

export const RESOLUTIONS = {
  fixed: "Fixed",
  wont_fix: "Won’t fix",
  not_an_issue: "Not an issue",
} as const;

/** What the engine looks for, in words. */
const DETECTORS: Record<string, string> = {
  exception: "Exception",
  tool_error: "Tool error",
  recursion_limit: "Recursion limit",
  loop: "Loop",
  timeout: "Time-out",
  cut_off_answer: "Cut-off answer",
  empty_answer: "Empty answer",
  negative_feedback: "Negative feedback",
  slow_run: "Slow run",
  token_outlier: "Too many tokens",
};

export const detectorName = (detector: string): string => DETECTORS[detector] ?? detector;

/** No year has more than four digits: this is for good. */
const FOR_GOOD = Date.parse("9999-01-01T00:00:00Z");

/** Whether and until when an issue is silent. */
export function muteOf(
  { muted_until }: Pick<Issue, "muted_until">,
  now: number,
): "no" | "until" | "for good" {
  const until = muted_until === null ? 0 : Date.parse(muted_until);
  if (until <= now) return "no";
  return until >= FOR_GOOD ? "for good" : "until";
}
