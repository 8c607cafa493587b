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
import { WORDS } from "./words.tsx";
import "./issues.css";

const BACK = { href: "/issues", label: WORDS.issues };

/** `/console/issues/{id}`: what goes wrong, why its traces belong together, how it goes, and what to do with it. */
export function IssueScreen() {
  const { id = "" } = useParams();
  return (
    <ThingScreen<WholeIssue> path={`/v1/issues/${id}`} live={["issues"]} title={WORDS.issue} back={BACK}>
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
      <DeliveryTable title={WORDS.deliveries} filter={{ issue_id: issue.id }} none={WORDS.noDeliveriesYet} />
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
      <span>{WORDS.traces(issue.trace_count)}</span>
      <span>{WORDS.firstSeenLast(<Ago at={issue.first_seen_at} />, <Ago at={issue.last_seen_at} />)}</span>
      {issue.closed_at !== null && issue.status === "closed" && (
        <span>{WORDS.closedAgo(<Ago at={issue.closed_at} />)}</span>
      )}
      {issue.regressed_at !== null && <span>{WORDS.cameBack(<Ago at={issue.regressed_at} />)}</span>}
      {mute === "until" && <span>{WORDS.nowMutedUntil(<Ago at={issue.muted_until} />)}</span>}
      {session && <Link href={`/sessions/${session.id}`}>{session.name}</Link>}
    </>
  );
}

/** What is said of it: all that a person wrote; of what the engine wrote first what it is, since the rest is below. */
function IssueText({ issue: { description, cause, merged_into, text_kept } }: { issue: Issue }) {
  const paragraphs = description.split(/\n{2,}/).filter((text) => text.trim() !== "");
  const shown = text_kept ? paragraphs : paragraphs.slice(0, 1);
  const more = paragraphs.slice(shown.length);
  return (
    <div className="issue-text">
      {merged_into !== null && (
        <p>{WORDS.wasMergedInto(<Link href={`/issues/${merged_into}`}>{WORDS.anotherOne}</Link>)}</p>
      )}
      <Paragraphs texts={shown} />
      {more.length > 0 && (
        <details data-testid="issue-description">
          <summary>{WORDS.fullDescription}</summary>
          <Paragraphs texts={more} />
        </details>
      )}
      {cause !== null && (
        <p className="issue-cause">
          <strong>{WORDS.likelyCause}</strong>
          {cause}
        </p>
      )}
    </div>
  );
}

const Paragraphs = ({ texts }: { texts: readonly string[] }) => texts.map((text) => <p key={text}>{text}</p>);

/** What an issue comes to now, whoever chose its words. */
function Figures({ issue, deploymentId }: { issue: WholeIssue; deploymentId: string | null }) {
  const { runs, shown, share, recent_trace, typical_trace } = issue.figures;
  const part = share === null ? "–" : WORDS.runsSinceTheFirst(percent(share), shown, runs);
  const facts = [
    { label: WORDS.affectedRuns, value: part },
    { label: WORDS.severity, value: issue.severity_reason || "–" },
    { label: WORDS.revisions, value: <Revisions issue={issue} deploymentId={deploymentId} /> },
    { label: WORDS.aRecentRun, value: recent_trace && <Run {...recent_trace} /> },
    { label: WORDS.aTypicalRun, value: typical_trace && <Run {...typical_trace} /> },
  ];
  return (
    <Section title={WORDS.now} testId="figures">
      <Facts items={facts} />
    </Section>
  );
}

const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

function Revisions({ issue, deploymentId }: { issue: WholeIssue; deploymentId: string | null }) {
  const { first_revision: first, last_revision: last } = issue.figures;
  if (first === null || last === null) return WORDS.unknown;
  const words =
    first.id === last.id
      ? WORDS.onlyOn(revisionName(first))
      : WORDS.fromTo(revisionName(first), revisionName(last));
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
      <Section title={WORDS.whyTheseBelongTogether}>
        <p className="dialog-note">{WORDS.somebodyChoseItsTraces}</p>
      </Section>
    );
  // An older version's stands beside the one that took it over: nobody put these together.
  const newest = Math.max(...fingerprints.map(({ version }) => version));
  const kinds = fingerprints.filter(({ version }) => version === newest).length;
  return (
    <Section
      title={WORDS.whyTheseBelongTogether}
      note={kinds > 1 ? WORDS.kindsMerged(kinds) : undefined}
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
      <p className="dialog-note">{WORDS.groupingNote}</p>
    </Section>
  );
}

function Part({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{name === WORDS.foundAs ? value : <code>{value}</code>}</dd>
    </>
  );
}

function partsOf({ detector, error_type, node, tool, thrown_at, message }: Fingerprint): [string, string][] {
  const parts: [string, string | null][] = [
    [WORDS.foundAs, detectorName(detector)],
    [WORDS.error, error_type],
    [WORDS.node, node],
    [WORDS.tool, tool],
    [WORDS.thrownIn, thrown_at],
    [WORDS.message, message],
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
    <Section title={WORDS.whoIsTold} testId="told">
      <Table
        label={WORDS.whoIsToldAbout}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ subscription }) => subscription.id}
        hrefOf={({ subscription }) => `/webhooks/${subscription.id}`}
        empty={
          <p className="dialog-note">
            {WORDS.nobodyTold(<Link href="/webhooks?new=1">{WORDS.addOne}</Link>)}
          </p>
        }
      />
    </Section>
  );
}

type Row = { subscription: Subscription; hears: boolean; words: string };

const COLUMNS: Column<Row>[] = [
  { name: WORDS.webhook, width: "minmax(12rem, 2fr)", cell: ({ subscription }) => targetOf(subscription) },
  {
    name: WORDS.told,
    width: "6rem",
    cell: ({ hears }) => (
      <StatusBadge status={hears ? "active" : "disabled"} words={hears ? WORDS.yes : WORDS.no} />
    ),
  },
  { name: WORDS.why, width: "minmax(12rem, 3fr)", cell: ({ words }) => words },
];

/** What a subscription hears of an issue. */
type Hears = { hears: boolean; words: string };

/** Whether a subscription hears of further traces of an issue, and why not: the same rules as in the server. */
export function whatIsTold(subscription: Subscription, issue: Issue, now: number): Hears {
  const not = (words: string): Hears => ({ hears: false, words });
  const { state, session_id, severity_threshold, event_types } = subscription;
  if (state === "disabled") return not(WORDS.webhookDisabled);
  if (session_id !== null && session_id !== issue.session_id) return not(WORDS.webhookOfOtherProject);
  if (issue.severity > severity_threshold)
    return not(
      WORDS.severityTooLow(
        severityName(issue.severity).toLowerCase(),
        severityName(severity_threshold).toLowerCase() + (severity_threshold > 0 ? WORDS.orWorse : ""),
      ),
    );
  if (!event_types.includes("issue.trace.added"))
    return event_types.includes("issue.created") ? not(WORDS.toldWhenOpened) : not(WORDS.otherEvents);
  if (muteOf(issue, now) !== "no") return not(WORDS.issueMuted);
  if (issue.status === "closed" && issue.resolution !== "fixed") return not(WORDS.issueClosed);
  if (issue.status === "closed" && issue.fixed_in_next_revision) return not(WORDS.issueFixed);
  return { hears: true, words: WORDS.toldOfEveryTrace };
}
