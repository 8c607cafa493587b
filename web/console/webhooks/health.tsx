import type { DeliveriesPage, Delivery } from "@berth/server";
import { useResource } from "../data/index.ts";

const SHOWN = 30;
const LOOKS: Record<Delivery["state"], string> = {
  delivered: "health-bar",
  dead: "health-bar health-bar-bad",
  queued: "health-bar health-bar-waits",
  leased: "health-bar health-bar-waits",
  cancelled: "health-bar health-bar-waits",
};

/** How the last deliveries of a webhook went, oldest first. */
export function Health({ subscriptionId }: { subscriptionId: string }) {
  const path = `/v1/deliveries?subscription_id=${subscriptionId}&limit=${SHOWN}`;
  const { data } = useResource<DeliveriesPage>(path, { live: ["deliveries"] });
  const rows = data?.resources.toReversed() ?? [];
  if (rows.length === 0) return null;
  const arrived = rows.filter(({ state }) => state === "delivered").length;
  const waiting = rows.filter(({ state }) => state === "queued" || state === "leased").length;
  const words = `${arrived} of the last ${rows.length} arrived${waiting > 0 ? `, ${waiting} wait` : ""}`;
  return (
    <>
      <span className="health" aria-hidden="true">
        {rows.map(({ id, state, type }) => (
          <span key={id} className={LOOKS[state]} title={`${type}: ${state}`} style={{ width: "0.4rem" }} />
        ))}
      </span>
      <span data-testid="health">{words}</span>
    </>
  );
}
