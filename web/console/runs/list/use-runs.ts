import { useCallback, useEffect, useRef, useState } from "react";
import { api, RequestFailed, reasonOf, useLive, useWorkspace } from "../../data/index.ts";
import type { Trace } from "../trace/trace.ts";
import {
  extended,
  listOf,
  PAGE,
  pendingBehind,
  type RunList,
  type RunPage,
  renewed,
  unheld,
  updated,
} from "./run-list.ts";

/** A search without an index may look at much and find nothing: so often it is sent on before it rests. */
const MOST_EMPTY_PAGES = 20;
/** Pages that are asked for one after the other before they are shown. */
const MOST_AT_ONCE = 10;
/** Runs further down that are still under way are asked about one by one. */
const MOST_PENDING = 10;

export type Runs = {
  rows: readonly Trace[];
  /** How many new ones wait above; `show` brings them in. */
  waiting: string | undefined;
  show: () => void;
  hasMore: boolean;
  loadMore: () => void;
  loading: boolean;
  error: RequestFailed | undefined;
  refresh: () => void;
};

/**
 * The runs that a search finds, a page at a time, and new ones as they come.
 * @param search the query of `/v1/traces`; null when it is not known yet
 * @param isReading somebody has scrolled down: what is new waits until it is asked for
 */
export function useRuns(search: string | null, isReading: () => boolean): Runs {
  const { list, current, error, begin, change, fail } = useRunState(search);
  const turn = useTurn();
  const start = useCallback(async () => {
    if (search === null) return;
    await turn("start", async (isMine) => {
      const page = await filledPage(search, undefined, isMine);
      if (isMine()) begin(listOf(page), search);
    }).catch(fail);
  }, [search, turn, begin, fail]);
  const workspace = useWorkspace();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace has other runs.
  useEffect(() => {
    start();
  }, [start, workspace]);

  const renew = useCallback(async () => {
    if (search === null || !current()) return;
    await turn("renew", async (isMine) => {
      const page = await pageOf(search);
      if (isMine()) change((list) => renewed(list, page, isReading()));
      const known = current();
      for (const { start_time } of known ? pendingBehind(known, page, MOST_PENDING) : []) {
        const { resources } = await pageOf(`from=${start_time}&to=${start_time}`);
        if (isMine()) change((list) => updated(list, resources));
      }
    }).catch(fail);
  }, [search, turn, current, change, fail, isReading]);
  useLive(["traces"], error && !list ? start : renew);

  const loadMore = useCallback(async () => {
    const { next, rows } = current() ?? {};
    if (search === null || !next || !rows) return;
    // Who has come far goes further: drawing the list once for many pages is what keeps it smooth.
    const pages = Math.min(MOST_AT_ONCE, Math.ceil(rows.length / PAGE));
    await turn("more", async (isMine) => {
      const page = await filledPage(search, next, isMine, pages);
      if (isMine()) change((list) => extended(list, page));
    }).catch(fail);
  }, [search, turn, current, change, fail]);

  const hasGap = list?.hasGap ?? false;
  return {
    rows: list?.rows ?? [],
    waiting: waitingText(list),
    show: useCallback(() => (hasGap ? start() : change(unheld)), [hasGap, start, change]),
    hasMore: (list?.next ?? null) !== null,
    loadMore,
    loading: !list && !error,
    error,
    refresh: start,
  };
}

/** `of`: the search that the list is of; while the answer to another one is under way, it stays where it is. */
type State = { list?: RunList; of?: string; error?: RequestFailed };

function useRunState(search: string | null) {
  const [state, setState] = useState<State>({});
  const workspace = useWorkspace();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace has other runs.
  useEffect(() => setState({}), [workspace]);
  const latest = useRef<RunList>(undefined);
  latest.current = state.of === search ? state.list : undefined;
  return {
    ...state,
    /** The list, if it is of this search. */
    current: useCallback(() => latest.current, []),
    begin: useCallback((list: RunList, of: string) => setState({ list, of }), []),
    change: useCallback(
      (next: (list: RunList) => RunList) =>
        setState(({ list, error: _, ...rest }) => (list ? { ...rest, list: next(list) } : rest)),
      [],
    ),
    fail: useCallback((error: unknown) => {
      const failure = error instanceof RequestFailed ? error : new RequestFailed(0, reasonOf(error));
      setState((before) => ({ ...before, error: failure }));
    }, []),
  };
}

function waitingText(list: RunList | undefined): string | undefined {
  if (list?.hasGap) return `More than ${PAGE} new runs`;
  const count = list?.held.length ?? 0;
  if (count === 0) return undefined;
  return count === 1 ? "1 new run" : `${count} new runs`;
}

type Kind = "start" | "more" | "renew";

/** One request of a kind at a time; a start makes what else is under way of no account. */
function useTurn() {
  const round = useRef(0);
  const underWay = useRef(new Set<Kind>());
  return useCallback(async (kind: Kind, act: (isMine: () => boolean) => Promise<void>): Promise<void> => {
    if (kind === "start") {
      round.current += 1;
      underWay.current.clear();
    }
    if (underWay.current.has(kind)) return;
    underWay.current.add(kind);
    const mine = round.current;
    const isMine = () => mine === round.current;
    try {
      await act(isMine);
    } catch (error) {
      if (isMine()) throw error;
    } finally {
      if (isMine()) underWay.current.delete(kind);
    }
  }, []);
}

function pageOf(search: string, cursor?: string): Promise<RunPage> {
  const at = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  return api(`/v1/traces?limit=${PAGE}${search && `&${search}`}${at}`);
}

/** A page that has something, if there is anything, and as many more behind it. */
async function filledPage(
  search: string,
  cursor: string | undefined,
  isMine: () => boolean,
  pages = 1,
): Promise<RunPage> {
  let page = await pageOf(search, cursor);
  for (let asked = 1; asked < MOST_EMPTY_PAGES && page.next !== null && isMine(); asked++) {
    if (page.resources.length > 0 && asked >= pages) break;
    const { resources, next } = await pageOf(search, page.next);
    page = { resources: [...page.resources, ...resources], next };
  }
  return page;
}
