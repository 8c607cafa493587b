import { useEffect, useState } from "react";
import { WORDS } from "./words.ts";

const STEPS: [unit: string, seconds: number][] = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
];
const WEEK_S = 7 * 86_400;

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const dayOfYear = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

type AgoStyle = {
  /** For the margin of a list: without "ago", seconds, and the year that it is now. */
  short?: boolean;
};

/** How long ago or ahead a time is, in one unit; further away than a week, its date. */
export function agoText(at: string | number, now: number, { short = false }: AgoStyle = {}): string {
  const time = new Date(at);
  const seconds = Math.round((now - time.getTime()) / 1000);
  const away = Math.abs(seconds);
  const isThisYear = time.getFullYear() === new Date(now).getFullYear();
  if (away > WEEK_S) return (short && isThisYear ? dayOfYear : date).format(time);
  if (away < (short ? 60 : 5)) return "now";
  const [unit, length] = STEPS.find(([, length]) => away >= length) ?? ["s", 1];
  const count = `${Math.floor(away / length)} ${unit}`;
  if (seconds < 0) return WORDS.in(count);
  return short ? count : WORDS.ago(count);
}

type AgoProps = AgoStyle & { at: string | number | null | undefined; className?: string };

/** How long ago something was, kept up to date; its whole time under the pointer. */
export function Ago({ at, className, ...style }: AgoProps) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="never">{WORDS.never}</span>;
  const time = new Date(at);
  return (
    <time className={className} dateTime={time.toISOString()} title={whole.format(time)}>
      {agoText(at, now, style)}
    </time>
  );
}

/** When something was, to the second; without its day where that of `after` stands before it. */
export function Moment({ at, after }: { at: string; after?: string }) {
  const isSameDay = after !== undefined && date.format(new Date(after)) === date.format(new Date(at));
  return <time dateTime={at}>{(isSameDay ? clock : whole).format(new Date(at))}</time>;
}

/** How long something took, or takes so far. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return <span className="never">–</span>;
  return <span>{durationText(ms)}</span>;
}

export function durationText(ms: number): string {
  if (ms < 1000) return WORDS.milliseconds(Math.round(ms));
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return WORDS.minutesAndSeconds(minutes, Math.round(seconds % 60));
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? WORDS.hoursAndMinutes(hours, minutes % 60)
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const TICK_MS = 5_000;

type Clock = { watchers: Set<() => void>; timer: ReturnType<typeof setInterval> };

const clocks = new Map<number, Clock>();

/** Calls back every so often: one timer for all of the page that want to be called as often. */
function watchClock(everyMs: number, tick: () => void): () => void {
  const watchers = clocks.get(everyMs)?.watchers ?? new Set();
  watchers.add(tick);
  if (!clocks.has(everyMs)) {
    const timer = setInterval(() => {
      for (const watcher of watchers) watcher();
    }, everyMs);
    clocks.set(everyMs, { watchers, timer });
  }
  return () => {
    watchers.delete(tick);
    if (watchers.size > 0) return;
    clearInterval(clocks.get(everyMs)?.timer);
    clocks.delete(everyMs);
  };
}

/** The time of now, so old at most; with null it stands still. */
export function useNow(everyMs: number | null = TICK_MS): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (everyMs === null) return;
    const tick = () => setNow(Date.now());
    tick();
    const stop = watchClock(everyMs, tick);
    return () => {
      stop();
      tick();
    };
  }, [everyMs]);
  return now;
}
