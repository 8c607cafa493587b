import type { Deletion, DeletionsPage } from "@berth/server";
import { useAddressQuery, useResource } from "../data/index.ts";
import { Ago, type Column, PageHead, Section, Table, Tabs } from "../ui/index.ts";
import { KeyList } from "./key-list.tsx";
import { WORDS } from "./words.tsx";
import { WorkspaceList } from "./workspace-list.tsx";
import "./keys.css";

const TABS = [
  { id: "keys", label: WORDS.apiKeys, href: "/keys" },
  { id: "workspaces", label: WORDS.workspaces, href: "/keys?tab=workspaces" },
];

/** Who may call, and what keeps one team's things from another's. */
export function KeysScreen() {
  const tab = useAddressQuery().get("tab") === "workspaces" ? "workspaces" : "keys";
  return (
    <>
      <PageHead title={WORDS.keysAndWorkspaces} />
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
  deployment: WORDS.deployment,
  key: WORDS.apiKeyKind,
  organization_key: WORDS.apiKey,
  integration: WORDS.integration,
  tracing_project: WORDS.tracingProject,
  trace: WORDS.trace,
  webhook: WORDS.webhook,
};

const COLUMNS: Column<Deletion>[] = [
  { name: WORDS.what, width: "minmax(9rem, 1fr)", cell: ({ kind }) => KINDS[kind] ?? kind },
  {
    name: WORDS.name,
    width: "minmax(9rem, 2fr)",
    cell: ({ name, target_id }) => <span title={target_id}>{name}</span>,
  },
  { name: WORDS.by, width: "minmax(6rem, 1fr)", cell: ({ deleted_by }) => deleted_by?.name ?? "–" },
  { name: WORDS.when, width: "7rem", cell: ({ deleted_at }) => <Ago at={deleted_at} /> },
];

/** Who deleted what lately; nothing where nobody did. */
function DeletionList() {
  const { data } = useResource<DeletionsPage>("/v1/deletions?limit=20", { live: ["keys"] });
  if (!data || data.resources.length === 0) return null;
  return (
    <Section title={WORDS.recentlyDeleted} note={WORDS.keptForAYear}>
      <Table
        label={WORDS.recentlyDeleted}
        columns={COLUMNS}
        rows={data.resources}
        rowKey={({ id }) => id}
        testId="deletions"
      />
    </Section>
  );
}
