import { setImmediate as turn } from "node:timers/promises";
import {
  BadRequest,
  NotFound,
  type Span,
  type Trace,
  type Traces,
  traceCursor,
  type WholeTrace,
} from "@berth/store";
import type { RunTest } from "./run-filter.ts";

/** Which runs are looked for. */
type RunSearch = {
  workspaceId: string;
  /** Projects; none: all. */
  sessions: ReadonlySet<string>;
  ids: readonly string[] | undefined;
  traceId: string | undefined;
  parentId: string | undefined;
  /** Of the run's start, in ms; both belong to it. */
  from: number | undefined;
  to: number | undefined;
  tests: RunTest[];
  limit: number;
  oldestFirst: boolean;
  cursor: string | undefined;
};

type FoundRuns = { runs: { span: Span; whole: WholeTrace }[]; next: string | null };

/** So many traces are looked at for one answer. */
export const LOOKED_AT = 1_000;
const PAGE = 20;
/** A trace that began longer before a moment has no runs behind it. */
const LONGEST_MS = 86_400_000;

/** Where a page ended: behind which trace, and behind how many runs of the next one. */
type Place = { trace: string | undefined; runs: number };

/**
 * Runs that match, those of the newest traces first, of each trace those that began last. With a cursor where more may
 * come, also where nothing was found yet: one answer looks at 1,000 traces.
 */
export async function searchRuns(traces: Traces, search: RunSearch): Promise<FoundRuns> {
  const { limit } = search;
  const start = placeOf(search.cursor);
  const runs: FoundRuns["runs"] = [];
  let skip = start.runs;
  let behind = start.trace;
  let isOver = true;
  for await (const { whole, after } of walk(traces, search, behind)) {
    const all = matching(whole, search);
    const found = all.slice(skip);
    const room = limit - runs.length;
    runs.push(...found.slice(0, room).map((span) => ({ span, whole })));
    if (found.length > room) {
      // Of traces that are named there is no place but the number of runs before it.
      const given = after === "named" ? start.runs + limit : skip + room;
      return { runs, next: cursorOf({ trace: behind, runs: given }) };
    }
    skip = Math.max(0, skip - all.length);
    if (after === "named") continue;
    behind = after.cursor;
    isOver = after.isLast;
    if (runs.length === limit && !isOver) break;
  }
  return { runs, next: isOver ? null : cursorOf({ trace: behind, runs: 0 }) };
}

/** Where the search goes on behind a trace; those that are named have no such place. */
type Visited = { whole: WholeTrace; after: "named" | { cursor: string; isLast: boolean } };

async function* walk(traces: Traces, search: RunSearch, behind: string | undefined): AsyncGenerator<Visited> {
  const named = namedTraces(search);
  if (named) {
    const seen = new Set<string>();
    for (const id of named) {
      const whole = await found(traces, search.workspaceId, id);
      if (!whole || seen.has(whole.trace.id)) continue;
      seen.add(whole.trace.id);
      yield { whole, after: "named" };
    }
    return;
  }
  const { workspaceId, sessions, from, to } = search;
  const [sessionId] = sessions.size === 1 ? sessions : [];
  let cursor = behind;
  for (let looked = 0; looked < LOOKED_AT; ) {
    const page = await traces.search(workspaceId, {
      ...{ sessionId, to, limit: PAGE, cursor },
      from: from === undefined ? undefined : from - LONGEST_MS,
    });
    for (const [index, trace] of page.rows.entries()) {
      const isLast = page.next === null && index === page.rows.length - 1;
      const after = { cursor: traceCursor(trace), isLast };
      const whole = isOf(sessions, trace) ? await found(traces, workspaceId, trace.id) : undefined;
      yield { whole: whole ?? { trace, spans: [], feedback: [] }, after };
    }
    looked += page.rows.length;
    if (page.next === null) return;
    cursor = page.next;
    // Others have their turn: reading many traces takes long together.
    await turn();
  }
}

/** Where the search says itself in which traces its runs are. */
const namedTraces = ({ ids, traceId, parentId }: RunSearch): readonly string[] | undefined =>
  traceId !== undefined ? [traceId] : (ids ?? (parentId === undefined ? undefined : [parentId]));

async function found(traces: Traces, workspaceId: string, id: string): Promise<WholeTrace | undefined> {
  try {
    return await traces.get(workspaceId, id);
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

const isOf = (sessions: ReadonlySet<string>, { session_id }: Trace) =>
  sessions.size === 0 || sessions.has(session_id);

function matching(whole: WholeTrace, search: RunSearch): Span[] {
  const { sessions, ids, parentId, from, to, tests, oldestFirst } = search;
  if (!isOf(sessions, whole.trace)) return [];
  const wanted = ids && new Set(ids);
  const found = whole.spans.filter(
    (span) =>
      (!wanted || wanted.has(span.id)) &&
      (parentId === undefined || span.parent_id === parentId) &&
      (from === undefined || span.start_time >= from) &&
      (to === undefined || span.start_time <= to) &&
      tests.every((test) => test(span, whole)),
  );
  return oldestFirst ? found : found.reverse();
}

const cursorOf = ({ trace, runs }: Place) => `${runs}.${trace ?? ""}`;

function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { trace: undefined, runs: 0 };
  const [, runs, trace] = /^(\d{1,6})\.([\w-]*)$/.exec(cursor) ?? [];
  if (runs === undefined || trace === undefined)
    throw new BadRequest("The cursor is not from a page of runs: take `next` of such a page.");
  return { trace: trace === "" ? undefined : trace, runs: Number(runs) };
}
