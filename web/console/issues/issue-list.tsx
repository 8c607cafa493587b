import type { ListedIssue } from "@berth/server";
import { Bug, PartyPopper } from "lucide-react";
import { useAddressQuery, usePages } from "../data/index.ts";
import { IssueState, type NamedSessions, SEVERITIES, SeverityBadge, useSessions } from "../issue.tsx";
import { Ago, type Column, Empty, FilterBar, PagedTable, Sparkline } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

const ORDERS = [
  { value: "last_seen_at", label: WORDS.lastSeenFirst },
  { value: "trace_count", label: WORDS.mostTracesFirst },
  { value: "created_at", label: WORDS.newestFirst },
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
        label={WORDS.issues}
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
      label: WORDS.state,
      kind: "choice" as const,
      none: WORDS.open,
      options: [
        { value: "closed", label: WORDS.closedState },
        { value: "all", label: WORDS.openAndClosed },
      ],
    },
    {
      name: "severity",
      label: WORDS.severity,
      kind: "choice" as const,
      options: SEVERITIES.map((label, at) => ({ value: String(at), label })),
    },
    {
      name: "session_id",
      label: WORDS.project,
      kind: "choice" as const,
      options: all.map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: "muted",
      label: WORDS.muted,
      kind: "choice" as const,
      options: [
        { value: "false", label: WORDS.notMuted },
        { value: "true", label: WORDS.muted },
      ],
    },
    {
      name: "order",
      label: WORDS.order,
      kind: "choice" as const,
      none: WORDS.mostSevereFirst,
      options: ORDERS,
    },
  ];
}

const columnsOf = (sessions: NamedSessions): Column<ListedIssue>[] => [
  { name: WORDS.issue, width: "minmax(14rem, 3fr)", cell: ({ name }) => name },
  { name: WORDS.severity, width: "6rem", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  { name: WORDS.state, width: "8rem", cell: (issue) => <IssueState issue={issue} /> },
  { name: WORDS.last48Hours, width: "7rem", wideOnly: true, cell: trendOf },
  { name: WORDS.tracesColumn, width: "4rem", align: "end", cell: ({ trace_count }) => trace_count },
  { name: WORDS.lastSeen, width: "6.5rem", cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
  {
    name: WORDS.project,
    width: "minmax(6rem, 1fr)",
    wideOnly: true,
    cell: ({ session_id }) => sessions.nameOf(session_id),
  },
];

function trendOf({ trend = [] }: ListedIssue) {
  const total = trend.reduce((sum, count) => sum + count, 0);
  return <Sparkline values={trend} look="negative" label={WORDS.tracesLast48Hours(total)} />;
}

function NoneOpen() {
  return <Empty icon={<PartyPopper />} title={WORDS.noOpenIssue} text={WORDS.noOpenIssueHint} />;
}

function NoneFound() {
  return <Empty icon={<Bug />} title={WORDS.noIssuesMatch} text={WORDS.changeFilters} />;
}
