import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useLive } from "./live.ts";
import { useRefresh } from "./refresh.ts";
import { api, type RequestFailed } from "./request.ts";
import { failureOf, type ResourceOptions, samePlace } from "./resource.ts";
import { useWorkspace } from "./workspace.ts";

type PagesOptions = ResourceOptions & { pageSize?: number };

export type Pages<T> = {
  rows: T[];
  hasMore: boolean;
  loadMore(): void;
  /** Nothing to show yet. */
  loading: boolean;
  error?: RequestFailed;
  refresh(): void;
};

/** A page of a list: of the control plane, of traces (which has a cursor), or of the Agent Server. */
type Page<T> = T[] | { items: T[] } | { resources: T[]; offset?: number; next?: string | null };

type At = { offset: number; cursor?: string };

const PAGE = 50;

/** A list of the API, page after page. */
export function usePages<T>(path: string | null, options: PagesOptions = {}): Pages<T> {
  const { live = [], pageSize = PAGE, everyMs, body } = options;
  const workspace = useWorkspace();
  const queryKey = [workspace ?? "", path, body ?? null, pageSize];
  const query = useInfiniteQuery({
    queryKey,
    enabled: path !== null,
    initialPageParam: { offset: 0 } as At,
    queryFn: ({ pageParam, signal }) => ask<T>(path ?? "", { at: pageParam, pageSize, body, signal }),
    getNextPageParam: (last, all) => after(last, all, pageSize),
    refetchInterval: everyMs ?? false,
    placeholderData: (before, former) =>
      samePlace(former?.queryKey, queryKey) ? keepPreviousData(before) : undefined,
  });
  const refresh = useRefresh(queryKey);
  useLive(live, refresh);
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap(rowsOf) ?? [], [data]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const failure = failureOf(error);
  return {
    rows,
    hasMore: hasNextPage,
    loadMore,
    loading: path !== null && isPending,
    ...(failure && { error: failure }),
    refresh,
  };
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
