import { WORDS } from "./words.tsx";

const HOUR = 3_600_000;
const SINCE: Record<string, number> = { "1h": HOUR, "24h": 24 * HOUR, "7d": 168 * HOUR, "30d": 720 * HOUR };

export const SINCE_OPTIONS = [
  { value: "1h", label: WORDS.lastHour },
  { value: "24h", label: WORDS.last24Hours },
  { value: "7d", label: WORDS.last7Days },
  { value: "30d", label: WORDS.last30Days },
];

/** When a time span such as `24h` begins; undefined for one that is none. */
export function sinceTime(since: string, now: number): string | undefined {
  const length = SINCE[since];
  // A whole minute, so that the same search is asked the same way.
  return length === undefined
    ? undefined
    : new Date(Math.floor((now - length) / 60_000) * 60_000).toISOString();
}
