import { MessageSquareShare } from "lucide-react";
import { Ago, type Column, StatusBadge } from "../../ui/index.ts";
import type { FoundThread, Titles } from "./threads.ts";
import { oneLine, titleOf } from "./titles.ts";

/** What a list of threads says about each. */
export function threadColumns(
  titles: Titles | undefined,
  chatHref: (threadId: string) => string,
): Column<FoundThread>[] {
  return [
    {
      name: "Thread",
      width: "minmax(10rem, 1.4fr)",
      cell: (thread) => <span className="table-cut thread-title">{titleOf(thread, titles)}</span>,
    },
    { name: "Status", width: "8rem", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      name: "Last words",
      width: "minmax(10rem, 2fr)",
      cell: (thread) => <div className="table-cut thread-words">{lastWords(thread)}</div>,
      wideOnly: true,
    },
    { name: "Graph", width: "minmax(6rem, 9rem)", cell: graphOf, wideOnly: true },
    { name: "Changed", width: "6rem", cell: ({ updated_at }) => <Ago at={updated_at} /> },
    {
      name: "Open",
      hideName: true,
      width: "2.5rem",
      cell: ({ thread_id }) => (
        <a className="icon-button icon-button-small" href={chatHref(thread_id)} aria-label="Open in the chat">
          <MessageSquareShare aria-hidden="true" />
        </a>
      ),
    },
  ];
}

function lastWords({ error, extracted }: FoundThread): string {
  return oneLine(error?.message) || oneLine(extracted?.last);
}

function graphOf({ metadata }: FoundThread) {
  const { graph_id } = metadata;
  return <span className="table-cut thread-graph">{typeof graph_id === "string" ? graph_id : ""}</span>;
}
