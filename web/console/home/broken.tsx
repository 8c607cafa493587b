import type { Issue, IssuesPage, Subscription, SubscriptionsPage } from "@berth/server";
import { CircleCheck, Rocket, Webhook } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useResource } from "../data/index.ts";
import { hasFailed, keepsEnding } from "../deployment.tsx";
import { SeverityBadge } from "../issue.tsx";
import { Ago, Section, StatusBadge } from "../ui/index.ts";
import type { RunningHere } from "./overview.ts";
import { WORDS } from "./words.tsx";

const MOST_ISSUES = 6;

/** What somebody should look at, the worst first. */
export function Broken({ running }: { running: readonly RunningHere[] }) {
  const issues = useResource<IssuesPage>(
    `/v1/issues?status=open&muted=false&order=severity&limit=${MOST_ISSUES + 1}`,
    { live: ["issues"] },
  ).data?.resources;
  const webhooks = useResource<SubscriptionsPage>("/v1/issue-webhooks?limit=100", {
    live: ["subscriptions", "deliveries"],
  }).data?.resources;
  if (!issues || !webhooks) return null;
  const rows = [...failedRevisions(running), ...failingWebhooks(webhooks), ...issueRows(issues)];
  const hasMore = issues.length > MOST_ISSUES;
  return (
    <Section
      title={WORDS.problems}
      testId="broken"
      {...(hasMore && { actions: <Link href="/issues?order=severity">{WORDS.allOpenIssues}</Link> })}
    >
      {rows.length === 0 ? (
        <p className="all-well" data-testid="all-well">
          <CircleCheck />
          {WORDS.nothingIsBroken}
        </p>
      ) : (
        <ul className="broken">{rows}</ul>
      )}
    </Section>
  );
}

function failedRevisions(running: readonly RunningHere[]): ReactNode[] {
  return running.flatMap(({ deployment, revisions }) =>
    revisions
      .filter((one, at) => (at === 0 && hasFailed(one)) || keepsEnding(one, deployment))
      .map((revision) => (
        <BrokenRow
          key={revision.id}
          href={`/deployments/${deployment.id}`}
          sign={
            <StatusBadge
              status={revision.status}
              {...(keepsEnding(revision, deployment) && { words: WORDS.keepsCrashing })}
            />
          }
          icon={<Rocket />}
          title={`${deployment.name} #${revision.number}`}
          note={revision.status_message}
          at={revision.ended_at ?? revision.created_at}
        />
      )),
  );
}

function failingWebhooks(webhooks: readonly Subscription[]): ReactNode[] {
  return webhooks
    .filter(({ state, notice }) => state === "failing" || (state === "disabled" && notice !== null))
    .map(({ id, url, channel, state, notice, updated_at }) => (
      <BrokenRow
        key={id}
        href={`/webhooks/${id}`}
        sign={<StatusBadge status={state} />}
        icon={<Webhook />}
        title={url ?? channel ?? id}
        note={notice}
        at={updated_at}
      />
    ));
}

function issueRows(issues: readonly Issue[]): ReactNode[] {
  return issues
    .slice(0, MOST_ISSUES)
    .map(({ id, name, severity, trace_count, last_seen_at }) => (
      <BrokenRow
        key={id}
        href={`/issues/${id}`}
        sign={<SeverityBadge severity={severity} />}
        title={name}
        note={WORDS.traces(trace_count)}
        at={last_seen_at}
      />
    ));
}

type BrokenRowProps = {
  href: string;
  sign: ReactNode;
  icon?: ReactNode;
  title: string;
  note: string | null;
  at: string;
};

function BrokenRow({ href, sign, icon, title, note, at }: BrokenRowProps) {
  return (
    <li>
      <Link href={href} className="broken-row" data-testid="broken-row">
        <span className="broken-sign">{sign}</span>
        <span className="broken-title">
          {icon}
          {title}
        </span>
        {note && <span className="broken-note">{note}</span>}
        <span className="broken-at">
          <Ago at={at} />
        </span>
      </Link>
    </li>
  );
}
