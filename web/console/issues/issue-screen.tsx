import type { Fingerprint, Issue, Session, Subscription, SubscriptionsPage, WholeIssue } from "@berth/server";
import { Link, useParams } from "wouter";
import { useAction, useResource } from "../data/index.ts";
import { detectorName, IssueState, muteOf, revisionName, SeverityBadge, severityName } from "../issue.tsx";
import {
  Ago,
  type Column,
  Facts,
  PageHead,
  Section,
  StatusBadge,
  Table,
  ThingScreen,
  useNow,
} from "../ui/index.ts";
import { DeliveryTable, targetOf } from "../webhook.tsx";
import { Evidence } from "./evidence.tsx";
import { History } from "./history.tsx";
import { IssueActions } from "./issue-actions.tsx";
import { Occurrences } from "./occurrences.tsx";
import "./issues.css";

const BACK = { href: "/issues", label: "Issues" };

/** `/console/issues/{id}`: what goes wrong, why its traces belong together, how it goes, and what to do with it. */
export function IssueScreen() {
  const { id = "" } = useParams();
  return (
    <ThingScreen<WholeIssue> path={`/v1/issues/${id}`} live={["issues"]} title="Issue" back={BACK}>
      {(issue) => <ShownIssue key={issue.id} issue={issue} />}
    </ThingScreen>
  );
}

function ShownIssue({ issue }: { issue: WholeIssue }) {
  const { data: session } = useResource<Session>(`/v1/sessions/${issue.session_id}`);
  const action = useAction();
  const deploymentId = session?.deployment_id ?? null;
  const hasRevisions = deploymentId !== null || issue.figures.last_revision !== null;
  return (
    <>
      <PageHead
        title={issue.name}
        back={BACK}
        sub={<Summary issue={issue} session={session} />}
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

/** How bad it is, how it stands, and when it was seen. */
function Summary({ issue, session }: { issue: Issue; session: Session | undefined }) {
  const mute = muteOf(issue, useNow());
  return (
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
function Figures({ issue, deploymentId }: { issue: WholeIssue; deploymentId: string | null }) {
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

/** Why traces were put together, in words, and what the next one is recognised by. */
function Grouping({ issue: { fingerprints } }: { issue: Issue }) {
  if (fingerprints.length === 0)
    return (
      <Section title="Why these belong together">
        <p className="dialog-note">
          Somebody picked its traces by hand: no further one is recognised by itself.
        </p>
      </Section>
    );
  // An older version's stands beside the one that took it over: nobody put these together.
  const newest = Math.max(...fingerprints.map(({ version }) => version));
  const kinds = fingerprints.filter(({ version }) => version === newest).length;
  return (
    <Section
      title="Why these belong together"
      note={kinds > 1 ? `${kinds} kinds, put together by a person` : undefined}
      testId="grouping"
    >
      <ul className="issue-why">
        {fingerprints.map((print) => (
          <li key={print.fingerprint}>
            <p className="issue-why-reason">{print.reason}</p>
            <dl className="issue-why-parts">
              {partsOf(print).map(([name, value]) => (
                <Part key={name} name={name} value={value} />
              ))}
            </dl>
          </li>
        ))}
      </ul>
      <p className="dialog-note">
        A run belongs here when all of these are the same. What changes from run to run, such as ids, names
        and paths, is left out of the message as &lt;…&gt;.
      </p>
    </Section>
  );
}

function Part({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{name === "Found as" ? value : <code>{value}</code>}</dd>
    </>
  );
}

function partsOf({ detector, error_type, node, tool, thrown_at, message }: Fingerprint): [string, string][] {
  const parts: [string, string | null][] = [
    ["Found as", detectorName(detector)],
    ["Error", error_type],
    ["Node", node],
    ["Tool", tool],
    ["Thrown in", thrown_at],
    ["Message", message],
  ];
  return parts.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

/** Which webhooks and chats hear of an issue from now on, and why the others do not. */
function Told({ issue }: { issue: Issue }) {
  const { data } = useResource<SubscriptionsPage>("/v1/issue-webhooks?limit=100", {
    live: ["subscriptions"],
  });
  const now = useNow();
  if (data === undefined) return null;
  const rows = data.resources.map((subscription) => ({
    subscription,
    ...whatIsTold(subscription, issue, now),
  }));
  return (
    <Section title="Who hears of it" testId="told">
      <Table
        label="Who hears of this issue"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ subscription }) => subscription.id}
        hrefOf={({ subscription }) => `/webhooks/${subscription.id}`}
        empty={
          <p className="dialog-note">
            Nobody: there is no webhook. <Link href="/webhooks?new=1">Add one</Link> to be told by a program
            or a chat.
          </p>
        }
      />
    </Section>
  );
}

type Row = { subscription: Subscription; hears: boolean; words: string };

const COLUMNS: Column<Row>[] = [
  { name: "Webhook", width: "minmax(12rem, 2fr)", cell: ({ subscription }) => targetOf(subscription) },
  {
    name: "Hears",
    width: "6rem",
    cell: ({ hears }) => <StatusBadge status={hears ? "active" : "disabled"} words={hears ? "Yes" : "No"} />,
  },
  { name: "Why", width: "minmax(12rem, 3fr)", cell: ({ words }) => words },
];

/** What a subscription hears of an issue. */
type Hears = { hears: boolean; words: string };

/** Whether a subscription hears of further traces of an issue, and why not: the same rules as in the server. */
export function whatIsTold(subscription: Subscription, issue: Issue, now: number): Hears {
  const not = (words: string): Hears => ({ hears: false, words });
  const { state, session_id, severity_threshold, event_types } = subscription;
  if (state === "disabled") return not("It is disabled.");
  if (session_id !== null && session_id !== issue.session_id) return not("It is for another project.");
  if (issue.severity > severity_threshold)
    return not(
      `The issue is ${severityName(issue.severity).toLowerCase()}, it asks for ${severityName(severity_threshold).toLowerCase()}${severity_threshold > 0 ? " or worse" : ""}.`,
    );
  if (!event_types.includes("issue.trace.added"))
    return event_types.includes("issue.created")
      ? not("It is told when an issue opens, not of further traces.")
      : not("It asks for other events.");
  if (muteOf(issue, now) !== "no") return not("The issue is muted.");
  if (issue.status === "closed" && issue.resolution !== "fixed") return not("The issue is closed for good.");
  if (issue.status === "closed" && issue.fixed_in_next_revision)
    return not("The issue is fixed in the next revision: it is told when a later one shows it.");
  return { hears: true, words: "It is told of every further trace." };
}
