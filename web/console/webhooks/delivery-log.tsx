import type { Delivery, Subscription, SubscriptionsPage } from "@berth/server";
import { RotateCw, Send } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/index.ts";
import { useAddressQuery, usePages, useResource } from "../data/index.ts";
import { Empty, type Filter, FilterBar, Loading, Problem, VirtualTable } from "../ui/index.ts";
import { EVENT_TYPES, targetOf, useDeliveryColumns } from "../webhook/index.ts";
import { RedeliverDialog } from "./redeliver-dialog.tsx";

const STATES = [
  { value: "queued", label: "Queued" },
  { value: "leased", label: "Being sent" },
  { value: "delivered", label: "Delivered" },
  { value: "dead", label: "Given up" },
  { value: "cancelled", label: "Cancelled" },
];
const NAMES = ["state", "type", "subscription_id", "issue_id"];

/** Everything that was sent in the last thirty days, or waits. */
export function DeliveryLog() {
  const { get } = useAddressQuery();
  const [isAsked, setAsked] = useState(false);
  const { data } = useResource<SubscriptionsPage>("/v1/issue-webhooks?limit=100");
  const set = NAMES.flatMap((name) => (get(name) === "" ? [] : [[name, get(name)]]));
  const pages = usePages<Delivery>(`/v1/deliveries?${new URLSearchParams(set)}`, { live: ["deliveries"] });
  const columns = useDeliveryColumns(false);
  return (
    <>
      <FilterBar filters={filtersOf(data?.resources ?? [])}>
        <Button icon={<RotateCw />} onClick={() => setAsked(true)} data-testid="redeliver-range">
          Send again…
        </Button>
      </FilterBar>
      {pages.error && <Problem error={pages.error} retry={pages.refresh} />}
      {pages.loading ? (
        <Loading />
      ) : (
        <VirtualTable
          label="Deliveries"
          testId="delivery-log"
          columns={columns}
          rows={pages.rows}
          rowKey={({ id }) => id}
          hrefOf={({ id }) => `/deliveries/${id}`}
          loadMore={pages.loadMore}
          hasMore={pages.hasMore}
          empty={
            <Empty
              icon={<Send />}
              title={set.length > 0 ? "No delivery matches" : "Nothing was sent yet"}
              text={
                set.length > 0
                  ? "Change or clear the filters to see others."
                  : "Each event that concerns a webhook appears here with its attempts and is kept for 30 days. Send a test from the page of a webhook."
              }
            />
          }
        />
      )}
      {isAsked && <RedeliverDialog subscriptionId={get("subscription_id")} onClose={() => setAsked(false)} />}
    </>
  );
}

const filtersOf = (subscriptions: readonly Subscription[]): Filter[] => [
  { name: "state", label: "State", kind: "choice", options: STATES },
  {
    name: "type",
    label: "Event",
    kind: "choice",
    options: [...EVENT_TYPES.map(({ value }) => value), "run.completed"].map((value) => ({
      value,
      label: value,
    })),
  },
  {
    name: "subscription_id",
    label: "Webhook",
    kind: "choice",
    options: subscriptions.map((subscription) => ({ value: subscription.id, label: targetOf(subscription) })),
  },
];
