import { prepared, type Tx } from "../database/index.ts";
import type { SubscriptionRow } from "../schema/index.ts";
import { cancelQueued, DISABLED } from "./cancellation.ts";
import { selectSubscription } from "./subscription.ts";

/** When a subscription that only fails is disabled. */
export type Health = { autoDisable: boolean };

/** So many failures in a row are shown. */
const FAILING_AFTER = 4;
const DISABLED_AFTER = { attempts: 20, ms: 3 * 86_400_000 };

type State = Pick<SubscriptionRow, "id" | "state" | "failures" | "failing_since" | "notice">;

const writeState = prepared<State>((db, { id, state, failures, failing_since, notice }) =>
  db.updateTable("subscriptions").set({ state, failures, failing_since, notice }).where("id", "=", id),
);

/** How an attempt went; `gone`: the receiver says that there will never be anybody again (HTTP 410). */
export type Went = "well" | "badly" | "gone";

/**
 * Takes an attempt into account for how its subscription is doing.
 * @returns the id of the subscription if this disabled it: its receiver is gone, or there was nothing but failures
 * for three days, twenty at least
 */
export async function noteAttempt(
  tx: Tx,
  id: string,
  went: Went,
  { now, health }: { now: number; health: Health },
): Promise<string | undefined> {
  const [subscription] = await selectSubscription(tx, { id });
  if (!subscription || subscription.state === "disabled") return undefined;
  if (went === "well") {
    if (subscription.failures === 0) return undefined;
    await writeState(tx, { id, state: "active", failures: 0, failing_since: null, notice: null });
    return undefined;
  }
  const failures = subscription.failures + 1;
  const since = subscription.failing_since ?? now;
  const isHopeless = failures >= DISABLED_AFTER.attempts && now - since >= DISABLED_AFTER.ms;
  if (health.autoDisable && (isHopeless || went === "gone")) {
    const notice =
      went === "gone"
        ? "Disabled: the receiver answered 410, nobody is there any more. Change the address and enable it to go on."
        : `Disabled after ${failures} failed attempts and no success since ${new Date(since).toISOString()}.`;
    await writeState(tx, { id, state: "disabled", failures, failing_since: since, notice });
    await cancelQueued(tx, id, DISABLED, now);
    return id;
  }
  const state = failures >= FAILING_AFTER ? "failing" : subscription.state;
  await writeState(tx, { id, state, failures, failing_since: since, notice: null });
  return undefined;
}
