import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useLive } from "./realtime.ts";
import { api, failureOf, type RequestFailed, useWorkspace } from "./request.ts";
import { keptFrom, type Renewal, useRefresh } from "./resource.ts";

export type Pages<T> = {
  rows: T[];
  hasMore: boolean;
  loadMore(): void;
  /** Nothing to show yet. */
  loading: boolean;
  error?: RequestFailed;
  refresh(): void;
};

/** How a list is read page after page; `At` says where a page begins. */
type Paging<Page, At, Row> = Renewal & {
  /** What the list is of; null when that is not known yet. The second part is its path. */
  queryKey: QueryKey | null;
  first: At;
  read: (at: At, signal: AbortSignal) => Promise<Page>;
  /** Where the page behind the last begins; undefined behind the last of all. */
  next: (last: Page, all: readonly Page[]) => At | undefined;
  rowsOf: (page: Page) => Row[];
};

/** A list that is read page after page, however its server does that. */
export function usePaging<Page, At, Row>(paging: Paging<Page, At, Row>): Pages<Row> {
  const { first, read, next, rowsOf, live = [], everyMs = false, onReturn = false } = paging;
  const queryKey = paging.queryKey ?? [];
  const query = useInfiniteQuery({
    queryKey,
    enabled: paging.queryKey !== null,
    initialPageParam: first as unknown,
    queryFn: ({ pageParam, signal }) => read(pageParam as At, signal),
    getNextPageParam: (last, all) => next(last, all),
    refetchInterval: everyMs,
    refetchOnWindowFocus: onReturn,
    placeholderData: keptFrom(queryKey),
  });
  const refresh = useRefresh(queryKey);
  useLive(live, refresh);
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: how rows are taken from a page never changes.
  const rows = useMemo(() => data?.pages.flatMap(rowsOf) ?? [], [data]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const failure = failureOf(error);
  return {
    rows,
    hasMore: hasNextPage,
    loadMore,
    loading: paging.queryKey !== null && isPending,
    ...(failure && { error: failure }),
    refresh,
  };
}

type PagesOptions = Renewal & { pageSize?: number; body?: unknown };

/** A page of a list: of the control plane, of traces (which has a cursor), or of the Agent Server. */
type Page<T> = T[] | { items: T[] } | { resources: T[]; offset?: number; next?: string | null };

type At = { offset: number; cursor?: string };

const PAGE = 50;
const FIRST: At = { offset: 0 };

/** A list of the API, page after page. */
export function usePages<T>(path: string | null, options: PagesOptions = {}): Pages<T> {
  const { pageSize = PAGE, body, ...renewal } = options;
  const workspace = useWorkspace();
  return usePaging<Page<T>, At, T>({
    ...renewal,
    queryKey: path === null ? null : [workspace ?? "", path, body ?? null, pageSize],
    first: FIRST,
    read: (at, signal) => ask<T>(path ?? "", { at, pageSize, body, signal }),
    next: (last, all) => after(last, all, pageSize),
    rowsOf,
  });
}

function rowsOf<T>(page: Page<T>): T[] {
  if (Array.isArray(page)) return page;
  return "items" in page ? page.items : page.resources;
}

function after<T>(last: Page<T>, all: readonly Page<T>[], pageSize: number): At | undefined {
  if ("next" in last && last.next !== undefined)
    return last.next === null ? undefined : { offset: 0, cursor: last.next };
  const count = all.reduce((sum, page) => sum + rowsOf(page).length, 0);
  return rowsOf(last).length < pageSize ? undefined : { offset: count };
}

type Asked = { at: At; pageSize: number; body: unknown; signal: AbortSignal };

function ask<T>(path: string, { at, pageSize, body, signal }: Asked): Promise<Page<T>> {
  const place = at.cursor === undefined ? { offset: at.offset } : { cursor: at.cursor };
  if (typeof body === "object" && body !== null)
    return api(path, { method: "POST", body: { ...body, limit: pageSize, ...place }, signal });
  const query = new URLSearchParams({ limit: String(pageSize) });
  for (const [name, value] of Object.entries(place)) query.set(name, String(value));
  return api(`${path}${path.includes("?") ? "&" : "?"}${query}`, { signal });
}
