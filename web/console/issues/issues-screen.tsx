import type { Failure, FailuresPage } from "@berth/server";
import { Eye } from "lucide-react";
import { Link } from "wouter";
import { useAddressQuery, usePages, useResource } from "../data/index.ts";
import { detectorName, type NamedSessions, useSessions } from "../issue.tsx";
import { Ago, type Column, Empty, FilterBar, PagedTable, PageHead, Tabs } from "../ui/index.ts";
import { IssueList } from "./issue-list.tsx";
import { ScanButton, ScanList } from "./scan-list.tsx";
import { ProjectList } from "./session-screen.tsx";
import { WORDS } from "./words.tsx";
import "./issues.css";

const PARTS = [
  { id: "issues", label: WORDS.issues },
  { id: "failures", label: WORDS.seenOnceOrTwice },
  { id: "scans", label: WORDS.scans },
  { id: "projects", label: WORDS.projects },
];

/** `/console/issues`: what keeps going wrong, the scans that found it, and the projects that are looked at. */
export function IssuesScreen() {
  const query = useAddressQuery();
  const part = PARTS.find(({ id }) => id === query.get("tab"))?.id ?? "issues";
  return (
    <>
      <PageHead title={WORDS.issues} sub={WORDS.issuesNote} actions={<ScanButton />} />
      <Tabs
        items={PARTS.map(({ id, label }) => ({
          id,
          label,
          href: id === "issues" ? "/issues" : `/issues?tab=${id}`,
        }))}
        current={part}
      />
      {part === "issues" && (
        <>
          <IssueList />
          <RareNote />
        </>
      )}
      {part === "failures" && <FailureList />}
      {part === "scans" && <ScanList />}
      {part === "projects" && <ProjectList />}
    </>
  );
}

/** What was seen once or twice, and is in no issue yet. */
function FailureList() {
  const { get } = useAddressQuery();
  const sessions = useSessions();
  const wanted = Object.entries({ q: get("q"), session_id: get("session_id") });
  const set = new URLSearchParams(wanted.filter(([, value]) => value !== ""));
  const pages = usePages<Failure>(`/v1/failures?${set}`, { live: ["engine_runs", "issues"] });
  const isFiltered = set.size > 0;
  return (
    <>
      <FilterBar filters={filtersOf(sessions)}>
        <Uncovered />
      </FilterBar>
      <PagedTable
        label={WORDS.failuresLabel}
        testId="failures"
        columns={columnsOf(sessions)}
        pages={pages}
        rowKey={({ session_id, fingerprint }) => `${session_id} ${fingerprint}`}
        hrefOf={({ trace_id, run_id }) => `/traces/${trace_id}?span=${run_id}`}
        empty={pages.error ? null : <Nothing isFiltered={isFiltered} />}
      />
    </>
  );
}

/** How many failed runs no issue has. */
function Uncovered() {
  const { data } = useResource<FailuresPage>("/v1/failures?limit=1", { live: ["engine_runs", "issues"] });
  if (data === undefined) return null;
  return (
    <span className="dialog-note" data-testid="uncovered">
      {WORDS.failedRunsOutside(data.failed_runs_without_issue, data.failed_runs)}
    </span>
  );
}

/** Below the list of issues: that there is more, which was seen too rarely for one. */
function RareNote() {
  const { data } = useResource<FailuresPage>("/v1/failures?limit=1", { live: ["engine_runs", "issues"] });
  if (data === undefined || (data.total === 0 && data.failed_runs_without_issue === 0)) return null;
  const { total, failed_runs: all, failed_runs_without_issue: none } = data;
  return (
    <p className="rare-note" data-testid="rare-note">
      <Link href="/issues?tab=failures">{WORDS.failuresSeenRarely(total)}</Link>
      {WORDS.failedRunsOutsideToo(none, all)}
    </p>
  );
}

const filtersOf = ({ all }: NamedSessions) => [
  { name: "q", label: WORDS.failureSearch, kind: "search" as const, placeholder: WORDS.search },
  {
    name: "session_id",
    label: WORDS.project,
    kind: "choice" as const,
    options: all.map(({ id, name }) => ({ value: id, label: name })),
  },
];

const columnsOf = (sessions: NamedSessions): Column<Failure>[] => [
  { name: WORDS.failure, width: "minmax(16rem, 4fr)", cell: wordsOf },
  { name: WORDS.foundAs, width: "8rem", cell: ({ detector }) => detectorName(detector) },
  { name: WORDS.where, width: "minmax(6rem, 1fr)", cell: ({ tool, node }) => tool ?? node ?? "" },
  { name: WORDS.runs, width: "4rem", align: "end", cell: ({ traces }) => traces },
  { name: WORDS.lastSeen, width: "6.5rem", cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
  {
    name: WORDS.project,
    width: "minmax(6rem, 1fr)",
    wideOnly: true,
    cell: ({ session_id }) => sessions.nameOf(session_id),
  },
];

const wordsOf = ({ error_type, message, reason }: Failure) =>
  message === "" ? reason : [error_type, message].filter((part) => part !== "").join(": ");

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty icon={<Eye />} title={WORDS.noFailuresMatch} text={WORDS.changeFilters} />
  ) : (
    <Empty icon={<Eye />} title={WORDS.noFailuresOutside} text={WORDS.noFailuresHint} />
  );
}
