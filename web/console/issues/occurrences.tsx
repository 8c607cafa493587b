import type {
  Issue,
  Occurrence,
  OccurrencesList,
  RevisionOccurrence,
  RevisionOccurrencesList,
} from "@berth/server";
import { Link } from "wouter";
import { Button } from "../../ui/index.ts";
import { useAddressQuery, useResource } from "../data/index.ts";
import { Ago, Bars, type Column, type CountBucket, Section, Table } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

/** How often an issue is seen, hour by hour or day by day, and on which revisions. */
export function Occurrences({ issue, deploymentId }: { issue: Issue; deploymentId: string | null }) {
  const query = useAddressQuery();
  const by = query.get("by") === "day" ? "day" : "hour";
  const path = `/v1/issues/${issue.id}/occurrences`;
  const counts = useResource<OccurrencesList>(`${path}?by=${by}`, { live: ["issues"] }).data?.resources ?? [];
  const byRevision = useResource<RevisionOccurrencesList>(`${path}?by=revision`, {
    live: ["issues"],
  });
  const revisions = (byRevision.data?.resources ?? []).filter(({ revision_id }) => revision_id !== null);
  const total = counts.reduce((sum, { traces }) => sum + traces, 0);
  const span = by === "hour" ? WORDS.hours48 : WORDS.days30;
  return (
    <Section
      title={WORDS.howOften}
      note={WORDS.countInLast(total, span)}
      testId="occurrences"
      actions={
        <>
          <Span label={WORDS.hours48} isCurrent={by === "hour"} onChoose={() => query.set({ by: null })} />
          <Span label={WORDS.days30} isCurrent={by === "day"} onChoose={() => query.set({ by: "day" })} />
        </>
      }
    >
      <div className="issue-chart">
        <Bars buckets={withMarks(counts, revisions)} name="Traces" label={WORDS.tracesChartLabel(span)} />
        {revisions.length > 0 && (
          <Table
            label={WORDS.byRevision}
            testId="by-revision"
            columns={columnsOf(deploymentId)}
            rows={revisions.toReversed()}
            rowKey={({ revision_id }) => revision_id ?? ""}
          />
        )}
      </div>
    </Section>
  );
}

function Span({ label, isCurrent, onChoose }: { label: string; isCurrent: boolean; onChoose: () => void }) {
  return (
    <Button size="small" look={isCurrent ? "plain" : "quiet"} aria-pressed={isCurrent} onClick={onChoose}>
      {label}
    </Button>
  );
}

/** The counts, with a mark where the first run of a revision was. */
export function withMarks(
  counts: readonly Occurrence[],
  revisions: readonly RevisionOccurrence[],
): CountBucket[] {
  const starts = counts.map(({ at }) => Date.parse(at));
  const marks = new Map<number, string[]>();
  for (const revision of revisions) {
    const time = Date.parse(revision.at);
    const place = starts.findLastIndex((start) => start <= time);
    const last = starts.at(-1);
    const isShown = place >= 0 && last !== undefined && time < last + width(starts);
    if (isShown) marks.set(place, [...(marks.get(place) ?? []), nameOf(revision)]);
  }
  return counts.map(({ at, traces }, place) => {
    const mark = marks.get(place)?.join(", ");
    return { at, count: traces, ...(mark !== undefined && { mark }) };
  });
}

const width = ([first = 0, second = 0]: readonly number[]) => second - first;

/** By its number, or as whoever sent the runs calls it. */
const nameOf = ({ revision_number, revision_id }: RevisionOccurrence) =>
  revision_number === null ? WORDS.revision(revision_id) : WORDS.revisionNumber(revision_number);

const percent = ({ traces, runs }: RevisionOccurrence) =>
  runs === 0 ? "–" : `${((100 * traces) / runs).toFixed(traces > 0 && traces / runs < 0.1 ? 1 : 0)} %`;

const columnsOf = (deploymentId: string | null): Column<RevisionOccurrence>[] => [
  {
    name: WORDS.revisionColumn,
    width: "minmax(8rem, 1fr)",
    cell: (revision) =>
      deploymentId === null || revision.revision_number === null ? (
        nameOf(revision)
      ) : (
        <Link href={`/deployments/${deploymentId}/revisions`}>{nameOf(revision)}</Link>
      ),
  },
  { name: WORDS.firstRun, width: "8rem", cell: ({ at }) => <Ago at={at} /> },
  { name: WORDS.runs, width: "5rem", align: "end", cell: ({ runs }) => runs },
  { name: WORDS.showIt, width: "5rem", align: "end", cell: ({ traces }) => traces },
  { name: WORDS.share, width: "5rem", align: "end", cell: percent },
];
