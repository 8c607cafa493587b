import type { Issue, Subscription, SubscriptionsPage } from "@berth/server";
import { Link } from "wouter";
import { useResource } from "../data/index.ts";
import { muteOf, severityName } from "../issue/index.ts";
import { type Column, Section, StatusBadge, Table, useNow } from "../ui/index.ts";
import { targetOf } from "../webhook/index.ts";

/** Which webhooks and chats hear of an issue from now on, and why the others do not. */
export function Told({ issue }: { issue: Issue }) {
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
export type Hears = { hears: boolean; words: string };

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
