import type { Lease } from "@berth/server";
import { Ago, type Column, Empty, Section, Table } from "../ui/index.ts";

const columns: Column<Lease>[] = [
  { name: "Work", cell: ({ kind }) => KINDS[kind] ?? kind },
  {
    name: "Held by",
    width: "minmax(0, 2fr)",
    cell: ({ holder, mine }) => (
      <span>
        <code>{holder}</code> {mine === true && <span className="never">this process</span>}
      </span>
    ),
  },
  { name: "Pieces", align: "end", width: "5rem", cell: ({ count }) => count },
  { name: "Until", width: "8rem", cell: ({ until }) => (until === null ? "–" : <Ago at={until} />) },
];

const KINDS: Record<string, string> = {
  runs: "Runs",
  reconciler: "Deployments",
  engine: "Scans for issues",
  deliveries: "Webhook deliveries",
};

/** Which process has which work; a lease that is not renewed is another's when its time is over. */
export function Leases({ leases }: { leases: readonly Lease[] }) {
  return (
    <Section title="Leases" note="Who has which work in hand">
      <Table
        label="Leases"
        columns={columns}
        rows={leases}
        rowKey={({ kind, holder }) => `${kind} ${holder}`}
        empty={
          <Empty
            title="Nothing is in hand"
            text="Leases are here while runs, scans or deliveries are under way."
          />
        }
      />
    </Section>
  );
}
