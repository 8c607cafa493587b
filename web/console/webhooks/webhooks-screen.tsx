import type { Subscription } from "@berth/server";
import { Plus, Webhook } from "lucide-react";
import { Button } from "../../ui/index.ts";
import { useAddressQuery, usePages } from "../data/index.ts";
import { type NamedSessions, useSessions } from "../issue.tsx";
import { Ago, type Column, Empty, PagedTable, PageHead, StatusBadge, Tabs } from "../ui/index.ts";
import { targetOf, thresholdWords } from "../webhook.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { WORDS } from "./words.tsx";
import "./webhooks.css";

/** `/console/webhooks`: who is told of issues, and everything that was sent. */
export function WebhooksScreen() {
  const query = useAddressQuery();
  const isLog = query.get("tab") === "deliveries";
  const open = () => query.set({ new: "1" });
  return (
    <>
      <PageHead
        title={WORDS.webhooks}
        sub={WORDS.webhooksNote}
        actions={
          <Button look="primary" icon={<Plus />} onClick={open} data-testid="new-webhook">
            {WORDS.newWebhook}
          </Button>
        }
      />
      <Tabs
        items={[
          { id: "webhooks", label: WORDS.webhooks, href: "/webhooks" },
          { id: "deliveries", label: WORDS.deliveries, href: "/webhooks?tab=deliveries" },
        ]}
        current={isLog ? "deliveries" : "webhooks"}
      />
      {isLog ? <DeliveryLog /> : <SubscriptionList onNew={open} />}
      {query.get("new") !== "" && <NewWebhook onClose={() => query.set({ new: null })} />}
    </>
  );
}

/** The webhooks and chats, and how each is doing. */
function SubscriptionList({ onNew }: { onNew: () => void }) {
  const sessions = useSessions();
  const pages = usePages<Subscription>("/v1/issue-webhooks", { live: ["subscriptions", "deliveries"] });
  return (
    <PagedTable
      label={WORDS.webhooks}
      testId="webhooks"
      columns={columnsOf(sessions)}
      pages={pages}
      rowKey={({ id }) => id}
      hrefOf={({ id }) => `/webhooks/${id}`}
      empty={
        <Empty
          icon={<Webhook />}
          title={WORDS.noWebhooksYet}
          text={WORDS.noWebhooksHint}
          action={
            <Button look="primary" onClick={onNew}>
              {WORDS.newWebhook}
            </Button>
          }
        />
      }
    />
  );
}

const columnsOf = ({ nameOf }: NamedSessions): Column<Subscription>[] => [
  { name: WORDS.goesTo, width: "minmax(14rem, 3fr)", cell: targetOf },
  { name: WORDS.state, width: "7rem", cell: ({ state }) => <StatusBadge status={state} /> },
  {
    name: WORDS.severity,
    width: "9rem",
    cell: ({ severity_threshold }) => thresholdWords(severity_threshold),
  },
  {
    name: WORDS.events,
    width: "minmax(9rem, 2fr)",
    wideOnly: true,
    cell: ({ event_types: [first, ...others] }) =>
      others.length === 0 ? first : WORDS.andMore(first, others.length),
  },
  {
    name: WORDS.project,
    width: "minmax(6rem, 1fr)",
    wideOnly: true,
    cell: ({ session_id }) => nameOf(session_id),
  },
  {
    name: WORDS.createdColumn,
    width: "7rem",
    wideOnly: true,
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];
