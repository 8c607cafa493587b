import type { Member } from "@berth/server";
import { Ago, type Column, Section, Table } from "../ui/index.ts";

const columns: Column<Member>[] = [
  { name: "Process", cell: ({ host, pid }) => `${host}, process ${pid}` },
  { name: "Does", cell: ({ roles, leads }) => `${roles.join(", ")}${leads ? " (leads)" : ""}` },
  { name: "Version", cell: ({ version }) => version },
  { name: "Runs at work", cell: ({ running }) => running },
  { name: "Started", cell: ({ started_at }) => <Ago at={started_at} /> },
  { name: "Heard of", cell: ({ mine, seen_at }) => (mine ? "answers this page" : <Ago at={seen_at} />) },
];

/** The Berths that share this database. */
export function Members({ members }: { members: readonly Member[] }) {
  return (
    <Section title="Berths" note="Processes on this database" testId="members">
      <Table
        label="Berths"
        columns={columns}
        rows={members}
        rowKey={({ host, pid, started_at }) => `${host} ${pid} ${started_at}`}
      />
    </Section>
  );
}
