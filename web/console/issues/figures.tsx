import type { WholeIssue } from "@berth/server";
import { Link } from "wouter";
import { Ago, Facts, Section } from "../ui/index.ts";
import { revisionName } from "./issue.ts";

/** What an issue comes to now, whoever chose its words. */
export function Figures({ issue, deploymentId }: { issue: WholeIssue; deploymentId: string | null }) {
  const { runs, shown, share, recent_trace, typical_trace } = issue.figures;
  const part = share === null ? "–" : `${percent(share)}: ${shown} of ${runs} runs since the first`;
  const facts = [
    { label: "Part of the runs", value: part },
    { label: "Severity", value: issue.severity_reason || "–" },
    { label: "Revisions", value: <Revisions issue={issue} deploymentId={deploymentId} /> },
    { label: "A recent run", value: recent_trace && <Run {...recent_trace} /> },
    { label: "A typical run", value: typical_trace && <Run {...typical_trace} /> },
  ];
  return (
    <Section title="Now" testId="figures">
      <Facts items={facts} />
    </Section>
  );
}

const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

function Revisions({ issue, deploymentId }: { issue: WholeIssue; deploymentId: string | null }) {
  const { first_revision: first, last_revision: last } = issue.figures;
  if (first === null || last === null) return "Its runs name none";
  const words =
    first.id === last.id
      ? `Only on ${revisionName(first)}`
      : `From ${revisionName(first)} to ${revisionName(last)}`;
  return deploymentId === null ? words : <Link href={`/deployments/${deploymentId}/revisions`}>{words}</Link>;
}

const Run = ({ trace_id, run_id, start_time }: { trace_id: string; run_id: string; start_time: string }) => (
  <Link href={`/traces/${trace_id}?span=${run_id}`} title={trace_id}>
    <code>{trace_id.slice(-8)}</code>, <Ago at={start_time} />
  </Link>
);
