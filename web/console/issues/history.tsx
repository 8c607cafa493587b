import type { HistoryEntry } from "@berth/server";
import { Link } from "wouter";
import { usePages } from "../data/index.ts";
import { RESOLUTIONS, severityName } from "../issue.tsx";
import { Ago, type Column, PagedTable, Section } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

/** What became of an issue, the newest first. */
export function History({ issueId }: { issueId: string }) {
  const pages = usePages<HistoryEntry>(`/v1/issues/${issueId}/history`, { live: ["issues"], pageSize: 20 });
  return (
    <Section title={WORDS.history} testId="history">
      <PagedTable label={WORDS.historyOfThisIssue} columns={COLUMNS} pages={pages} rowKey={keyOf} />
    </Section>
  );
}

const keyOf = ({ at, kind, detail }: HistoryEntry) => `${at} ${kind} ${JSON.stringify(detail)}`;

const COLUMNS: Column<HistoryEntry>[] = [
  { name: WORDS.when, width: "7rem", cell: ({ at }) => <Ago at={at} /> },
  { name: WORDS.what, width: "minmax(14rem, 3fr)", cell: (entry) => <Words {...entry} /> },
  {
    name: WORDS.by,
    width: "minmax(6rem, 1fr)",
    cell: ({ actor, by }) => (actor === "engine" ? WORDS.theEngine : (by?.name ?? WORDS.somebody)),
  },
];

const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

function Words({ kind, detail }: HistoryEntry) {
  switch (kind) {
    case "opened":
      return <>{detail.traces === undefined ? WORDS.opened : WORDS.openedWithTraces(text(detail.traces))}</>;
    case "closed":
      return <>{WORDS.closed(closedAs(detail))}</>;
    case "reopened":
      return <>{WORDS.openedAgain}</>;
    case "regressed":
      return (
        <>
          {WORDS.regressionItCameBack(
            <Link href={`/traces/${text(detail.trace_id)}?span=${text(detail.run_id)}`}>{WORDS.aRun}</Link>,
          )}
          {revisionOf(detail)}
        </>
      );
    case "merged":
    case "split":
      return <Regrouped kind={kind} detail={detail} />;
    case "muted":
      return Date.parse(text(detail.until)) >= FOR_GOOD
        ? WORDS.mutedForGood
        : WORDS.mutedUntil(<Ago at={text(detail.until)} />);
    case "unmuted":
      return <>{WORDS.unmutedEntry}</>;
    case "severity":
      return (
        <>
          {WORDS.severityChange(`${severityName(Number(detail.from))} → ${severityName(Number(detail.to))}`)}
        </>
      );
    case "worded":
      return <>{WORDS.renamed(text(detail.name))}</>;
  }
}

const FOR_GOOD = Date.parse("9999-01-01T00:00:00Z");

function Regrouped({ kind, detail }: { kind: "merged" | "split"; detail: Record<string, unknown> }) {
  const [into, from] = [text(detail.into), text(detail.from)];
  const link = (id: string, words: string) => <Link href={`/issues/${id}`}>{words}</Link>;
  if (kind === "merged")
    return into
      ? WORDS.mergedInto(link(into, WORDS.anotherIssue))
      : WORDS.tookOver(link(from, WORDS.anotherIssue));
  return into
    ? WORDS.aPartBecame(link(into, WORDS.anotherIssue))
    : WORDS.splitOffFrom(link(from, WORDS.anotherIssue));
}

function closedAs({ resolution, in_next_revision }: Record<string, unknown>): string {
  const name = Object.entries(RESOLUTIONS).find(([key]) => key === resolution)?.[1] ?? text(resolution);
  return in_next_revision === true ? WORDS.inTheNextRevision(name) : name;
}

function revisionOf({ revision_number, revision_id }: Record<string, unknown>): string {
  const name = text(revision_number) || text(revision_id);
  return name === "" ? "" : WORDS.onRevision(name);
}
