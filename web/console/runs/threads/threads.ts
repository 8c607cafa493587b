import type { Thread, ThreadSummary } from "@berth/server";
import { useMemo } from "react";
import { type AddressQuery, useLive, usePages, useProject, useResource } from "../../data/index.ts";
import { sinceTime } from "../since.ts";
import { WORDS } from "../words.tsx";

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
  const pages = usePages<FoundThread>(isAskable ? `${base}/threads/search` : null, {
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
  const isYoung = ({ updated_at }: FoundThread) => earliest === undefined || updated_at >= earliest;
  const rows = pages.rows.filter(isYoung);
  const hasMore = pages.hasMore && rows.length === pages.rows.length;
  return {
    ...pages,
    ...{ rows, hasMore, titles, total: text || since ? undefined : total },
    filterError: filter && "error" in filter ? filter.error : undefined,
  };
}

export const THREAD_FIELDS = [
  "thread_id",
  "status",
  "created_at",
  "updated_at",
  "metadata",
  "interrupts",
  "error",
] as const satisfies readonly (keyof Thread)[];

/** A thread as this screen asks for it: without its state, but with the first and the last words of it. */
export type FoundThread = Pick<Thread, (typeof THREAD_FIELDS)[number] | "extracted">;

/** What is read of a thread's state for its line. */
export const THREAD_WORDS = { first: "values.messages[0].content", last: "values.messages[-1].content" };

/** What threads are called, by their ids. */
export type Titles = ReadonlyMap<string, string>;

/** As many as the list of conversations gives at once. */
const MOST_FOUND = 1_000;
const NEWEST = 200;

/**
 * What the conversations are called that changed last, or those whose title has the text in it.
 * @param base in front of the Agent Server's paths
 */
export function useTitles(base: string, text = ""): Titles | undefined {
  const query = text ? `limit=${MOST_FOUND}&q=${encodeURIComponent(text)}` : `limit=${NEWEST}`;
  const { data } = useResource<ThreadSummary[]>(`${base}/api/threads?${query}`, {
    live: ["threads", "traces"],
  });
  return useMemo(() => data && new Map(data.map(({ id, title }) => [id, title])), [data]);
}

/** What threads have to have in their metadata: `name=value`, or an object as JSON. */
type MetadataFilter = { metadata: Record<string, unknown> } | { error: string } | undefined;

/** Reads what somebody typed, also while it is not finished. */
export function readMetadataFilter(text: string): MetadataFilter {
  const typed = text.trim();
  if (typed === "") return undefined;
  if (typed.startsWith("{")) return readObject(typed);
  const metadata: Record<string, unknown> = {};
  for (const pair of typed.split(",")) {
    const [name = "", ...value] = pair.split("=");
    if (value.length === 0 || name.trim() === "") return { error: WORDS.metadataHint };
    metadata[name.trim()] = readScalar(value.join("=").trim());
  }
  return { metadata };
}

function readObject(text: string): MetadataFilter {
  try {
    return { metadata: JSON.parse(text) };
  } catch {
    return { error: WORDS.invalidJsonYet };
  }
}

/** Numbers and truth values are what they look like; anything else is text, quotes or not. */
function readScalar(text: string): unknown {
  if (!/^(-?\d+(\.\d+)?|true|false|null|".*")$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
