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
