/** What is asked of `/v1/traces` is in the address, under the same names. */
const NAMES = [
  ...["session_id", "thread_id", "status", "name", "error", "tag", "from", "to"],
  ...["min_latency_ms", "max_latency_ms", "min_tokens"],
];
/** Numbers are whole and not negative; somebody who types is in between. */
const NUMBERS = new Set(["min_latency_ms", "max_latency_ms", "min_tokens"]);

const HOUR = 3_600_000;
const SINCE: Record<string, number> = { "1h": HOUR, "24h": 24 * HOUR, "7d": 168 * HOUR, "30d": 720 * HOUR };

export const SINCE_OPTIONS = [
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
];

/** When a time span such as `24h` begins; undefined for one that is none. */
export function sinceTime(since: string, now: number): string | undefined {
  const length = SINCE[since];
  // A whole minute, so that the same search is asked the same way.
  return length === undefined
    ? undefined
    : new Date(Math.floor((now - length) / 60_000) * 60_000).toISOString();
}

/** Of a search for runs: every project of the workspace. */
export const ALL_SESSIONS = "all";

/**
 * The query of `/v1/traces` for an address.
 * @param session the tracing project where the address names none
 */
export function runSearch(address: URLSearchParams, session: string | undefined, now: number): string {
  const query = new URLSearchParams();
  for (const name of NAMES) {
    const value = address.get(name)?.trim();
    if (value && (!NUMBERS.has(name) || /^\d{1,15}$/.test(value))) query.set(name, value);
  }
  const since = sinceTime(address.get("since") ?? "", now);
  if (since !== undefined && !query.has("from")) query.set("from", since);
  if (!query.has("session_id") && session !== undefined) query.set("session_id", session);
  if (query.get("session_id") === ALL_SESSIONS) query.delete("session_id");
  return query.toString();
}
