import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { type LiveKind, useLive } from "./live.ts";
import { askAgain, useRefresh } from "./refresh.ts";
import { api, RequestFailed } from "./request.ts";
import { useWorkspace } from "./workspace.ts";

export type ResourceOptions = {
  /** Asked for again when one of these is told to be different. */
  live?: readonly LiveKind[];
  /** Asked for again after so long, for what nobody tells about. */
  everyMs?: number;
  /** Makes it a POST, as searches are. */
  body?: unknown;
  /** Costs the server something: kept as it is until somebody asks for it anew. */
  once?: boolean;
};

export type Resource<T> = {
  data: T | undefined;
  error: RequestFailed | undefined;
  /** Nothing to show yet. */
  loading: boolean;
  /** Being asked for again. */
  refreshing: boolean;
  refresh(): void;
};

/** What is at a path of the API, kept up to date while it is shown; null when it is not known yet what to ask. */
export function useResource<T>(path: string | null, options: ResourceOptions = {}): Resource<T> {
  const { live = [], everyMs, body, once = false } = options;
  const workspace = useWorkspace();
  const queryKey = [workspace ?? "", path, body ?? null];
  const { data, error, isPending, isFetching } = useQuery({
    queryKey,
    enabled: path !== null,
    queryFn: ({ signal }) =>
      api<T>(path ?? "", { signal, ...(body !== undefined && { method: "POST", body }) }),
    refetchInterval: everyMs ?? false,
    meta: { once },
    // What has another filter may stay until the answer comes; what is another thing must not.
    placeholderData: (before, query) =>
      samePlace(query?.queryKey, queryKey) ? keepPreviousData(before) : undefined,
  });
  const refresh = useRefresh(queryKey);
  useLive(live, refresh);
  return {
    data,
    error: failureOf(error),
    loading: path !== null && isPending,
    refreshing: isFetching,
    refresh,
  };
}

/** What is at several paths, in their order; those of which nothing is known yet are undefined. */
export function useResources<T>(
  paths: readonly string[],
  { live = [], everyMs }: Pick<ResourceOptions, "live" | "everyMs"> = {},
): (T | undefined)[] {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const queries = useQueries({
    queries: paths.map((path) => ({
      queryKey: [workspace ?? "", path, null],
      queryFn: ({ signal }: { signal: AbortSignal }) => api<T>(path, { signal }),
      refetchInterval: everyMs ?? (false as const),
    })),
  });
  useLive(live, () => {
    for (const path of paths) void askAgain(client, [workspace ?? "", path, null]);
  });
  return queries.map(({ data }) => data);
}

/** Whether two keys ask the same path of the same workspace, with other parameters. */
export function samePlace(before: readonly unknown[] | undefined, now: readonly unknown[]): boolean {
  if (!before || before[0] !== now[0]) return false;
  const [was, is] = [before[1], now[1]].map((path) => String(path).split("?")[0]);
  return was === is;
}

export function failureOf(error: unknown): RequestFailed | undefined {
  if (error === null || error === undefined) return undefined;
  return error instanceof RequestFailed ? error : new RequestFailed(0, String(error));
}
