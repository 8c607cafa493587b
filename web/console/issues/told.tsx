import type { Issue, Subscription, SubscriptionsPage } from "@berth/server";
import { Link } from "wouter";
import { useResource } from "../data/index.ts";
import { type Column, Section, StatusBadge, Table, useNow } from "../ui/index.ts";
import { targetOf } from "../webhooks/subscription.ts";
import { whatIsTold } from "./who-is-told.ts";

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
