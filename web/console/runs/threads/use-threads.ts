import { useMemo } from "react";
import { type AddressQuery, useLive, usePages, useProject, useResource } from "../../data/index.ts";
import { sinceTime } from "../since.ts";
import { readMetadataFilter } from "./metadata-filter.ts";
import { THREAD_FIELDS, THREAD_WORDS, type ThreadRow } from "./thread.ts";
import { useTitles } from "./use-titles.ts";

const PAGE = 50;
/** A list that somebody has scrolled far down is not read again whenever something happens. */
const LONGEST_LIVE = 4 * PAGE;

/** The threads that the address asks for, with their titles. */
export function useThreads(query: AddressQuery) {
  const { base } = useProject();
  const text = query.get("q");
  const filter = readMetadataFilter(query.get("metadata"));
  const status = query.get("status");
  const titles = useTitles(base, text);
  const since = query.get("since");
  const earliest = useMemo(() => sinceTime(since, Date.now()), [since]);
  const conditions = {
    ...(status && { status }),
    ...(filter && "metadata" in filter && { metadata: filter.metadata }),
  };
  const isAskable = !(filter && "error" in filter) && (text === "" || titles !== undefined);
  const pages = usePages<ThreadRow>(isAskable ? `${base}/threads/search` : null, {
    pageSize: PAGE,
    body: {
      ...conditions,
      ...(text && { ids: [...(titles?.keys() ?? [])] }),
      ...{ select: THREAD_FIELDS, extract: THREAD_WORDS, sort_by: "updated_at", sort_order: "desc" },
    },
  });
  const isLong = pages.rows.length > LONGEST_LIVE;
  useLive(isLong ? [] : ["threads", "traces"], pages.refresh);
  const { data: total } = useResource<number>(text || since ? null : `${base}/threads/count`, {
    body: conditions,
    live: ["threads", "traces"],
  });
  // They come in the order of their last change: behind the first that is too old there is none that is not.
  const isYoung = ({ updated_at }: ThreadRow) => earliest === undefined || updated_at >= earliest;
  const rows = pages.rows.filter(isYoung);
  const hasMore = pages.hasMore && rows.length === pages.rows.length;
  return {
    ...pages,
    ...{ rows, hasMore, titles, total: text || since ? undefined : total },
    filterError: filter && "error" in filter ? filter.error : undefined,
  };
}
