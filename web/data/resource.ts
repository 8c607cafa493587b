import {
  keepPreviousData,
  type Query,
  type QueryClient,
  type QueryKey,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useToast } from "../ui/index.ts";
import { type LiveKind, useLive } from "./realtime.ts";
import { api, failureOf, type RequestFailed, reasonOf, request, useWorkspace } from "./request.ts";

/** When something is asked for again, beside when it is shown anew. */
export type Renewal = {
  /** When one of these is told to be different. */
  live?: readonly LiveKind[];
  /** After so long, for what nobody tells about. */
  everyMs?: number;
  /** When the reader comes back to the tab. */
  onReturn?: boolean;
};

export type ResourceOptions<T = unknown> = Omit<Renewal, "everyMs"> & {
  /** Asked for again after so long, which may depend on what was answered; `undefined` after a failure. */
  everyMs?: number | ((data: T | undefined) => number | false);
  /** Makes it a POST, as searches are. */
  body?: unknown;
  /** Costs the server something: kept as it is until somebody asks for it anew. */
  once?: boolean;
  /** Another body asks for another thing, of which nothing is known yet; else it is another filter. */
  exact?: boolean;
  /** Of no workspace: one answer, whichever is looked at. */
  anywhere?: boolean;
};

export type Resource<T> = {
  data: T | undefined;
  error: RequestFailed | undefined;
  /** Nothing to show yet. */
  loading: boolean;
  /** Being asked for again. */
  refreshing: boolean;
  refresh(): void;
  /** Shows something before the server has it. */
  show(change: (data: T | undefined) => T | undefined): void;
};

/** What is at a path of the API, kept up to date while it is shown; null when it is not known yet what to ask. */
export function useResource<T>(path: string | null, options: ResourceOptions<T> = {}): Resource<T> {
  const { live = [], everyMs = false, body, once = false, exact = false, onReturn = false } = options;
  const workspace = useWorkspace();
  const ask = options.anywhere ? request : api;
  const queryKey = [(!options.anywhere && workspace) || "", path, body ?? null];
  const { data, error, isPending, isFetching } = useQuery<T>({
    queryKey,
    enabled: path !== null,
    queryFn: ({ signal }) =>
      ask<T>(path ?? "", { signal, ...(body !== undefined && { method: "POST", body }) }),
    refetchInterval:
      typeof everyMs === "function"
        ? ({ state }) => everyMs(state.error === null ? state.data : undefined)
        : everyMs,
    refetchOnWindowFocus: onReturn,
    meta: { once },
    placeholderData: exact ? undefined : keptFrom(queryKey),
  });
  const refresh = useRefresh(queryKey);
  useLive(live, refresh);
  return {
    data,
    error: failureOf(error),
    loading: path !== null && isPending,
    refreshing: isFetching,
    refresh,
    show: useShow<T>(queryKey),
  };
}

function useShow<T>(queryKey: QueryKey): Resource<T>["show"] {
  const client = useQueryClient();
  const name = JSON.stringify(queryKey);
  return useCallback((change) => void client.setQueryData<T>(JSON.parse(name), change), [client, name]);
}

/** Reads something once for whoever keeps it elsewhere; who reads under the same key meanwhile gets the same answer. */
export function useReading() {
  const client = useQueryClient();
  return useCallback(
    <T>(queryKey: QueryKey, read: (signal: AbortSignal) => Promise<T>): Promise<T> =>
      client.fetchQuery({ queryKey, queryFn: ({ signal }) => read(signal), gcTime: 0 }),
    [client],
  );
}

