import type { EngineRun, EngineRunsPage } from "@berth/server";
import { Radar } from "lucide-react";
import { Link } from "wouter";
import { Button, type Toast, useToast } from "../../ui/index.ts";
import { api, useAction, useAddressQuery, usePages } from "../data/index.ts";
import { type NamedSessions, useSessions } from "../issue.tsx";
import { Ago, type Column, Duration, Empty, FilterBar, PagedTable, StatusBadge } from "../ui/index.ts";

const STATUSES = [
  { value: "running", label: "Running" },
  { value: "success", label: "Success" },
  { value: "error", label: "Error" },
  { value: "timeout", label: "Timed out" },
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
        label="Scans"
        testId="scans"
        columns={columnsOf(sessions, {
          withProject: sessionId === undefined,
          withUnreadable: pages.rows.some(({ unreadable }) => unreadable > 0),
        })}
        pages={pages}
        rowKey={({ id }) => id}
        empty={
          <Empty
            icon={<Radar />}
            title="No scan yet"
            text="The engine scans by itself every ENGINE_INTERVAL seconds, as soon as there are traces."
          />
        }
      />
    </>
  );
}

const filtersOf = ({ all }: NamedSessions) => [
  { name: "status", label: "State", kind: "choice" as const, options: STATUSES },
  {
    name: "session_id",
    label: "Project",
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
    name: "Project",
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
    { name: "Started", width: "7rem", cell: ({ started_at }) => <Ago at={started_at} /> },
    { name: "State", width: "7rem", cell: ({ status }) => <StatusBadge status={status} /> },
    ...(withProject ? [project] : []),
    { name: "Took", width: "5rem", align: "end", cell: (scan) => <Duration ms={tookOf(scan)} /> },
    count("Traces", ({ scanned }) => scanned),
    ...(withUnreadable ? [count("Unreadable", ({ unreadable }) => unreadable)] : []),
    count("Findings", ({ findings }) => findings),
    count("Opened", ({ opened }) => opened),
    count("Linked", ({ linked }) => linked),
    count("Reopened", ({ reopened }) => reopened),
    { name: "Error", width: "minmax(8rem, 2fr)", cell: ({ error_message }) => error_message ?? "" },
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
      {busy ? "Scanning…" : "Scan now"}
    </Button>
  );
}

/** What scans came to, in a line. */
export function tellOf(scans: readonly EngineRun[]): Toast {
  const failed = scans.find(({ status }) => status === "error" || status === "timeout");
  if (failed) return { text: `A scan failed: ${failed.error_message ?? failed.status}`, look: "negative" };
  const sum = (of: (scan: EngineRun) => number) => scans.reduce((total, scan) => total + of(scan), 0);
  const scanned = sum((scan) => scan.scanned);
  if (scanned === 0) return { text: "There was nothing new to look at" };
  const parts = [
    `Looked at ${counted(scanned, "trace")}`,
    sum((scan) => scan.opened) > 0 &&
      `opened ${counted(
        sum((scan) => scan.opened),
        "issue",
      )}`,
    sum((scan) => scan.reopened) > 0 && `reopened ${sum((scan) => scan.reopened)}`,
    sum((scan) => scan.linked) > 0 &&
      `linked ${counted(
        sum((scan) => scan.linked),
        "trace",
      )}`,
  ];
  return { text: parts.filter(Boolean).join(", ") };
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? "" : "s"}`;
