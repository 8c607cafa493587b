import type { AttemptOutcome } from "@berth/store";

/** What came of a request. */
export type ReceiverAnswer = {
  outcome: AttemptOutcome;
  /** Null when none came. */
  status: number | null;
  durationMs: number;
  error: string | null;
  /** The beginning of the body, as far as it had come. */
  response: string | null;
  retryAfter: string | null;
};

/** What becomes of a delivery after an attempt. */
export type Verdict = "delivered" | "retry" | "dead";

/** The statuses that another attempt may mend; any 5xx beside them. */
const RETRIED = new Set([408, 425, 429]);

/**
 * By the status alone. What never got a status is tried again, except where it may not be sent at all: an
 * address that is refused now would have to change to be called, and then somebody should look at it.
 */
export function verdictOf({ outcome, status }: Pick<ReceiverAnswer, "outcome" | "status">): Verdict {
  if (outcome === "blocked") return "dead";
  if (status === null || outcome !== (isSuccess(status) ? "ok" : "http")) return "retry";
  if (isSuccess(status)) return "delivered";
  return RETRIED.has(status) || status >= 500 ? "retry" : "dead";
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A receiver may ask for more time, but not for days: the next attempt would find nobody waiting. */
const LONGEST_WAIT_MS = 15 * 60_000;

/** How long a receiver asks to be left alone, as far as that is done: it makes the pause longer, never shorter. */
export function askedWaitMs(retryAfter: string | null, now: number): number | undefined {
  const asked = retryAfterMs(retryAfter, now);
  return asked === undefined ? undefined : Math.min(asked, LONGEST_WAIT_MS);
}

/** What `Retry-After` says, in milliseconds from now: seconds, or a date. Undefined for anything else. */
function retryAfterMs(text: string | null, now: number): number | undefined {
  const given = text?.trim() ?? "";
  if (/^\d{1,15}$/.test(given)) return Number(given) * 1_000;
  // Of all that `Date.parse` takes, only the form of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(given)) return undefined;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
