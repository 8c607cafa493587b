import type { Issue, IssueTrace } from "@berth/server";
import { Split } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../../ui/index.ts";
import { usePages } from "../data/index.ts";
import { Ago, type Column, Empty, PagedTable, Section } from "../ui/index.ts";
import { SplitDialog } from "./issue-dialogs.tsx";

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
      title="Evidence"
      note={`${issue.trace_count} traces, the newest first`}
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
            {`Split off ${picked.length}`}
          </Button>
        )
      }
    >
      <PagedTable
        label="Traces that show this issue"
        columns={columnsOf(canSplit ? { picked, pick } : undefined)}
        pages={pages}
        rowKey={({ trace_id }) => trace_id}
        hrefOf={({ trace_id, run_id }) => `/traces/${trace_id}?span=${run_id}`}
        empty={<Empty title="No trace is left" text="Links to traces are kept for 90 days." />}
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
    { name: "Run", width: "8rem", cell: ({ start_time }) => <Ago at={start_time} /> },
    { name: "What it shows", width: "minmax(12rem, 4fr)", cell: ({ comment }) => comment ?? "" },
    {
      name: "Trace",
      width: "6rem",
      wideOnly: true,
      cell: ({ trace_id }) => <code title={trace_id}>{trace_id.slice(-8)}</code>,
    },
    {
      name: "Thread",
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
      aria-label={`Pick the trace ${trace_id}`}
      checked={picked.includes(trace_id)}
      onChange={(event) => pick(trace_id, event.target.checked)}
    />
  );
  return [...columns, { name: "Pick to split", hideName: true, width: "1.5rem", align: "end", cell: choose }];
}

const ThreadLink = ({ id }: { id: string }) => (
  <Link href={`/runs?thread_id=${encodeURIComponent(id)}`} title={`All runs of the thread ${id}`}>
    <code>{id.slice(-8)}</code>
  </Link>
);
