import type { System } from "@berth/server";
import { useAddressQuery, useIsOperator, useResource } from "../data/index.ts";
import { Loading, PageHead, Problem, Tabs } from "../ui/index.ts";
import { DoctorReport } from "./doctor-report.tsx";
import { Leases } from "./leases.tsx";
import { RetentionPreview } from "./retention-preview.tsx";
import "./system.css";
import { SystemFacts } from "./system-facts.tsx";

const TABS = [
  { id: "now", label: "Now", href: "/system" },
  { id: "doctor", label: "Doctor", href: "/system?tab=doctor" },
  { id: "retention", label: "Retention", href: "/system?tab=retention" },
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
      <PageHead title="System" {...(data && { sub: <SystemLine system={data} /> })} />
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
      <span>Berth {system.version}</span>
      <span>{system.host}</span>
      <span>{system.platform}</span>
      <span>Bun {system.bun}</span>
      <span>process {system.pid}</span>
    </>
  );
}

/** A workspace's key sees its workspace; the server is everybody's. */
function OperatorOnly() {
  return (
    <Problem
      error={{
        status: 403,
        message:
          "This is about the whole server, and so it takes an API key of the organization. Sign in with one: SERVICE_API_KEY, or a key made with --scope organization.",
      }}
    />
  );
}
