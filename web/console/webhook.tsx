import type { Delivery, Subscription, SubscriptionsPage } from "@berth/server";
import { useMemo } from "react";
import { usePages, useResource } from "./data/index.ts";
import { severityName } from "./issue.tsx";
import { Ago, type Column, PagedTable, Section, StatusBadge } from "./ui/index.ts";
import { WHEN_SENT, WORDS } from "./words.ts";

type DeliveryTableProps = {
  title: string;
  /** What `/v1/deliveries` is asked for. */
  filter: Record<string, string>;
  /** In place of an empty list. */
  none: string;
  /** One subscription only: where they went need not be said. */
  ofOne?: boolean;
};

/** Deliveries that match, as a part of a screen. */
export function DeliveryTable({ title, filter, none, ofOne = false }: DeliveryTableProps) {
  const path = `/v1/deliveries?${new URLSearchParams(filter)}`;
  const pages = usePages<Delivery>(path, { live: ["deliveries"], pageSize: 20 });
  const columns = useDeliveryColumns(ofOne);
  return (
    <Section title={title} testId="deliveries">
      <PagedTable
        label={title}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        hrefOf={({ id }) => `/deliveries/${id}`}
        empty={<p className="dialog-note">{none}</p>}
      />
    </Section>
  );
}

/** What a list of deliveries says of each. */
export function useDeliveryColumns(ofOne: boolean): Column<Delivery>[] {
  const { data } = useResource<SubscriptionsPage>(ofOne ? null : "/v1/issue-webhooks?limit=100");
  return useMemo(() => {
    const targets = new Map(data?.resources.map((subscription) => [subscription.id, targetOf(subscription)]));
    const target: Column<Delivery> = {
      name: WORDS.to,
      width: "minmax(9rem, 2fr)",
      cell: ({ subscription_id, url }) => url ?? targets.get(subscription_id ?? "") ?? WORDS.aDeletedWebhook,
    };
    return [EVENT, STATE, ...(ofOne ? [] : [target]), ATTEMPTS, CREATED, REASON];
  }, [data, ofOne]);
}

const EVENT: Column<Delivery> = {
  name: WORDS.event,
  width: "minmax(11rem, 2fr)",
  cell: ({ type, test }) => (test ? `${type} (test)` : type),
};
const STATE: Column<Delivery> = {
  name: WORDS.state,
  width: "8rem",
  cell: ({ state, attempt_count }) => (
    <StatusBadge status={state === "queued" && attempt_count > 0 ? "retrying" : state} />
  ),
};
const ATTEMPTS: Column<Delivery> = {
  name: WORDS.attempts,
  width: "4.5rem",
  align: "end",
  cell: ({ try_count }) => try_count,
};
const CREATED: Column<Delivery> = {
  name: WORDS.created,
  width: "7rem",
  cell: ({ created_at }) => <Ago at={created_at} />,
};
const REASON: Column<Delivery> = {
  name: WORDS.whyNot,
  width: "minmax(9rem, 2fr)",
  wideOnly: true,
  cell: ({ reason }) => reason ?? "",
};

/** What stands for a value that is secret; sent back, it keeps the value. */
export const MASK = "********";

/** Every type of event that a subscription can name, and when it is sent. */
export const EVENT_TYPES = Object.entries(WHEN_SENT).map(([type, hint]) => ({
  value: type as Subscription["event_types"][number],
  label: type,
  hint,
}));

/** Where a subscription sends to. */
export const targetOf = ({ url, channel }: Pick<Subscription, "url" | "channel">): string =>
  url ?? channel ?? "";

/** Which issues a subscription asks for, in words. */
export function thresholdWords(threshold: number): string {
  if (threshold >= 3) return WORDS.everySeverity;
  return threshold === 0 ? WORDS.urgentOnly : WORDS.severityAndWorse(severityName(threshold));
}

// What several screens show of a subscription and of its deliveries.
