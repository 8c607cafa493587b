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
import { WORDS } from "../words.tsx";
import { threadColumns } from "./thread-columns.tsx";
import { ThreadPreview } from "./thread-preview.tsx";
import { useThreads } from "./threads.ts";
import "./threads.css";

const STATUSES = [
  { value: "idle", label: WORDS.idle },
  { value: "busy", label: WORDS.busy },
  { value: "interrupted", label: WORDS.interrupted },
  { value: "error", label: WORDS.error },
];

const FILTERS: readonly ListFilter[] = [
  { name: "q", label: WORDS.title, kind: "search" },
  { name: "status", label: WORDS.status, kind: "choice", options: STATUSES },
  { name: "since", label: WORDS.changed, kind: "choice", options: SINCE_OPTIONS, none: WORDS.anyTime },
  { name: "metadata", label: WORDS.metadata, kind: "search", placeholder: WORDS.metadataUserAda },
];

const idOf = ({ thread_id }: { thread_id: string }) => thread_id;

/** The threads of a project: find one, look into it, open it in the chat, delete it. */
export function ThreadsScreen() {
  const query = useAddressQuery();
  const { base, name } = useProject();
  const threads = useThreads(query);
  const { rows, titles, total, error, loading, refresh, filterError } = threads;
  const openId = query.get("thread");
  const chatHref = (threadId: string) => `${here}${base}/chat/${threadId}`;
  const isFiltered = FILTERS.some((filter) => query.get(filter.name) !== "");
  const count = total === undefined ? undefined : WORDS.threads(total);
  return (
    <>
      <PageHead title={WORDS.threadsTitle} sub={[name, count].filter(Boolean).join(" · ")} />
      <FilterBar filters={FILTERS} />
      {filterError && (
        <p className="threads-filter-error" role="status">
          {filterError}
        </p>
      )}
      {error && <Problem error={error} retry={refresh} />}
      {loading && <Loading label={WORDS.loadingThreads} />}
      {!loading && !error && (
        <VirtualTable
          label={WORDS.threadsTitle}
          testId="threads"
          columns={threadColumns(titles, chatHref)}
          rows={rows}
          rowKey={idOf}
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
  <Empty icon={<MessagesSquare />} title={WORDS.noThreadsMatch} text={WORDS.noThreadsMatchHint} />
);

function NoThreads({ chat }: { chat: string }) {
  return (
    <Empty
      icon={<MessagesSquare />}
      title={WORDS.noThreadsYet}
      text={<>{WORDS.noThreadsHint}.</>}
      action={
        <a className="button button-primary" href={chat}>
          {WORDS.openTheChat}
        </a>
      }
    />
  );
}
