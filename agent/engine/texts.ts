import type { FindingGroup, IssueSeen, Judgement } from "@berth/store";
import { LEAST_RUNS, type SeverityReasons, severityOf } from "./severity.ts";

const LONGEST_NAME = 140;
const EXAMPLES = 3;
/** Of the runs of a project, the newest so many are counted. */
const MOST_COUNTED = 10_000;

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

/** Severity, title and description from templates: what happens, how often, and why these traces are one issue. */
export function describe(group: FindingGroup, seen: IssueSeen = newlySeen(group)): Required<Judgement> {
  const reasons = severityOf(group);
  const why = whySeverity(group, reasons);
  const description = descriptionOf(
    group,
    seen,
    `${severityName(seen.chosen_severity ?? reasons.severity)}: ${
      seen.chosen_severity === null ? why : "somebody chose it"
    }.`,
  );
  return { name: nameOf(group), description, severity: reasons.severity, why };
}

/** An issue that is about to open is what its findings are. */
const newlySeen = ({ traces, first_seen_at, last_seen_at }: FindingGroup): IssueSeen => ({
  ...{ kinds: 1, traces, first_seen_at, last_seen_at, regressions: 0, regressed_at: null },
  ...{ first_revision: null, last_revision: null, chosen_severity: null },
});

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

function descriptionOf(group: FindingGroup, seen: IssueSeen, severity: string): string {
  const examples = [...new Set([group.reason, ...group.sample.map(({ reason }) => reason)])].slice(
    0,
    EXAMPLES,
  );
  return [
    `${capital(subjectOf(group))} ${KINDS[group.detector]?.what(group) ?? "shows the same problem"}.`,
    [frequency(group, seen), ...revisions(seen), ...regressions(seen), ...runs(group)].join(" "),
    `Message: ${group.message || "(none)"}`,
    examples.length > 1 ? `What was seen:\n${examples.map((each) => `- ${each}`).join("\n")}` : examples[0],
    whyGrouped(group, seen),
    severity,
  ].join("\n\n");
}

function frequency({ threads, session_shown, session_traces }: FindingGroup, seen: IssueSeen): string {
  const { traces, first_seen_at, last_seen_at } = seen;
  const of =
    session_traces > session_shown
      ? ` (${session_shown} of the project's ${session_traces === MOST_COUNTED ? "newest " : ""}${session_traces} since then, ${percent(session_shown / session_traces)})`
      : "";
  const spread = threads > 1 ? `, on ${threads} threads` : "";
  return `Seen in ${traces} ${traces === 1 ? "run" : "runs"}${of}${spread}, first at ${time(first_seen_at)}, last at ${time(last_seen_at)}.`;
}

function revisions({ first_revision: first, last_revision: last }: IssueSeen): string[] {
  if (first === null || last === null) return [];
  const name = ({ id, number }: typeof first) => (number === null ? id : String(number));
  return [
    first.id === last.id ? `On revision ${name(first)}.` : `From revision ${name(first)} to ${name(last)}.`,
  ];
}

function regressions({ regressions: count, regressed_at }: IssueSeen): string[] {
  if (regressed_at === null) return [];
  const often = count === 1 ? "" : ` ${count} times`;
  return [`It was fixed and came back${often}, last at ${time(regressed_at)}.`];
}

function runs({ sample: [recent], typical_trace_id: typical }: FindingGroup): string[] {
  if (!recent) return [];
  return [
    `The newest is in the trace ${recent.trace_id}${typical === null || typical === recent.trace_id ? "" : `, a typical one in ${typical}`}.`,
  ];
}

/** What a person needs to judge whether these belong together. */
function whyGrouped(
  { detector, error_type, node, tool, thrown_at, message, version }: FindingGroup,
  { kinds }: IssueSeen,
): string {
  const same = [
    KINDS[detector]?.same ?? `the same kind of finding (${detector})`,
    `the type ${error_type}`,
    ...(node === null ? [] : [`the node ${node}`]),
    ...(tool === null ? [] : [`the tool ${tool}`]),
    ...(thrown_at ? [`the place ${thrown_at}`] : []),
  ];
  const varying = /<\w+>/.test(message)
    ? "the same message, apart from what stands in angle brackets, which differs from run to run"
    : "the same message";
  const others =
    kinds > 1
      ? ` Somebody merged it with ${kinds - 1} other ${kinds === 2 ? "kind" : "kinds"} of failure.`
      : "";
  return `Why these are one issue: each shows ${same.join(", ")} and ${varying} (fingerprint version ${version}).${others}`;
}

function whySeverity(
  { session_shown, session_traces, traces, detector }: FindingGroup,
  { share, growing, oneThread, handled, died }: SeverityReasons,
): string {
  const rated =
    session_traces < LEAST_RUNS ? `, rated as ${session_shown} of ${LEAST_RUNS}` : ` (${percent(share)})`;
  return [
    `${session_shown} of ${session_traces} runs affected${rated}${growing ? " and rising" : ""}`,
    ...(oneThread ? [`all ${traces} are on one thread`] : []),
    ...(died ? ["runs died of it"] : []),
    ...(handled
      ? [detector === "tool_error" ? "the run goes on after it" : "the run does not fail of it"]
      : []),
  ].join(", ");
}

const severityName = (severity: number) => `Severity ${severity} (${SEVERITIES[severity]})`;

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME - 1)}…` : line;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const percent = (share: number) => `${Math.max(1, Math.round(share * 100))} %`;
const time = (at: number) => new Date(at).toISOString();
