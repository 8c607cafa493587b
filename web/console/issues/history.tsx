import type { HistoryEntry } from "@berth/server";
import { Link } from "wouter";
import { usePages } from "../data/index.ts";
import { RESOLUTIONS, severityName } from "../issue.tsx";
import { Ago, type Column, PagedTable, Section } from "../ui/index.ts";

/** What became of an issue, the newest first. */
export function History({ issueId }: { issueId: string }) {
  const pages = usePages<HistoryEntry>(`/v1/issues/${issueId}/history`, { live: ["issues"], pageSize: 20 });
  return (
    <Section title="History" testId="history">
      <PagedTable label="History of this issue" columns={COLUMNS} pages={pages} rowKey={keyOf} />
    </Section>
  );
}

const keyOf = ({ at, kind, detail }: HistoryEntry) => `${at} ${kind} ${JSON.stringify(detail)}`;

const COLUMNS: Column<HistoryEntry>[] = [
  { name: "When", width: "7rem", cell: ({ at }) => <Ago at={at} /> },
  { name: "What", width: "minmax(14rem, 3fr)", cell: (entry) => <Words {...entry} /> },
  {
    name: "By",
    width: "minmax(6rem, 1fr)",
    cell: ({ actor, by }) => (actor === "engine" ? "The engine" : (by?.name ?? "Somebody")),
  },
];

const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

function Words({ kind, detail }: HistoryEntry) {
  switch (kind) {
    case "opened":
      return <>{detail.traces === undefined ? "Opened" : `Opened, with ${text(detail.traces)} traces`}</>;
    case "closed":
      return <>Closed: {closedAs(detail)}</>;
    case "reopened":
      return <>Opened again</>;
    case "regressed":
      return (
        <>
          <strong>Regression</strong>: it came back in{" "}
          <Link href={`/traces/${text(detail.trace_id)}?span=${text(detail.run_id)}`}>a run</Link>
          {revisionOf(detail)}
        </>
      );
    case "merged":
    case "split":
      return <Regrouped kind={kind} detail={detail} />;
    case "muted":
      return Date.parse(text(detail.until)) >= FOR_GOOD ? (
        <>Muted for good</>
      ) : (
        <>
          Muted until <Ago at={text(detail.until)} />
        </>
      );
    case "unmuted":
      return <>Heard again</>;
    case "severity":
      return <>Severity: {`${severityName(Number(detail.from))} → ${severityName(Number(detail.to))}`}</>;
    case "worded":
      return <>Worded: “{text(detail.name)}”</>;
  }
}

const FOR_GOOD = Date.parse("9999-01-01T00:00:00Z");

function Regrouped({ kind, detail }: { kind: "merged" | "split"; detail: Record<string, unknown> }) {
  const [into, from] = [text(detail.into), text(detail.from)];
  const link = (id: string, words: string) => <Link href={`/issues/${id}`}>{words}</Link>;
  if (kind === "merged")
    return into ? (
      <>Merged into {link(into, "another issue")}</>
    ) : (
      <>Took over {link(from, "another issue")}</>
    );
  return into ? (
    <>A part became {link(into, "another issue")}</>
  ) : (
    <>Split off {link(from, "another issue")}</>
  );
}

function closedAs({ resolution, in_next_revision }: Record<string, unknown>): string {
  const name = Object.entries(RESOLUTIONS).find(([key]) => key === resolution)?.[1] ?? text(resolution);
  return in_next_revision === true ? `${name} in the next revision` : name;
}

function revisionOf({ revision_number, revision_id }: Record<string, unknown>): string {
  const name = text(revision_number) || text(revision_id);
  return name === "" ? "" : ` on revision ${name}`;
}
