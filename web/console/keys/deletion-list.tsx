import type { Deletion, DeletionsPage } from "@berth/server";
import { useResource } from "../data/index.ts";
import { Ago, type Column, Section, Table } from "../ui/index.ts";

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
export function DeletionList() {
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
