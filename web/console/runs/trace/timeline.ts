import type { Span } from "@berth/server";

/** The time that a trace takes up, in milliseconds since 1970. */
export type Extent = { start: number; end: number };

/** Where a bar begins and how long it is, in parts of a hundred. */
export type BarPlace = { left: number; width: number; firstToken?: number };

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
  for (let at = 0; at <= length * 0.9; at += step) ticks.push(at);
  return ticks;
}
