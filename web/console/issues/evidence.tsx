import type { Issue, IssueTrace } from "@berth/server";
import { Split } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../../ui/index.ts";
import { usePages } from "../data/index.ts";
import { Ago, type Column, Empty, PagedTable, Section } from "../ui/index.ts";
import { SplitDialog } from "./issue-dialogs.tsx";
import { WORDS } from "./words.tsx";

/** The traces that show an issue; some of them can be made an issue of their own. */
export function Evidence({ issue }: { issue: Issue }) {
  const pages = usePages<IssueTrace>(`/v1/issues/${issue.id}/traces`, { live: ["issues"], pageSize: 10 });
  const [picked, setPicked] = useState<string[]>([]);
  const [isSplitting, setSplitting] = useState(false);
  const [, navigate] = useLocation();
  const canSplit = issue.merged_into === null && issue.trace_count > 1;
  const pick = (id: string, on: boolean) =>
    setPicked((before) => (on ? [...before, id] : before.filter((other) => other !== id)));
  return (
    <Section
      title={WORDS.evidence}
      note={WORDS.tracesNewestFirst(issue.trace_count)}
      testId="evidence"
      actions={
        picked.length > 0 && (
          <Button
            size="small"
            icon={<Split />}
            disabled={picked.length >= issue.trace_count}
            onClick={() => setSplitting(true)}
            data-testid="split-traces"
          >
            {WORDS.splitOff(picked.length)}
          </Button>
        )
      }
    >
      <PagedTable
        label={WORDS.tracesLabel}
        columns={columnsOf(canSplit ? { picked, pick } : undefined)}
        pages={pages}
        rowKey={({ trace_id }) => trace_id}
        hrefOf={({ trace_id, run_id }) => `/traces/${trace_id}?span=${run_id}`}
        empty={<Empty title={WORDS.noTracesLeft} text={WORDS.linksKept} />}
      />
      {isSplitting && (
        <SplitDialog
          issue={issue}
          traceIds={picked}
          onClose={() => setSplitting(false)}
          onSplit={({ id }) => navigate(`/issues/${id}`)}
        />
      )}
    </Section>
  );
}

type Picking = { picked: readonly string[]; pick: (id: string, on: boolean) => void };

function columnsOf(picking: Picking | undefined): Column<IssueTrace>[] {
  const columns: Column<IssueTrace>[] = [
    { name: WORDS.run, width: "8rem", cell: ({ start_time }) => <Ago at={start_time} /> },
    { name: WORDS.whatItShows, width: "minmax(12rem, 4fr)", cell: ({ comment }) => comment ?? "" },
    {
      name: WORDS.trace,
      width: "6rem",
      wideOnly: true,
      cell: ({ trace_id }) => <code title={trace_id}>{trace_id.slice(-8)}</code>,
    },
    {
      name: WORDS.thread,
      width: "6rem",
      wideOnly: true,
      cell: ({ thread_id }) => thread_id && <ThreadLink id={thread_id} />,
    },
  ];
  if (!picking) return columns;
  const { picked, pick } = picking;
  const choose = ({ trace_id }: IssueTrace) => (
    <input
      type="checkbox"
      className="picked"
      aria-label={WORDS.chooseTheTrace(trace_id)}
      checked={picked.includes(trace_id)}
      onChange={(event) => pick(trace_id, event.target.checked)}
    />
  );
  return [...columns, { name: WORDS.choose, hideName: true, width: "1.5rem", align: "end", cell: choose }];
}

const ThreadLink = ({ id }: { id: string }) => (
  <Link href={`/runs?thread_id=${encodeURIComponent(id)}`} title={WORDS.allRunsOfThread(id)}>
    <code>{id.slice(-8)}</code>
  </Link>
);
