import type { Session, SessionsPage } from "@berth/server";
import { useProject, useResource } from "../../data/index.ts";
import type { ListFilter } from "../../ui/index.ts";
import { SINCE_OPTIONS, sinceTime } from "../since.ts";

/** What is asked of `/v1/traces` is in the address, under the same names. */
const NAMES = [
  ...["q", "session_id", "thread_id", "status", "name", "error", "tag"],
  ...["min_latency_ms", "max_latency_ms", "min_tokens", "feedback_key", "min_score", "max_score", "sort"],
];
const TIMES = ["from", "to"];
const SCORES = new Set(["min_score", "max_score"]);
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
  return !SCORES.has(name) || /^-?\d{1,9}(\.\d{1,9})?$/.test(value);
}

const STATUSES = [
  { value: "pending", label: "Running" },
  { value: "success", label: "Success" },
  { value: "error", label: "Error" },
  { value: "timeout", label: "Timed out" },
  { value: "interrupted", label: "Interrupted" },
  { value: "cancelled", label: "Cancelled" },
];

/** What runs are narrowed by first. */
export const RUN_FILTERS: readonly ListFilter[] = [
  { name: "q", label: "Inputs and outputs", kind: "search" },
  { name: "error", label: "Error text", kind: "search" },
  { name: "status", label: "Status", kind: "choice", options: STATUSES },
  { name: "since", label: "Started", kind: "choice", options: SINCE_OPTIONS, none: "Any time" },
  {
    name: "sort",
    label: "Sort",
    kind: "choice",
    none: "Newest first",
    options: [
      { value: "latency_ms", label: "Slowest first" },
      { value: "total_tokens", label: "Most tokens first" },
    ],
  },
];

/** What else they can be narrowed by. */
export function moreRunFilters(foreign: readonly Session[]): ListFilter[] {
  return [
    { name: "name", label: "Name", kind: "search" },
    { name: "from", label: "From", kind: "date" },
    { name: "to", label: "Until", kind: "date" },
    { name: "min_latency_ms", label: "At least ms", kind: "number" },
    { name: "max_latency_ms", label: "At most ms", kind: "number" },
    { name: "min_tokens", label: "At least tokens", kind: "number" },
    { name: "tag", label: "Tag", kind: "search" },
    { name: "feedback_key", label: "Feedback key", kind: "search" },
    { name: "min_score", label: "Score at least", kind: "number" },
    { name: "max_score", label: "Score at most", kind: "number" },
    { name: "thread_id", label: "Thread id", kind: "search" },
    {
      name: "session_id",
      label: "Reported by",
      kind: "choice",
      none: "Of the chosen project",
      options: [
        { value: ALL_SESSIONS, label: "Of all projects" },
        ...foreign.map(({ id, name }) => ({ value: id, label: `Elsewhere: ${name}` })),
      ],
    },
  ];
}

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
