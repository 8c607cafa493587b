import type { Trace } from "@berth/server";
import { Ago, type Column, Duration } from "../../ui/index.ts";
import { RunStatus } from "../run-status.tsx";
import type { Titles } from "../threads/index.ts";

const numbers = new Intl.NumberFormat();

/**
 * What a list of runs says about each.
 * @param titles of threads, as far as they are known: they say what a run is about
 */
export function runColumns(titles: Titles | undefined): Column<Trace>[] {
  return [
    {
      name: "Run",
      width: "minmax(8rem, 1fr)",
      cell: ({ name, id }) => <span className="table-cut run-name">{name || `Run ${id.slice(-12)}`}</span>,
    },
    { name: "Status", width: "7.5rem", cell: ({ status }) => <RunStatus status={status} /> },
    { name: "Thread", width: "minmax(8rem, 1.3fr)", cell: (run) => threadOf(run, titles), wideOnly: true },
    { name: "What went wrong", width: "minmax(8rem, 1.6fr)", cell: errorOf, wideOnly: true },
    { name: "Started", width: "6rem", cell: ({ start_time }) => <Ago at={start_time} /> },
    { name: "Took", width: "5rem", align: "end", cell: ({ latency_ms }) => <Duration ms={latency_ms} /> },
    { name: "Tokens", width: "4rem", align: "end", cell: ({ total_tokens }) => tokenText(total_tokens) },
  ];
}

const tokenText = (tokens: number) => (tokens > 0 ? numbers.format(tokens) : "–");

function errorOf({ error }: Trace) {
  if (!error) return null;
  const text = error.message.split("\n")[0] || error.type;
  return (
    <div className="table-cut" title={`${error.type}: ${error.message}`}>
      {text}
    </div>
  );
}

function threadOf({ thread_id }: Trace, titles: Titles | undefined) {
  if (thread_id === null) return null;
  return (
    <div className="table-cut run-thread" title={thread_id}>
      {titles?.get(thread_id) ?? <code>{thread_id.slice(-12)}</code>}
    </div>
  );
}
