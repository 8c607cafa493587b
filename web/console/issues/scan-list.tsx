import type { EngineRun, EngineRunsPage } from "@berth/server";
import { Radar } from "lucide-react";
import { Link } from "wouter";
import { Button, type Toast, useToast } from "../../ui/index.ts";
import { api, useAction, useAddressQuery, usePages } from "../data/index.ts";
import { type NamedSessions, useSessions } from "../issue.tsx";
import { Ago, type Column, Duration, Empty, FilterBar, PagedTable, StatusBadge } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

const STATUSES = [
  { value: "running", label: WORDS.running },
  { value: "success", label: WORDS.success },
  { value: "error", label: WORDS.error },
  { value: "timeout", label: WORDS.timedOut },
];

/** The scans of the engine, with why one failed; of one project, or narrowed by the filters in the address. */
export function ScanList({ sessionId }: { sessionId?: string }) {
  const { get } = useAddressQuery();
  const sessions = useSessions();
  const wanted = { session_id: sessionId ?? get("session_id"), status: sessionId ? "" : get("status") };
  const set = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ""));
  const pages = usePages<EngineRun>(`/v1/engine/runs?${set}`, {
    live: ["engine_runs"],
    pageSize: sessionId ? 10 : 50,
  });
  return (
    <>
      {sessionId === undefined && <FilterBar filters={filtersOf(sessions)} />}
      <PagedTable
        label={WORDS.scans}
        testId="scans"
        columns={columnsOf(sessions, {
          withProject: sessionId === undefined,
          withUnreadable: pages.rows.some(({ unreadable }) => unreadable > 0),
        })}
        pages={pages}
        rowKey={({ id }) => id}
        empty={<Empty icon={<Radar />} title={WORDS.noScanYet} text={WORDS.noScanHint} />}
      />
    </>
  );
}

const filtersOf = ({ all }: NamedSessions) => [
  { name: "status", label: WORDS.state, kind: "choice" as const, options: STATUSES },
  {
    name: "session_id",
    label: WORDS.project,
    kind: "choice" as const,
    options: all.map(({ id, name }) => ({ value: id, label: name })),
  },
];

const tookOf = ({ started_at, ended_at }: EngineRun) =>
  ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at);

function columnsOf(
  { nameOf }: NamedSessions,
  { withProject, withUnreadable }: { withProject: boolean; withUnreadable: boolean },
): Column<EngineRun>[] {
  const project: Column<EngineRun> = {
    name: WORDS.project,
    width: "minmax(7rem, 1fr)",
    cell: ({ session_id }) => <Link href={`/sessions/${session_id}`}>{nameOf(session_id)}</Link>,
  };
  const count = (name: string, of: (scan: EngineRun) => number): Column<EngineRun> => ({
    name,
    width: "4.5rem",
    align: "end",
    cell: of,
  });
  return [
    { name: WORDS.started, width: "7rem", cell: ({ started_at }) => <Ago at={started_at} /> },
    { name: WORDS.state, width: "7rem", cell: ({ status }) => <StatusBadge status={status} /> },
    ...(withProject ? [project] : []),
    { name: WORDS.duration, width: "5rem", align: "end", cell: (scan) => <Duration ms={tookOf(scan)} /> },
    count(WORDS.tracesColumn, ({ scanned }) => scanned),
    ...(withUnreadable ? [count(WORDS.unreadable, ({ unreadable }) => unreadable)] : []),
    count(WORDS.findings, ({ findings }) => findings),
    count(WORDS.opened, ({ opened }) => opened),
    count(WORDS.linked, ({ linked }) => linked),
    count(WORDS.reopened, ({ reopened }) => reopened),
    { name: WORDS.error, width: "minmax(8rem, 2fr)", cell: ({ error_message }) => error_message ?? "" },
  ];
}

/** Lets the engine look at what is new, now: of one project or of all. */
export function ScanButton({ sessionId }: { sessionId?: string }) {
  const { run, busy } = useAction();
  const toast = useToast();
  const scan = () =>
    run(async () => {
      const body = sessionId === undefined ? {} : { session_id: sessionId };
      const { resources } = await api<EngineRunsPage>("/v1/engine/scan", {
        method: "POST",
        body,
      });
      toast(tellOf(resources));
    });
  return (
    <Button icon={<Radar />} disabled={busy} onClick={scan} data-testid="scan">
      {busy ? WORDS.scanning : WORDS.scanNow}
    </Button>
  );
}

/** What scans came to, in a line. */
export function tellOf(scans: readonly EngineRun[]): Toast {
  const failed = scans.find(({ status }) => status === "error" || status === "timeout");
  if (failed) return { text: WORDS.aScanFailed(failed.error_message ?? failed.status), look: "negative" };
  const sum = (of: (scan: EngineRun) => number) => scans.reduce((total, scan) => total + of(scan), 0);
  const scanned = sum((scan) => scan.scanned);
  if (scanned === 0) return { text: WORDS.nothingNewToScan };
  const [opened, reopened, linked] = [
    sum((scan) => scan.opened),
    sum((scan) => scan.reopened),
    sum((scan) => scan.linked),
  ];
  const parts = [
    WORDS.scanned(scanned),
    opened > 0 && WORDS.openedCount(opened),
    reopened > 0 && WORDS.reopenedCount(reopened),
    linked > 0 && WORDS.linkedCount(linked),
  ];
  return { text: parts.filter(Boolean).join(", ") };
}
