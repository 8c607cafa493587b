import type { ListedIssue } from "@berth/server";
import { Bug, PartyPopper } from "lucide-react";
import { useAddressQuery, usePages } from "../data/index.ts";
import { IssueState, type NamedSessions, SEVERITIES, SeverityBadge, useSessions } from "../issue.tsx";
import { Ago, type Column, Empty, FilterBar, PagedTable, Sparkline } from "../ui/index.ts";

const ORDERS = [
  { value: "last_seen_at", label: "Last seen first" },
  { value: "trace_count", label: "Most traces first" },
  { value: "created_at", label: "Newest first" },
];

/** The issues that match the filters in the address, the most severe first. */
export function IssueList() {
  const query = useAddressQuery();
  const sessions = useSessions();
  const pages = usePages<ListedIssue>(listPath(query.get), { live: ["issues"] });
  const isFiltered = ["session_id", "severity", "muted"].some((name) => query.get(name) !== "");
  const isOpen = query.get("status") === "";
  return (
    <>
      <FilterBar filters={filtersOf(sessions)} />
      <PagedTable
        label="Issues"
        testId="issues"
        columns={columnsOf(sessions)}
        pages={pages}
        rowKey={({ id }) => id}
        hrefOf={({ id }) => `/issues/${id}`}
        empty={pages.error ? null : isOpen && !isFiltered ? <NoneOpen /> : <NoneFound />}
      />
    </>
  );
}

/** Where the list of issues comes from; open ones where the address says nothing. */
export function listPath(get: (name: string) => string): string {
  const status = get("status") || "open";
  const wanted = {
    status: status === "all" ? "" : status,
    severity: get("severity"),
    session_id: get("session_id"),
    muted: get("muted"),
    order: get("order") || "severity",
    trend: "hour",
  };
  const set = Object.entries(wanted).filter(([, value]) => value !== "");
  return `/v1/issues?${new URLSearchParams(set)}`;
}

function filtersOf({ all }: NamedSessions) {
  return [
    {
      name: "status",
      label: "State",
      kind: "choice" as const,
      none: "Open",
      options: [
        { value: "closed", label: "Closed" },
        { value: "all", label: "Open and closed" },
      ],
    },
    {
      name: "severity",
      label: "Severity",
      kind: "choice" as const,
      options: SEVERITIES.map((label, at) => ({ value: String(at), label })),
    },
    {
      name: "session_id",
      label: "Project",
      kind: "choice" as const,
      options: all.map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: "muted",
      label: "Muted",
      kind: "choice" as const,
      options: [
        { value: "false", label: "Not muted" },
        { value: "true", label: "Muted" },
      ],
    },
    { name: "order", label: "Order", kind: "choice" as const, none: "Most severe first", options: ORDERS },
  ];
}

const columnsOf = (sessions: NamedSessions): Column<ListedIssue>[] => [
  { name: "Issue", width: "minmax(14rem, 3fr)", cell: ({ name }) => name },
  { name: "Severity", width: "6rem", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  { name: "State", width: "8rem", cell: (issue) => <IssueState issue={issue} /> },
  { name: "Last 48 hours", width: "7rem", wideOnly: true, cell: trendOf },
  { name: "Traces", width: "4rem", align: "end", cell: ({ trace_count }) => trace_count },
  { name: "Last seen", width: "6.5rem", cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
  {
    name: "Project",
    width: "minmax(6rem, 1fr)",
    wideOnly: true,
    cell: ({ session_id }) => sessions.nameOf(session_id),
  },
];

function trendOf({ trend = [] }: ListedIssue) {
  const total = trend.reduce((sum, count) => sum + count, 0);
  return <Sparkline values={trend} look="negative" label={`${total} traces in the last 48 hours`} />;
}

function NoneOpen() {
  return (
    <Empty
      icon={<PartyPopper />}
      title="No open issue"
      text="When three runs of a project fail in the same way, an issue opens here. Scan now to look at what has just ended."
    />
  );
}

function NoneFound() {
  return <Empty icon={<Bug />} title="No issue matches" text="Change or clear the filters to see others." />;
}
