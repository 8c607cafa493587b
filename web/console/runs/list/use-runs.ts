import type { Trace, TracesPage } from "@berth/server";
import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import {
  api,
  failureOf,
  keptFrom,
  type Pages,
  type RequestFailed,
  useLive,
  useRefresh,
  useWorkspace,
} from "../../data/index.ts";
import { WORDS } from "../words.tsx";

/** A search without an index may look at much and find nothing: so often it is sent on before it rests. */
const MOST_EMPTY_PAGES = 20;
/** Pages that are asked for one after the other before they are shown. */
const MOST_AT_ONCE = 10;
/** Runs further down that are still under way are asked about one by one. */
const MOST_PENDING = 10;

export type RunRows = Omit<Pages<Trace>, "rows"> & {
  rows: readonly Trace[];
  /** How many new ones wait above; `show` brings them in. */
  waiting: string | undefined;
  show: () => void;
};

/**
 * The runs that a search finds, a page at a time, and new ones as they come. Other lists read again what they show;
 * this one may be long, and so only its head is read again and put in place.
 * @param search the query of `/v1/traces`; null when it is not known yet
 * @param isReading somebody has scrolled down: what is new waits until it is asked for
 */
export function useRuns(search: string | null, isReading: () => boolean): RunRows {
  const workspace = useWorkspace();
  const queryKey = useMemo(() => [workspace ?? "", `/v1/traces?${search}`, "head"], [workspace, search]);
  const isAnew = useRef(false);
  const client = useQueryClient();
  const {
    data: list,
    error: failure,
    isPending,
  } = useQuery({
    queryKey,
    enabled: search !== null,
    queryFn: ({ signal }) =>
      readHead(search ?? "", signal, { isReading, isAnew, shown: shownIn(client, queryKey) }),
    placeholderData: keptFrom(queryKey),
    // Thousands of rows are not compared word by word.
    structuralSharing: false,
  });
  const refresh = useRefresh(queryKey);
  useLive(["traces"], refresh);
  const more = useMore(search, queryKey);
  const hasGap = list?.hasGap ?? false;
  const show = useCallback(() => {
    isAnew.current = hasGap;
    if (hasGap) refresh();
    else shownIn(client, queryKey).change(unheld);
  }, [hasGap, refresh, client, queryKey]);
  const error = failureOf(failure) ?? more.error;
  return {
    rows: list?.rows ?? [],
    waiting: waitingText(list),
    show,
    hasMore: (list?.next ?? null) !== null,
    loadMore: more.load,
    loading: isPending && !error,
    ...(error && { error }),
    refresh,
  };
}

type Shown = { list: () => RunList | undefined; change: (next: (list: RunList) => RunList) => void };

/** The list as it is kept, and what changes it. */
const shownIn = (client: ReturnType<typeof useQueryClient>, queryKey: QueryKey): Shown => ({
  list: () => client.getQueryData<RunList>(queryKey),
  change: (next) => client.setQueryData<RunList>(queryKey, (list) => list && next(list)),
});

type Head = {
  isReading: () => boolean;
  /** What is shown is of no account: the list begins anew. */
  isAnew: RefObject<boolean>;
  shown: Shown;
};

/** The beginning of the list; where there is a list already, what is new in its place. */
async function readHead(
  search: string,
  signal: AbortSignal,
  { isReading, isAnew, shown }: Head,
): Promise<RunList> {
  // Another order has no top where what is new would come.
  const isSorted = search.includes("sort=");
  const known = shown.list();
  if (isSorted && known && isReading()) return known;
  if (known === undefined || isAnew.current || isSorted) {
    const page = await filledPage(search, undefined, signal);
    isAnew.current = false;
    return listOf(page);
  }
  const page = await pageOf(search, undefined, signal);
  shown.change((list) => renewed(list, page, isReading()));
  const now = shown.list();
  for (const { start_time } of now ? pendingBehind(now, page, MOST_PENDING) : []) {
    const { resources } = await pageOf(`from=${start_time}&to=${start_time}`, undefined, signal);
    shown.change((list) => updated(list, resources));
  }
  return shown.list() ?? listOf(page);
}

/** Reads on behind the end of the list. */
function useMore(search: string | null, queryKey: QueryKey) {
  const client = useQueryClient();
  const [error, setError] = useState<RequestFailed>();
  const underWay = useRef<AbortController>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has another end.
  useEffect(() => {
    setError(undefined);
    return () => {
      underWay.current?.abort();
      underWay.current = undefined;
    };
  }, [queryKey]);
  const load = useCallback(async () => {
    const shown = shownIn(client, queryKey);
    const { next, rows } = shown.list() ?? {};
    if (search === null || !next || !rows || underWay.current) return;
    const mine = new AbortController();
    underWay.current = mine;
    // Who has come far goes further: drawing the list once for many pages is what keeps it smooth.
    const pages = Math.min(MOST_AT_ONCE, Math.ceil(rows.length / PAGE));
    try {
      const page = await filledPage(search, next, mine.signal, pages);
      // A list that began anew meanwhile ends elsewhere.
      shown.change((list) => (list.next === next ? extended(list, page) : list));
      setError(undefined);
    } catch (failure) {
      if (!mine.signal.aborted) setError(failureOf(failure));
    } finally {
      if (underWay.current === mine) underWay.current = undefined;
    }
  }, [client, queryKey, search]);
  return { load, error };
}