/** What is at several paths, in their order; those of which nothing is known yet are undefined. */
export function useResources<T>(
  paths: readonly string[],
  { live = [], everyMs }: Renewal = {},
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

/** What has another filter may stay until the answer comes; what is another thing must not. */
export const keptFrom =
  (queryKey: QueryKey) =>
  <Data>(before: Data | undefined, former: { queryKey: QueryKey } | undefined): Data | undefined =>
    samePlace(former?.queryKey, queryKey) ? keepPreviousData(before) : undefined;

/** Whether two keys ask the same path of the same workspace, with other parameters. */
export function samePlace(before: QueryKey | undefined, now: QueryKey): boolean {
  if (!before || before[0] !== now[0]) return false;
  const [was, is] = [before[1], now[1]].map((path) => String(path).split("?")[0]);
  return was === is;
}

/** Keys that were asked for in this turn already: several parts of a screen may show the same. */
const asked = new Set<string>();

/**
 * Asks again for what is shown under a key. An answer that is on its way may be from before the change that one
 * was told of, and so it is asked for once more behind that one.
 */
async function askAgain(client: QueryClient, queryKey: readonly unknown[]): Promise<void> {
  const name = JSON.stringify(queryKey);
  if (asked.has(name)) return;
  asked.add(name);
  queueMicrotask(() => asked.delete(name));
  const filters = { queryKey, exact: true };
  const kept = { cancelRefetch: false };
  if (client.isFetching(filters) > 0) await client.refetchQueries(filters, kept);
  await client.invalidateQueries(filters, kept);
}

/**
 * Asks again for everything that is shown, after a change. What was on its way before it is called off, but for the
 * first answer to something: that one is waited for, and asked for once more, since it may be from before the change.
 */
async function askForAll(client: QueryClient): Promise<void> {
  const isFresh = ({ meta }: Query) => meta?.once !== true;
  const first = client
    .getQueryCache()
    .findAll({ predicate: isFresh, fetchStatus: "fetching" })
    .filter(({ state }) => state.data === undefined);
  void client.invalidateQueries({ predicate: isFresh });
  await Promise.all(first.map(({ queryKey }) => askAgain(client, queryKey)));
}

/** Asks again for what is shown under a key; see {@link askAgain}. */
export function useRefresh(queryKey: readonly unknown[]): () => void {
  const client = useQueryClient();
  const name = JSON.stringify(queryKey);
  return useCallback(() => void askAgain(client, JSON.parse(name)), [client, name]);
}

/**
 * Forgets lists that are kept and not shown, such as those of other searches: after a change they would show for a
 * moment what is gone.
 * @param path of the list, without a query
 */
export function useForget(path: string): () => void {
  const client = useQueryClient();
  return useCallback(() => {
    const isOfPath = (kept: unknown) => kept === path || String(kept).startsWith(`${path}?`);
    client.removeQueries({ type: "inactive", predicate: ({ queryKey }) => queryKey.some(isOfPath) });
  }, [client, path]);
}

export type ServerAction = {
  /** Does it, and tells `done`, or why it failed; then everything that is shown is asked for again. */
  run<T>(act: () => Promise<T>, done?: string): Promise<T | undefined>;
  busy: boolean;
};

/** For a button that changes something on the server. */
export function useAction(): ServerAction {
  const toast = useToast();
  const tell = useCallback((error: unknown) => toast({ text: reasonOf(error), look: "negative" }), [toast]);
  return useDeed(tell);
}

export type FormAction = ServerAction & {
  /** Why it was not taken the last time. */
  refused: RequestFailed | undefined;
};

/** The same for a form, which shows itself why the server refuses what it sends. */
export function useSubmission(): FormAction {
  const [refused, setRefused] = useState<RequestFailed>();
  const { run: act, busy } = useDeed(useCallback((error) => setRefused(failureOf(error)), []));
  const run = useCallback<ServerAction["run"]>(
    (deed, done) => {
      setRefused(undefined);
      return act(deed, done);
    },
    [act],
  );
  return { run, busy, refused };
}

function useDeed(onFailure: (error: unknown) => void): ServerAction {
  const toast = useToast();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = useCallback(
    async <T>(act: () => Promise<T>, done?: string): Promise<T | undefined> => {
      setBusy(true);
      try {
        const result = await act();
        if (done !== undefined) toast({ text: done });
        return result;
      } catch (error) {
        onFailure(error);
      } finally {
        setBusy(false);
        // Who leaves the page for it asks for nothing there any more: what it shows may be gone.
        setTimeout(() => void askForAll(client));
      }
    },
    [toast, client, onFailure],
  );
  return { run, busy };
}

/** A value once it has been the same for so long: who types does not mean every letter. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
