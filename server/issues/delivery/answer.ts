/** How an attempt ended: with a status (`ok`, `http`), or with none and where it went wrong. */
export type AttemptOutcome =
  | "ok"
  | "http"
  | "timeout"
  | "dns"
  | "connect"
  | "tls"
  | "blocked"
  | "reset"
  | "aborted";

/** What came of a request. */
export type Answer = {
  outcome: AttemptOutcome;
  /** Null when none came. */
  status: number | null;
  durationMs: number;
  error: string | null;
  /** The beginning of the body, as far as it had come. */
  response: string | null;
  retryAfter: string | null;
};
