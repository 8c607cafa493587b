import type { Issue, Session, WholeIssue } from "@berth/server";
import { Link, useParams } from "wouter";
import { useAction, useElsewhere, useResource } from "../data/index.ts";
import { IssueState, muteOf, revisionName, SeverityBadge } from "../issue/index.ts";
import { Ago, Facts, Loading, PageHead, Problem, Section, useNow } from "../ui/index.ts";
import { DeliveryTable } from "../webhook/index.ts";
import { Evidence } from "./evidence.tsx";
import { Grouping } from "./grouping.tsx";
import { History } from "./history.tsx";
import { IssueActions } from "./issue-actions.tsx";
import { Occurrences } from "./occurrences.tsx";
import { Told } from "./told.tsx";
import "./issues.css";

const BACK = { href: "/issues", label: "Issues" };

/** `/console/issues/{id}`: what goes wrong, why its traces belong together, how it goes, and what to do with it. */
export function IssueScreen() {
  const { id = "" } = useParams();
  const path = `/v1/issues/${id}`;
  const { data: issue, error, refresh } = useResource<WholeIssue>(path, { live: ["issues"] });
  const isSought = useElsewhere(path, error);
  if (error && !isSought && !issue)
    return (
      <>
        <PageHead title="Issue" back={BACK} />
        <Problem error={error} retry={refresh} />
      </>
    );
  return issue ? <ShownIssue key={issue.id} issue={issue} /> : <Loading />;
}

function ShownIssue({ issue }: { issue: WholeIssue }) {
  const { data: session } = useResource<Session>(`/v1/sessions/${issue.session_id}`);
  const action = useAction();
  const mute = muteOf(issue, useNow());
  const deploymentId = session?.deployment_id ?? null;
  const hasRevisions = deploymentId !== null || issue.figures.last_revision !== null;
  return (
    <>
      <PageHead
        title={issue.name}
        back={BACK}
        sub={
          <>
            <SeverityBadge severity={issue.severity} />
            <IssueState issue={issue} />
            <span>{issue.trace_count === 1 ? "1 trace" : `${issue.trace_count} traces`}</span>
            <span>
              first seen <Ago at={issue.first_seen_at} />, last <Ago at={issue.last_seen_at} />
            </span>
            {issue.closed_at !== null && issue.status === "closed" && (
              <span>
                closed <Ago at={issue.closed_at} />
              </span>
            )}
            {issue.regressed_at !== null && (
              <span>
                came back <Ago at={issue.regressed_at} />
              </span>
            )}
            {mute === "until" && (
              <span>
                silent until <Ago at={issue.muted_until} />
              </span>
            )}
            {session && <Link href={`/sessions/${session.id}`}>{session.name}</Link>}
          </>
        }
        actions={
          issue.merged_into === null && (
            <IssueActions issue={issue} action={action} hasRevisions={hasRevisions} />
          )
        }
      />
      <IssueText issue={issue} />
      <Figures issue={issue} deploymentId={deploymentId} />
      <Occurrences issue={issue} deploymentId={deploymentId} />
      <Grouping issue={issue} />
      <Evidence issue={issue} />
      <Told issue={issue} />
      <DeliveryTable
        title="What was told"
        filter={{ issue_id: issue.id }}
        none="Nobody was told anything of it yet."
      />
      <History issueId={issue.id} />
    </>
  );
}

/** What is said of it, paragraph by paragraph. */
function IssueText({ issue: { description, cause, merged_into } }: { issue: Issue }) {
  const paragraphs = description.split(/\n{2,}/).filter((text) => text.trim() !== "");
  return (
    <div className="issue-text">
      {merged_into !== null && (
        <p>
          This issue was merged into <Link href={`/issues/${merged_into}`}>another one</Link>, which has its
          traces.
        </p>
      )}
      {paragraphs.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {cause !== null && (
        <p className="issue-cause">
          <strong>Probably behind it, a model thinks</strong>
          {cause}
        </p>
      )}
    </div>
  );
}

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
