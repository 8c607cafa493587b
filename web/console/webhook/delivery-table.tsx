import type { Delivery, SubscriptionsPage } from "@berth/server";
import { useMemo } from "react";
import { usePages, useResource } from "../data/index.ts";
import { Ago, type Column, Loading, Problem, Section, ShowMore, StatusBadge, Table } from "../ui/index.ts";
import { targetOf } from "./subscription.ts";

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
      {pages.error && <Problem error={pages.error} retry={pages.refresh} />}
      {pages.loading ? (
        <Loading />
      ) : (
        <Table
          label={title}
          columns={columns}
          rows={pages.rows}
          rowKey={({ id }) => id}
          hrefOf={({ id }) => `/deliveries/${id}`}
          empty={<p className="dialog-note">{none}</p>}
        />
      )}
      <ShowMore pages={pages} />
    </Section>
  );
}

/** What a list of deliveries says of each. */
export function useDeliveryColumns(ofOne: boolean): Column<Delivery>[] {
  const { data } = useResource<SubscriptionsPage>(ofOne ? null : "/v1/issue-webhooks?limit=100");
  return useMemo(() => {
    const targets = new Map(data?.resources.map((subscription) => [subscription.id, targetOf(subscription)]));
    const target: Column<Delivery> = {
      name: "To",
      width: "minmax(9rem, 2fr)",
      cell: ({ subscription_id, url }) => url ?? targets.get(subscription_id ?? "") ?? "A deleted webhook",
    };
    return [EVENT, STATE, ...(ofOne ? [] : [target]), ATTEMPTS, CREATED, REASON];
  }, [data, ofOne]);
}

const EVENT: Column<Delivery> = {
  name: "Event",
  width: "minmax(11rem, 2fr)",
  cell: ({ type, test }) => (test ? `${type} (test)` : type),
};
const STATE: Column<Delivery> = {
  name: "State",
  width: "8rem",
  cell: ({ state, attempt_count }) => (
    <StatusBadge status={state === "queued" && attempt_count > 0 ? "retrying" : state} />
  ),
};
const ATTEMPTS: Column<Delivery> = {
  name: "Attempts",
  width: "4.5rem",
  align: "end",
  cell: ({ try_count }) => try_count,
};
const CREATED: Column<Delivery> = {
  name: "Created",
  width: "7rem",
  cell: ({ created_at }) => <Ago at={created_at} />,
};
const REASON: Column<Delivery> = {
  name: "Why not",
  width: "minmax(9rem, 2fr)",
  wideOnly: true,
  cell: ({ reason }) => reason ?? "",
};
