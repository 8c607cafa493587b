import type { Doctor, Lease, Member, System } from "@berth/server";
import { RefreshCw } from "lucide-react";
import { Button } from "../../ui/index.ts";
import { useAddressQuery, useIsOperator, useResource } from "../data/index.ts";
import {
  Ago,
  type Column,
  durationText,
  Empty,
  Loading,
  PageHead,
  Problem,
  Section,
  StatusBadge,
  Table,
  Tabs,
} from "../ui/index.ts";
import { RetentionPreview } from "./retention-preview.tsx";
import { SystemFacts } from "./system-facts.tsx";
import { WORDS } from "./words.tsx";
import "./system.css";

const TABS = [
  { id: "now", label: WORDS.now, href: "/system" },
  { id: "doctor", label: WORDS.doctor, href: "/system?tab=doctor" },
  { id: "retention", label: WORDS.retention, href: "/system?tab=retention" },
];

/** The server itself: how it is, what it holds, and what it will let go. */
export function SystemScreen() {
  const tab = useAddressQuery().get("tab") || "now";
  const isOperator = useIsOperator();
  const { data, error, loading, refresh } = useResource<System>(isOperator ? "/v1/system" : null, {
    live: ["system", "runs", "deliveries", "deployments"],
  });
  return (
    <>
      <PageHead title={WORDS.system} {...(data && { sub: <SystemLine system={data} /> })} />
      {!isOperator ? (
        <OperatorOnly />
      ) : (
        <>
          <Tabs items={TABS} current={tab} />
          {tab === "doctor" && <DoctorReport />}
          {tab === "retention" && <RetentionPreview />}
          {tab === "now" && error && <Problem error={error} retry={refresh} />}
          {tab === "now" && loading && <Loading />}
          {tab === "now" && data && (
            <>
              <SystemFacts system={data} />
              <Members members={data.members} />
              <Leases leases={data.leases} />
            </>
          )}
        </>
      )}
    </>
  );
}

function SystemLine({ system }: { system: System }) {
  return (
    <>
      <span>{WORDS.berth(system.version)}</span>
      <span>{system.host}</span>
      <span>{system.platform}</span>
      <span>{WORDS.bun(system.bun)}</span>
      <span>{WORDS.processNumber(system.pid)}</span>
    </>
  );
}

/** A workspace's key sees its workspace; the server is everybody's. */
function OperatorOnly() {
  return (
    <Problem
      error={{
        status: 403,
        message: WORDS.keyNeeded,
      }}
    />
  );
}

const ORDER: readonly Doctor["status"][] = ["failure", "warning", "ok"];

/** What `berth doctor` finds, what is wrong first. */
function DoctorReport() {
  const { data, error, loading, refreshing, refresh } = useDoctor();
  if (error) return <Problem error={error} retry={refresh} />;
  if (loading || !data) return <Loading label={WORDS.checkingTheServer} />;
  const findings = [...data.findings].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  return (
    <Section
      title={TITLES[data.status]}
      testId="doctor"
      note={WORDS.checkedIn(<Ago at={data.checked_at} />, durationText(data.took_ms))}
      actions={
        <Button
          size="small"
          icon={<RefreshCw />}
          disabled={refreshing}
          onClick={refresh}
          data-testid="look-again"
        >
          {refreshing ? WORDS.checking : WORDS.checkAgain}
        </Button>
      }
    >
      <ul className="findings">
        {findings.map(({ check, title, status, message, advice }) => (
          <li key={check} data-testid="finding">
            <StatusBadge status={status} />
            <strong>{title}</strong>
            <span className="finding-message">{message}</span>
            {advice && <span className="finding-advice">{advice}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const TITLES: Record<Doctor["status"], string> = {
  ok: WORDS.allIsWell,
  warning: WORDS.worthALook,
  failure: WORDS.somethingIsWrong,
};

/** It tries things, so it is asked for when somebody looks, and not each time that something changes. */
function useDoctor() {
  return useResource<Doctor>("/v1/system/doctor", { once: true });
}

const memberColumns: Column<Member>[] = [
  { name: WORDS.process, cell: ({ host, pid }) => WORDS.processOfHost(host, pid) },
  { name: WORDS.role, cell: ({ roles, leads }) => `${roles.join(", ")}${leads ? WORDS.leads : ""}` },
  { name: WORDS.version, cell: ({ version }) => version },
  { name: WORDS.runningRuns, cell: ({ running }) => running },
  { name: WORDS.started, cell: ({ started_at }) => <Ago at={started_at} /> },
  {
    name: WORDS.lastSeen,
    cell: ({ mine, seen_at }) => (mine ? WORDS.answersThisPage : <Ago at={seen_at} />),
  },
];

/** The Berths that share this database. */
function Members({ members }: { members: readonly Member[] }) {
  return (
    <Section title={WORDS.berths} note={WORDS.processesOnThisDatabase} testId="members">
      <Table
        label={WORDS.berths}
        columns={memberColumns}
        rows={members}
        rowKey={({ host, pid, started_at }) => `${host} ${pid} ${started_at}`}
      />
    </Section>
  );
}

const leaseColumns: Column<Lease>[] = [
  { name: WORDS.work, cell: ({ kind }) => KINDS[kind] ?? kind },
  {
    name: WORDS.heldBy,
    width: "minmax(0, 2fr)",
    cell: ({ holder, mine }) => (
      <span>
        <code>{holder}</code> {mine === true && <span className="never">{WORDS.thisProcess}</span>}
      </span>
    ),
  },
  { name: WORDS.count, align: "end", width: "5rem", cell: ({ count }) => count },
  { name: WORDS.until, width: "8rem", cell: ({ until }) => (until === null ? "–" : <Ago at={until} />) },
];

const KINDS: Record<string, string> = {
  runs: WORDS.runs,
  reconciler: WORDS.deployments,
  engine: WORDS.scansForIssues,
  deliveries: WORDS.webhookDeliveries,
};

/** Which process has which work; a lease that is not renewed is another's when its time is over. */
function Leases({ leases }: { leases: readonly Lease[] }) {
  return (
    <Section title={WORDS.leases} note={WORDS.leasesLabel}>
      <Table
        label={WORDS.leases}
        columns={leaseColumns}
        rows={leases}
        rowKey={({ kind, holder }) => `${kind} ${holder}`}
        empty={<Empty title={WORDS.noLeases} text={WORDS.noLeasesHint} />}
      />
    </Section>
  );
}
