import type { Deletion, DeletionsPage } from "@berth/server";
import { useAddressQuery, useResource } from "../data/index.ts";
import { Ago, type Column, PageHead, Section, Table, Tabs } from "../ui/index.ts";
import { KeyList } from "./key-list.tsx";
import { WorkspaceList } from "./workspace-list.tsx";
import "./keys.css";

const TABS = [
  { id: "keys", label: "API keys", href: "/keys" },
  { id: "workspaces", label: "Workspaces", href: "/keys?tab=workspaces" },
];

/** Who may call, and what keeps one team's things from another's. */
export function KeysScreen() {
  const tab = useAddressQuery().get("tab") === "workspaces" ? "workspaces" : "keys";
  return (
    <>
      <PageHead title="Keys and workspaces" />
      <Tabs items={TABS} current={tab} />
      {tab === "keys" ? (
        <>
          <KeyList />
          <DeletionList />
        </>
      ) : (
        <WorkspaceList />
      )}
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  deployment: "Deployment",
  key: "API key",
  organization_key: "API key of the organization",
  integration: "Integration",
  tracing_project: "Tracing project",
  trace: "Trace",
  webhook: "Webhook",
};

const COLUMNS: Column<Deletion>[] = [
  { name: "What", width: "minmax(9rem, 1fr)", cell: ({ kind }) => KINDS[kind] ?? kind },
  {
    name: "Name",
    width: "minmax(9rem, 2fr)",
    cell: ({ name, target_id }) => <span title={target_id}>{name}</span>,
  },
  { name: "By", width: "minmax(6rem, 1fr)", cell: ({ deleted_by }) => deleted_by?.name ?? "–" },
  { name: "When", width: "7rem", cell: ({ deleted_at }) => <Ago at={deleted_at} /> },
];

/** Who deleted what lately; nothing where nobody did. */
function DeletionList() {
  const { data } = useResource<DeletionsPage>("/v1/deletions?limit=20", { live: ["keys"] });
  if (!data || data.resources.length === 0) return null;
  return (
    <Section title="Deleted lately" note="Kept for a year.">
      <Table
        label="Deleted lately"
        columns={COLUMNS}
        rows={data.resources}
        rowKey={({ id }) => id}
        testId="deletions"
      />
    </Section>
  );
}
