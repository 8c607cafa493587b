import type { Span } from "@berth/server";

/** A line of the tree: a span and where it stands. */
export type SpanTreeRow = {
  span: Span;
  /** From 1, as assistive technology counts. */
  level: number;
  children: number;
  isOpen: boolean;
  /** Its place among those that have the same parent. */
  place: number;
  siblings: number;
};

/** The spans as lines, parents above what they called; what is below a closed one is left out. */
export function spanRows(spans: readonly Span[], closed: ReadonlySet<string>): SpanTreeRow[] {
  const children = childrenOf(spans);
  const rows: SpanTreeRow[] = [];
  const add = (siblings: readonly Span[], level: number) => {
    for (const [index, span] of siblings.entries()) {
      const below = children.get(span.id) ?? [];
      const isOpen = !closed.has(span.id);
      rows.push({
        span,
        level,
        children: below.length,
        isOpen,
        place: index + 1,
        siblings: siblings.length,
      });
      if (isOpen) add(below, level + 1);
    }
  };
  add(children.get(null) ?? [], 1);
  return rows;
}

/** By parent, in the order given. What was called by a span that is not there stands beside the root. */
function childrenOf(spans: readonly Span[]): Map<string | null, Span[]> {
  const known = new Set(spans.map(({ id }) => id));
  const children = new Map<string | null, Span[]>();
  for (const span of spans) {
    const parent = span.parent_id !== null && known.has(span.parent_id) ? span.parent_id : null;
    const siblings = children.get(parent);
    if (siblings) siblings.push(span);
    else children.set(parent, [span]);
  }
  return children;
}

/** What a key does in the tree: another line is chosen, or one is opened or closed. */
type TreeMove = { select: string } | { toggle: string } | undefined;

/** The keys of a tree, as the ARIA practices have them. */
export function treeMove(rows: readonly SpanTreeRow[], selectedId: string, key: string): TreeMove {
  const at = rows.findIndex(({ span }) => span.id === selectedId);
  const row = rows[at];
  if (!row) return undefined;
  const to = (index: number): TreeMove => {
    const target = rows[Math.max(0, Math.min(rows.length - 1, index))];
    return target && { select: target.span.id };
  };
  const isParent = row.children > 0;
  switch (key) {
    case "ArrowDown":
      return to(at + 1);
    case "ArrowUp":
      return to(at - 1);
    case "Home":
      return to(0);
    case "End":
      return to(rows.length - 1);
    case "ArrowRight":
      if (!isParent) return undefined;
      return row.isOpen ? to(at + 1) : { toggle: selectedId };
    case "ArrowLeft":
      if (isParent && row.isOpen) return { toggle: selectedId };
      return toParent(rows, at);
    case "Enter":
    case " ":
      return isParent ? { toggle: selectedId } : undefined;
    default:
      return undefined;
  }
}

function toParent(rows: readonly SpanTreeRow[], at: number): TreeMove {
  const level = rows[at]?.level ?? 1;
  const parent = rows.slice(0, at).findLast((row) => row.level < level);
  return parent && { select: parent.span.id };
}

/** What went wrong; what was stopped with it did not. */
export const hasFailed = ({ status }: Pick<Span, "status">): boolean =>
  status === "error" || status === "timeout";

/**
 * The one of `among` that comes next in the tree, and from the last the first again.
 * @param step 1 for the next, -1 for the one before
 */
export function nextOf(
  spans: readonly Span[],
  among: readonly Span[],
  selectedId: string,
  step: 1 | -1,
): string | undefined {
  const wanted = new Set(among.map(({ id }) => id));
  const order = spanRows(spans, new Set()).map(({ span }) => span.id);
  const from = order.indexOf(selectedId);
  for (let i = 1; i <= order.length; i++) {
    const id = order[(from + i * step + order.length * 2) % order.length];
    if (id !== undefined && wanted.has(id)) return id;
  }
  return undefined;
}

/** The spans above one, the nearest first. */
export function spansAbove(spans: readonly Span[], span: Span): Span[] {
  const byId = new Map(spans.map((each) => [each.id, each]));
  const above: Span[] = [];
  let parent = span.parent_id === null ? undefined : byId.get(span.parent_id);
  while (parent && !above.includes(parent)) {
    above.push(parent);
    parent = parent.parent_id === null ? undefined : byId.get(parent.parent_id);
  }
  return above;
}

/** The time that a trace takes up, in milliseconds since 1970. */
export type Extent = { start: number; end: number };

/** Where a bar begins and how long it is, in parts of a hundred. */
type BarPlace = { left: number; width: number; firstToken?: number };

const NARROWEST = 0.4;

/** From the first beginning to the last end; what still runs lasts until now. */
export function extentOf(spans: readonly Span[], now: number): Extent {
  const starts = spans.map(({ start_time }) => Date.parse(start_time));
  const ends = spans.map((span) => endOf(span, now));
  const start = Math.min(...starts);
  return { start, end: Math.max(start + 1, ...ends) };
}

export function barOf(span: Span, { start, end }: Extent, now: number): BarPlace {
  const part = (instant: number) => ((instant - start) / (end - start)) * 100;
  const left = Math.min(100 - NARROWEST, part(Date.parse(span.start_time)));
  const width = Math.max(NARROWEST, part(endOf(span, now)) - left);
  if (span.first_token_time === null) return { left, width };
  return { left, width, firstToken: part(Date.parse(span.first_token_time)) };
}

/** How long it took, or has taken so far. */
export const durationOf = (span: Span, now: number): number =>
  Math.max(0, endOf(span, now) - Date.parse(span.start_time));

function endOf({ start_time, end_time, status }: Span, now: number): number {
  if (end_time !== null) return Date.parse(end_time);
  return status === "pending" ? Math.max(now, Date.parse(start_time)) : Date.parse(start_time);
}

/** About four round moments of the time line, in milliseconds from its beginning. */
export function ticksOf({ start, end }: Extent): number[] {
  const length = end - start;
  const rough = length / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? rough;
  const ticks: number[] = [];
  // The last one stands clear of the edge, where its words would not fit.
  for (let at = 0; at <= length * 0.8; at += step) ticks.push(at);
  return ticks;
}
