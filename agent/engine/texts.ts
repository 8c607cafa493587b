import type { FindingGroup } from "@berth/store";
import { LEAST_RUNS, type SeverityReasons, severityOf } from "./severity.ts";

const LONGEST_NAME = 140;
const EXAMPLES = 3;

const SEVERITIES = ["urgent", "high", "medium", "low"];

const KINDS: Record<string, { what(group: FindingGroup): string; same: string }> = {
  exception: { what: ({ error_type }) => `threw ${error_type}`, same: "an exception of the same type" },
  tool_error: { what: () => "fails", same: "a failure of the same tool" },
  recursion_limit: { what: () => "reaches its recursion limit", same: "a recursion limit that was reached" },
  timeout: { what: () => "runs into its time limit", same: "a time limit that ended the run" },
  loop: { what: () => "is called again and again with the same arguments", same: "a loop of the same call" },
  cut_off_answer: { what: () => "ends its answer at the token limit", same: "an answer that was cut off" },
  empty_answer: { what: () => "ends with an empty answer", same: "an empty answer" },
  negative_feedback: { what: () => "gets negative feedback", same: "negative feedback under the same key" },
  slow_run: { what: () => "takes far longer than usual", same: "a run that was far slower than usual" },
  token_outlier: {
    what: () => "uses far more tokens than usual",
    same: "a run that used far more tokens than usual",
  },
};

/** A title and a description from templates: what happens, how often, and why these traces are one issue. */
export function describe(group: FindingGroup): { name: string; description: string; severity: number } {
  const severity = severityOf(group);
  return { name: nameOf(group), description: descriptionOf(group, severity), severity: severity.severity };
}

function nameOf(group: FindingGroup): string {
  const subject = subjectOf(group);
  const kind = KINDS[group.detector];
  if (group.detector === "exception") return short(`${group.error_type} in ${subject}: ${group.message}`);
  if (group.detector === "tool_error") {
    const type = group.error_type === "Error" ? "" : `${group.error_type}: `;
    return short(`${capital(subject)} fails: ${type}${group.message}`);
  }
  return short(`${capital(subject)} ${kind?.what(group) ?? group.message}`);
}

function subjectOf({ detector, tool, node }: FindingGroup): string {
  if (tool !== null) return `the tool ${tool}`;
  if (node !== null) return `the node ${node}`;
  return detector === "cut_off_answer" ? "the model" : "the run";
}

function descriptionOf(group: FindingGroup, severity: SeverityReasons): string {
  const examples = [...new Set([group.reason, ...group.sample.map(({ reason }) => reason)])].slice(
    0,
    EXAMPLES,
  );
  return [
    `${capital(subjectOf(group))} ${KINDS[group.detector]?.what(group) ?? "shows the same problem"}.`,
    frequency(group),
    `Message: ${group.message || "(none)"}`,
    examples.length > 1 ? `What was seen:\n${examples.map((each) => `- ${each}`).join("\n")}` : examples[0],
    whyGrouped(group),
    whySeverity(group, severity),
  ].join("\n\n");
}

function frequency({ traces, session_traces, threads, first_seen_at, last_seen_at }: FindingGroup): string {
  const of = session_traces > traces ? ` of the project's ${session_traces} since then` : "";
  const spread = threads > 1 ? `, on ${threads} threads` : "";
  return `Seen in ${traces} ${traces === 1 ? "run" : "runs"}${of}${spread}, first at ${time(first_seen_at)}, last at ${time(last_seen_at)}.`;
}

/** What a person needs to judge whether these belong together. */
function whyGrouped({ detector, error_type, node, tool, message, version }: FindingGroup): string {
  const same = [
    KINDS[detector]?.same ?? `the same kind of finding (${detector})`,
    `the type ${error_type}`,
    ...(node === null ? [] : [`the node ${node}`]),
    ...(tool === null ? [] : [`the tool ${tool}`]),
  ];
  const varying = /<\w+>/.test(message)
    ? "the same message, apart from what stands in angle brackets, which differs from run to run"
    : "the same message";
  return `Why these are one issue: each shows ${same.join(", ")} and ${varying} (fingerprint version ${version}).`;
}

function whySeverity(
  { traces, session_traces }: FindingGroup,
  { severity, share, growing, oneThread }: SeverityReasons,
): string {
  const why = [
    session_traces < LEAST_RUNS
      ? `${traces} runs show it, of fewer than ${LEAST_RUNS}, which count as ${LEAST_RUNS}: ${percent(share)}`
      : `${percent(share)} of the runs show it`,
    ...(growing ? ["it becomes more frequent"] : []),
    ...(oneThread ? [`all ${traces} are on one thread`] : []),
  ];
  return `Severity ${severity} (${SEVERITIES[severity]}) when it was opened: ${why.join(", ")}.`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME - 1)}…` : line;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const percent = (share: number) => `${Math.max(1, Math.round(share * 100))} %`;
const time = (at: number) => new Date(at).toISOString();
