import { MessagesSquare } from "lucide-react";
import { base as here } from "../../../api/index.ts";
import { useAddressQuery, useProject } from "../../data/index.ts";
import {
  Empty,
  FilterBar,
  type ListFilter,
  Loading,
  PageHead,
  Problem,
  VirtualTable,
} from "../../ui/index.ts";
import { SINCE_OPTIONS } from "../since.ts";
import { threadColumns } from "./thread-columns.tsx";
import { ThreadPreview } from "./thread-preview.tsx";
import { useThreads } from "./threads.ts";
import "./threads.css";

const STATUSES = [
  { value: "idle", label: "Idle" },
  { value: "busy", label: "Busy" },
  { value: "interrupted", label: "Interrupted" },
  { value: "error", label: "Error" },
];

const FILTERS: readonly ListFilter[] = [
  { name: "q", label: "Title", kind: "search" },
  { name: "status", label: "Status", kind: "choice", options: STATUSES },
  { name: "since", label: "Changed", kind: "choice", options: SINCE_OPTIONS, none: "Any time" },
  { name: "metadata", label: "Metadata", kind: "search", placeholder: "Metadata: user=ada" },
];

/** The threads of a project: find one, look into it, open it in the chat, delete it. */
export function ThreadsScreen() {
  const query = useAddressQuery();
  const { base, name } = useProject();
  const threads = useThreads(query);
  const { rows, titles, total, error, loading, refresh, filterError } = threads;
  const openId = query.get("thread");
  const chatHref = (threadId: string) => `${here}${base}/chat/${threadId}`;
  const isFiltered = FILTERS.some((filter) => query.get(filter.name) !== "");
  const count =
    total === undefined ? undefined : total === 1 ? "1 thread" : `${total.toLocaleString()} threads`;
  return (
    <>
      <PageHead title="Threads" sub={[name, count].filter(Boolean).join(" · ")} />
      <FilterBar filters={FILTERS} />
      {filterError && (
        <p className="threads-filter-error" role="status">
          {filterError}
        </p>
      )}
      {error && <Problem error={error} retry={refresh} />}
      {loading && <Loading label="Loading threads" />}
      {!loading && !error && (
        <VirtualTable
          label="Threads"
          testId="threads"
          columns={threadColumns(titles, chatHref)}
          rows={rows}
          rowKey={({ thread_id }) => thread_id}
          onOpen={({ thread_id }) => query.set({ thread: thread_id })}
          hasMore={threads.hasMore}
          loadMore={threads.loadMore}
          empty={isFiltered ? <NoMatch /> : <NoThreads chat={`${here}${base}/`} />}
        />
      )}
      {openId && (
        <ThreadPreview
          key={openId}
          threadId={openId}
          base={base}
          title={titles?.get(openId)}
          onClose={() => query.set({ thread: null })}
        />
      )}
    </>
  );
}

const NoMatch = () => (
  <Empty
    icon={<MessagesSquare />}
    title="No thread matches"
    text="Take a filter away, or look for another word."
  />
);

function NoThreads({ chat }: { chat: string }) {
  return (
    <Empty
      icon={<MessagesSquare />}
      title="No threads yet"
      text={
        <>
          A thread is a conversation with its state. Start one in the chat, or with <code>POST /threads</code>
          .
        </>
      }
      action={
        <a className="button button-primary" href={chat}>
          Open the chat
        </a>
      }
    />
  );
}
