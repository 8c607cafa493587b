import { sql } from "kysely";
import { prepared, type Tx } from "../database/index.ts";
import type { AttemptOutcome, DeliveryAttemptRow, DeliveryRow, SubscriptionRow } from "../schema/index.ts";
import { cancelHeld, cancelQueued, DELETED, DISABLED, IDLE } from "./cancellation.ts";
import { type DeliveryClaim, hasBegun, heldRow } from "./claim.ts";
import { selectSubscription, subscriptionOf } from "./subscription.ts";

/** One first attempt and three more. */
export const MOST_ATTEMPTS = 4;
/** However long a receiver wants to be left alone. */
export const LONGEST_WISH_MS = 900_000;
/**
 * A chat tells people, and nobody looks what it did not tell: the last attempt comes when a chat that was away for
 * five minutes is there again, however short the pauses are set.
 */
const LAST_WAIT_OF_CHAT_MS = 310_000;
/** Tries of one redelivery whose process died in the middle. */
const MOST_MANUAL_TRIES = 4;
const GONE = 410;
const LONGEST_RESPONSE = 2_048;
const LONGEST_ERROR = 1_000;

/** How an attempt ended. */
export type AttemptEnd = {
  outcome: AttemptOutcome;
  /** The failure is of a kind that may pass. */
  retry: boolean;
  status?: number | null | undefined;
  durationMs: number;
  error?: string | null | undefined;
  /** Another delivery, told by the same request, says how its subscription is doing. */
  sharesRequest?: boolean | undefined;
  /** What the receiver asked for; it makes the wait longer, never shorter. */
  retryAfterMs?: number | null | undefined;
  /** As they were sent, secrets masked. */
  requestHeaders?: Readonly<Record<string, string>> | undefined;
  /** The beginning of the answer's body. */
  response?: string | null | undefined;
};

/** How long to wait after the first, second and third attempt, in milliseconds. */
export type Backoff = (attempt: number) => number;

type EndValues = Pick<
  DeliveryAttemptRow,
  "outcome" | "status" | "duration_ms" | "error" | "request_headers" | "response"
>;

const writeEnd = prepared<EndValues & { id: string; owner: string; claim: number; late: number }>(
  // Each by its name: a placeholder has no keys to take the rest of.
  (db, { id, owner, claim, outcome, status, duration_ms, error, request_headers, response, late }) =>
    db
      .updateTable("delivery_attempts")
      .set({ outcome, status, duration_ms, error, request_headers, response, late })
      .where("delivery_id", "=", id)
      .where("owner", "=", owner)
      .where("claim", "=", claim),
);

type Settled = Pick<DeliveryRow, "id" | "state" | "reason" | "due_at" | "updated_at">;

const settle = prepared<Settled>((db, { id, state, reason, due_at, updated_at }) =>
  db
    .updateTable("deliveries")
    .set({ ...IDLE, state, reason, due_at, updated_at })
    .where("id", "=", id),
);

/**
 * Writes down how an attempt ended, and what becomes of its delivery.
 * @returns `late` when the claim was lost before: then only the log has changed
 */
export async function finishAttempt(
  tx: Tx,
  claim: DeliveryClaim,
  end: AttemptEnd,
  { now, backoff, health }: { now: number; backoff: Backoff; health: Health },
): Promise<{ late: boolean; disabled: string | undefined }> {
  const row = await heldRow(tx, claim);
  await writeEnd(tx, { ...claim, ...endValues(end), late: row ? 0 : 1 });
  if (!row) return { late: true, disabled: undefined };
  const disabled =
    row.subscription_id === null || end.sharesRequest
      ? undefined
      : await noteAttempt(tx, row.subscription_id, went(end), { now, health });
  await afterAttempt(tx, row, end, { now, backoff });
  return { late: false, disabled };
}

function went({ outcome, status }: AttemptEnd): Went {
  if (outcome === "ok") return "well";
  return outcome === "http" && status === GONE ? "gone" : "badly";
}

/** Gives back what a dead or stuck worker holds; an attempt that it began counts, whether it was sent or not. */
export async function reapLease(
  tx: Tx,
  row: DeliveryRow,
  times: { now: number; backoff: Backoff },
): Promise<void> {
  const claim = { id: row.id, owner: row.owner ?? "", claim: row.claims };
  const held = await heldRow(tx, claim);
  if (!held) return;
  if (!(await hasBegun(tx, held))) return requeue(tx, held, { due_at: held.due_at }, times.now);
  const error = "The process that sent it did not say how it ended.";
  const end: AttemptEnd = { outcome: "aborted", retry: true, durationMs: 0, error };
  await writeEnd(tx, { ...claim, ...endValues(end), duration_ms: null, late: 0 });
  if (held.manual > 0 && held.manual < MOST_MANUAL_TRIES) {
    return requeue(tx, held, { due_at: times.now, manual: held.manual + 1 }, times.now);
  }
  await afterAttempt(tx, held, end, times);
}

