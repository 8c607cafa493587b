import type { Session, SessionsPage } from "@berth/server";
import { useProject, useResource } from "../../data/index.ts";
import type { ListFilter } from "../../ui/index.ts";
import { SINCE_OPTIONS, sinceTime } from "../since.ts";
import { WORDS } from "../words.tsx";

/** What is asked of `/v1/traces` is in the address, under the same names. */
const NAMES = [
  ...["q", "session_id", "thread_id", "status", "name", "error", "tag"],
  ...[
    "min_latency_ms",
    "max_latency_ms",
    "min_tokens",
    "min_cost",
    "feedback_key",
    "min_score",
    "max_score",
    "sort",
  ],
];
const TIMES = ["from", "to"];
const SCORES = new Set(["min_score", "max_score"]);
const DOLLARS = new Set(["min_cost"]);
/** Numbers are whole and not negative; somebody who types is in between. */
const NUMBERS = new Set(["min_latency_ms", "max_latency_ms", "min_tokens"]);

/** Of a search for runs: every project of the workspace. */
const ALL_SESSIONS = "all";

/**
 * The query of `/v1/traces` for an address.
 * @param session the tracing project where the address names none
 */
export function runSearch(address: URLSearchParams, session: string | undefined, now: number): string {
  const query = new URLSearchParams();
  for (const name of NAMES) {
    const value = address.get(name)?.trim();
    if (value && isAsked(name, value)) query.set(name, value);
  }
  for (const name of TIMES) {
    // A moment as people type it is that of their own clock.
    const at = Date.parse(address.get(name) ?? "");
    if (!Number.isNaN(at)) query.set(name, new Date(at).toISOString());
  }
  const since = sinceTime(address.get("since") ?? "", now);
  if (since !== undefined && !query.has("from")) query.set("from", since);
  if (!query.has("session_id") && session !== undefined) query.set("session_id", session);
  if (query.get("session_id") === ALL_SESSIONS) query.delete("session_id");
  return query.toString();
}

function isAsked(name: string, value: string): boolean {
  if (NUMBERS.has(name)) return /^\d{1,15}$/.test(value);
  if (DOLLARS.has(name)) return /^\d{1,6}(\.\d{1,9})?$/.test(value);
  return !SCORES.has(name) || /^-?\d{1,9}(\.\d{1,9})?$/.test(value);
}

const STATUSES = [
  { value: "pending", label: WORDS.running },
  { value: "success", label: WORDS.success },
  { value: "error", label: WORDS.error },
  { value: "timeout", label: WORDS.timedOut },
  { value: "interrupted", label: WORDS.interrupted },
  { value: "cancelled", label: WORDS.cancelled },
];

/** What runs are narrowed by first. */
export const runFilters = (foreign: readonly Session[]): ListFilter[] => [
  { name: "q", label: WORDS.inputsAndOutputs, kind: "search" },
  { name: "error", label: WORDS.errorText, kind: "search" },
  { name: "status", label: WORDS.status, kind: "choice", options: STATUSES },
  { name: "since", label: WORDS.started, kind: "choice", options: SINCE_OPTIONS, none: WORDS.anyTime },
  {
    name: "sort",
    label: WORDS.sort,
    kind: "choice",
    none: WORDS.newestFirst,
    options: [
      { value: "latency_ms", label: WORDS.slowestFirst },
      { value: "total_tokens", label: WORDS.mostTokensFirst },
      { value: "cost", label: WORDS.mostExpensiveFirst },
    ],
  },
  {
    name: "session_id",
    label: WORDS.reportedBy,
    kind: "choice",
    none: WORDS.thisProject,
    options: [
      { value: ALL_SESSIONS, label: WORDS.everyProject },
      ...foreign.map(({ id, name }) => ({ value: id, label: WORDS.elsewhere(name) })),
    ],
  },
];

/** What else they can be narrowed by. */
export const MORE_RUN_FILTERS: readonly ListFilter[] = [
  { name: "name", label: WORDS.name, kind: "search" },
  { name: "from", label: WORDS.from, kind: "date" },
  { name: "to", label: WORDS.until, kind: "date" },
  { name: "min_latency_ms", label: WORDS.minDuration, kind: "number" },
  { name: "max_latency_ms", label: WORDS.maxDuration, kind: "number" },
  { name: "min_tokens", label: WORDS.minTokens, kind: "number" },
  { name: "min_cost", label: WORDS.minCost, kind: "number" },
  { name: "tag", label: WORDS.tag, kind: "search" },
  { name: "feedback_key", label: WORDS.feedbackKey, kind: "search" },
  { name: "min_score", label: WORDS.minScore, kind: "number" },
  { name: "max_score", label: WORDS.maxScore, kind: "number" },
  { name: "thread_id", label: WORDS.threadId, kind: "search" },
];

/** The tracing project of the project that the screen looks at; `session` is null where there is none yet. */
export function useProjectSession() {
  const { at } = useProject();
  const query = at === null ? "served=true" : `deployment_id=${encodeURIComponent(at)}`;
  const { data, error, refresh } = useResource<SessionsPage>(`/v1/sessions?${query}`, { live: ["traces"] });
  const session: Session | null | undefined = data && (data.resources[0] ?? null);
  return { session, error, refresh };
}

/** Tracing projects of programs elsewhere, which are no deployment of this Berth. */
export function useForeignSessions(): readonly Session[] {
  const { data } = useResource<SessionsPage>("/v1/sessions?limit=100");
  return data?.resources.filter(({ deployment_id, served }) => deployment_id === null && !served) ?? [];
}
