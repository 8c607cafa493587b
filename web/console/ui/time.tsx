import { useEffect, useState } from "react";

const STEPS: [unit: string, seconds: number][] = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
];
const WEEK_S = 7 * 86_400;

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** How long ago or ahead a time is, in one unit; further away than a week, its date. */
export function agoText(at: string | number, now: number): string {
  const time = new Date(at).getTime();
  const seconds = Math.round((now - time) / 1000);
  const away = Math.abs(seconds);
  if (away > WEEK_S) return date.format(time);
  const [unit, length] = STEPS.find(([, length]) => away >= length) ?? ["s", 1];
  const count = `${Math.floor(away / length)} ${unit}`;
  if (away < 5) return "now";
  return seconds > 0 ? `${count} ago` : `in ${count}`;
}

/** How long ago something was, kept up to date; its whole time under the pointer. */
export function Ago({ at }: { at: string | number | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="never">never</span>;
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={whole.format(time)}>
      {agoText(at, now)}
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
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const TICK_MS = 5_000;
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time of now, a few seconds old at most: one timer for the whole page. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = () => setNow(Date.now());
    watchers.add(tick);
    timer ??= setInterval(() => {
      for (const watcher of watchers) watcher();
    }, TICK_MS);
    return () => {
      watchers.delete(tick);
      if (watchers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return now;
}
