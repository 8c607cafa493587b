import { MessageSquareShare } from "lucide-react";
import { Ago, type Column, StatusBadge } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";
import type { FoundThread, Titles } from "./threads.ts";
import { oneLine, titleOf } from "./titles.ts";

/** What a list of threads says about each. */
export function threadColumns(
  titles: Titles | undefined,
  chatHref: (threadId: string) => string,
): Column<FoundThread>[] {
  return [
    {
      name: WORDS.thread,
      width: "minmax(10rem, 1.4fr)",
      cell: (thread) => <span className="table-cut thread-title">{titleOf(thread, titles)}</span>,
    },
    { name: WORDS.status, width: "8rem", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      name: WORDS.lastMessage,
      width: "minmax(10rem, 2fr)",
      cell: (thread) => <div className="table-cut thread-words">{lastWords(thread)}</div>,
      wideOnly: true,
    },
    { name: WORDS.graph, width: "minmax(6rem, 9rem)", cell: graphOf, wideOnly: true },
    { name: WORDS.changed, width: "6rem", cell: ({ updated_at }) => <Ago at={updated_at} /> },
    {
      name: WORDS.open,
      hideName: true,
      width: "2.5rem",
      cell: ({ thread_id }) => (
        <a
          className="icon-button icon-button-small"
          href={chatHref(thread_id)}
          aria-label={WORDS.openInTheChat}
        >
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
