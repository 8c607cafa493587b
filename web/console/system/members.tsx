import type { Member } from "@berth/server";
import { Ago, type Column, Section, Table } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

const columns: Column<Member>[] = [
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
export function Members({ members }: { members: readonly Member[] }) {
  return (
    <Section title={WORDS.berths} note={WORDS.processesOnThisDatabase} testId="members">
      <Table
        label={WORDS.berths}
        columns={columns}
        rows={members}
        rowKey={({ host, pid, started_at }) => `${host} ${pid} ${started_at}`}
      />
    </Section>
  );
}