function waitingText(list: RunList | undefined): string | undefined {
  if (list?.hasGap) return WORDS.moreThanNewRuns(PAGE);
  const count = list?.held.length ?? 0;
  if (count === 0) return undefined;
  return WORDS.newRuns(count);
}

function pageOf(search: string, cursor: string | undefined, signal: AbortSignal): Promise<TracesPage> {
  const at = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  return api(`/v1/traces?limit=${PAGE}${search && `&${search}`}${at}`, { signal });
}

/** A page that has something, if there is anything, and as many more behind it. */
async function filledPage(
  search: string,
  cursor: string | undefined,
  signal: AbortSignal,
  pages = 1,
): Promise<TracesPage> {
  let page = await pageOf(search, cursor, signal);
  for (let asked = 1; asked < MOST_EMPTY_PAGES && page.next !== null; asked++) {
    if (page.resources.length > 0 && asked >= pages) break;
    const more = await pageOf(search, page.next, signal);
    page = { ...more, resources: [...page.resources, ...more.resources] };
  }
  return page;
}

type RunPage = Pick<TracesPage, "resources" | "next">;

/** Runs as far as they were read, newest first. */
export type RunList = {
  rows: readonly Trace[];
  /** New ones that are not shown yet, so that nothing moves under somebody who has scrolled down. */
  held: readonly Trace[];
  /** More are new than one page tells: what is shown has a gap above it. */
  hasGap: boolean;
  /** Where to go on; null behind the last. */
  next: string | null;
};

export const PAGE = 100;

export const listOf = ({ resources, next }: RunPage): RunList => ({
  rows: resources,
  held: [],
  hasGap: false,
  next,
});

/** The list with a page that comes behind it. */
export function extended(list: RunList, { resources, next }: RunPage): RunList {
  const known = new Set(list.rows.map(({ id }) => id));
  return { ...list, rows: [...list.rows, ...resources.filter(({ id }) => !known.has(id))], next };
}

/**
 * The list after its first page was read again. What is known is brought up to date; what is new comes on top, or is
 * held back where `isReading`.
 */
export function renewed(list: RunList, page: RunPage, isReading: boolean): RunList {
  const { resources: head, next } = page;
  const known = new Set([...list.rows, ...list.held].map(({ id }) => id));
  const isApart = head.length >= PAGE && next !== null && !head.some(({ id }) => known.has(id));
  if (list.rows.length === 0 || (isApart && !isReading)) return listOf(page);
  if (isApart) return { ...list, hasGap: true };
  const now = new Map(head.map((run) => [run.id, run]));
  const kept = isReading ? list.rows : list.rows.filter((run) => now.has(run.id) || !isWithin(run, page));
  const rows = kept.map((run) => now.get(run.id) ?? run);
  const shown = new Set(rows.map(({ id }) => id));
  const fresh = head.filter(({ id }) => !shown.has(id));
  if (isReading) return { ...list, rows, held: fresh };
  return { ...list, rows: sorted([...fresh, ...rows]), held: [] };
}

/** The list with what was held back in its place. */
export const unheld = (list: RunList): RunList => ({
  ...list,
  rows: sorted([...list.held, ...list.rows]),
  held: [],
});

/** Replaces runs that are known. */
export function updated(list: RunList, runs: readonly Trace[]): RunList {
  const now = new Map(runs.map((run) => [run.id, run]));
  return { ...list, rows: list.rows.map((run) => now.get(run.id) ?? run) };
}

/** Runs under way that the first page does not tell of: they are looked for one by one. */
export function pendingBehind({ rows }: RunList, { resources }: RunPage, most: number): Trace[] {
  const told = new Set(resources.map(({ id }) => id));
  return rows.filter(({ id, status }) => status === "pending" && !told.has(id)).slice(0, most);
}

/** Whether the page would tell of a run, if it still matched. */
function isWithin({ start_time }: Trace, { resources, next }: RunPage): boolean {
  if (next === null) return true;
  const last = resources.at(-1);
  return resources.length >= PAGE && last !== undefined && start_time > last.start_time;
}

function sorted(rows: readonly Trace[]): Trace[] {
  const key = ({ start_time, id }: Trace) => `${start_time} ${id}`;
  return rows.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
}
