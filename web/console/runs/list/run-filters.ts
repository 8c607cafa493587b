import type { Session } from "@berth/server";
import type { Filter } from "../../ui/index.ts";
import { ALL_SESSIONS, SINCE_OPTIONS } from "./run-search.ts";

const STATUSES = [
  { value: "pending", label: "Running" },
  { value: "success", label: "Success" },
  { value: "error", label: "Error" },
  { value: "timeout", label: "Timed out" },
  { value: "interrupted", label: "Interrupted" },
  { value: "cancelled", label: "Cancelled" },
];

/** What runs are narrowed by first. */
export const RUN_FILTERS: readonly Filter[] = [
  { name: "name", label: "Name", kind: "search" },
  { name: "error", label: "Error text", kind: "search" },
  { name: "status", label: "Status", kind: "choice", options: STATUSES },
  { name: "since", label: "Started", kind: "choice", options: SINCE_OPTIONS, none: "Any time" },
];

/** What else they can be narrowed by. */
export function moreRunFilters(foreign: readonly Session[]): Filter[] {
  return [
    { name: "min_latency_ms", label: "At least ms", kind: "number" },
    { name: "min_tokens", label: "At least tokens", kind: "number" },
    { name: "tag", label: "Tag", kind: "search" },
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