async function afterAttempt(
  tx: Tx,
  row: DeliveryRow,
  end: AttemptEnd,
  { now, backoff }: { now: number; backoff: Backoff },
): Promise<void> {
  const { id, attempts } = row;
  const base = { id, due_at: row.due_at, updated_at: now };
  if (end.outcome === "ok") return void (await settle(tx, { ...base, state: "delivered", reason: null }));
  const isRedelivery = row.manual > 0;
  const waits = isRedelivery ? row.manual_from === "queued" : end.retry && attempts < MOST_ATTEMPTS;
  if (waits) {
    const subscription = await subscriptionOf(tx, row);
    const unwanted = whyUnwanted(row, subscription);
    if (unwanted) return cancelHeld(tx, row, unwanted, now);
    const isLastOfChat = attempts === MOST_ATTEMPTS - 1 && (subscription?.channel ?? null) !== null;
    const planned = Math.max(backoff(attempts), isLastOfChat ? LAST_WAIT_OF_CHAT_MS : 0);
    const due_at = isRedelivery ? (row.manual_due_at ?? now) : now + pause(planned, end);
    return void (await settle(tx, { ...base, state: "queued", reason: null, due_at }));
  }
  if (isRedelivery) {
    const state = row.manual_from ?? "dead";
    return void (await settle(tx, { ...base, state, reason: row.reason }));
  }
  const reason = end.retry ? `${attempts} attempts failed; the last: ${inWords(end)}` : inWords(end);
  await settle(tx, { ...base, state: "dead", reason });
}

async function requeue(
  tx: Tx,
  row: DeliveryRow,
  change: { due_at: number; manual?: number },
  now: number,
): Promise<void> {
  const unwanted = whyUnwanted(row, await subscriptionOf(tx, row));
  if (unwanted) return cancelHeld(tx, row, unwanted, now);
  await tx
    .updateTable("deliveries")
    .set({ ...change, state: sql.lit("queued"), owner: null, lease_until: null, updated_at: now })
    .where("id", "=", row.id)
    .execute();
}

/** Why nothing more is to be sent to the subscription of a delivery. */
function whyUnwanted(
  { subscription_id: id }: DeliveryRow,
  subscription: SubscriptionRow | undefined,
): string | undefined {
  if (id === null) return undefined;
  if (!subscription) return DELETED;
  return subscription.state === "disabled" ? DISABLED : undefined;
}

function pause(backoff: number, { retryAfterMs }: AttemptEnd): number {
  const wished = Math.min(retryAfterMs ?? 0, LONGEST_WISH_MS);
  return Math.max(backoff, Number.isFinite(wished) ? wished : 0);
}

function inWords({ outcome, status, error }: AttemptEnd): string {
  const words = error ? clean(error.slice(0, LONGEST_ERROR)) : "";
  const isRedirect = status && status >= 300 && status < 400 && words;
  if (outcome === "http") return isRedirect ? `HTTP ${status}: ${words}` : `HTTP ${status ?? "?"}`;
  return words ? `${outcome}: ${words}` : outcome;
}

function endValues({ outcome, status, durationMs, error, requestHeaders, response }: AttemptEnd): EndValues {
  return {
    outcome,
    status: status ?? null,
    duration_ms: Math.round(durationMs),
    error: error ? clean(error.slice(0, LONGEST_ERROR)) : null,
    request_headers: requestHeaders ? JSON.stringify(requestHeaders) : null,
    response: response ? clean(response.slice(0, LONGEST_RESPONSE)) : null,
  };
}

/** A receiver answers what it likes; a database keeps no NUL in a text. */
const clean = (text: string) => text.toWellFormed().replaceAll("\0", "\uFFFD");

/** When a subscription that only fails is disabled. */
type Health = { autoDisable: boolean };

/** So many failures in a row are shown. */
const FAILING_AFTER = 4;
const DISABLED_AFTER = { attempts: 20, ms: 3 * 86_400_000 };

type State = Pick<SubscriptionRow, "id" | "state" | "failures" | "failing_since" | "notice">;

const writeState = prepared<State>((db, { id, state, failures, failing_since, notice }) =>
  db.updateTable("subscriptions").set({ state, failures, failing_since, notice }).where("id", "=", id),
);

/** How an attempt went; `gone`: the receiver says that there will never be anybody again (HTTP 410). */
type Went = "well" | "badly" | "gone";

/**
 * Takes an attempt into account for how its subscription is doing.
 * @returns the id of the subscription if this disabled it: its receiver is gone, or there was nothing but failures
 * for three days, twenty at least
 */
async function noteAttempt(
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
