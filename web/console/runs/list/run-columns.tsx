import { Ago, type Column, Duration, StatusBadge } from "../../ui/index.ts";
import type { Trace } from "../trace/trace.ts";

const numbers = new Intl.NumberFormat();

/** What a list of runs says about each. */
export const runColumns: readonly Column<Trace>[] = [
  { name: "Run", width: "minmax(8rem, 1.2fr)", cell: ({ name, id }) => name || `Run ${id.slice(-12)}` },
  { name: "Status", width: "7.5rem", cell: ({ status }) => <RunStatus status={status} /> },
  { name: "What went wrong", width: "minmax(10rem, 2fr)", cell: errorOf, wideOnly: true },
  { name: "Started", width: "6rem", cell: ({ start_time }) => <Ago at={start_time} /> },
  { name: "Took", width: "5.5rem", align: "end", cell: ({ latency_ms }) => <Duration ms={latency_ms} /> },
  {
    name: "Tokens",
    width: "5rem",
    align: "end",
    cell: ({ total_tokens }) => (total_tokens > 0 ? numbers.format(total_tokens) : "–"),
  },
  { name: "Thread", width: "7.5rem", cell: threadOf, wideOnly: true },
];

/** A trace without an end is that of a run that goes on. */
export function RunStatus({ status }: { status: string }) {
  return <StatusBadge status={status === "pending" ? "running" : status} />;
}

function errorOf({ error }: Trace) {
  if (!error) return null;
  const text = error.message.split("\n")[0] || error.type;
  return (
    <div className="table-cut" title={`${error.type}: ${error.message}`}>
      {text}
    </div>
  );
}

function threadOf({ thread_id }: Trace) {
  return thread_id === null ? null : <code className="table-cut run-thread">{thread_id.slice(-12)}</code>;
}
