import type { Figures, Minute } from "@berth/server";
import { useMemo } from "react";
import { useResource } from "../data/index.ts";
import { pathOf } from "./deployment.ts";

const MINUTE_MS = 60_000;

/** The figures of a deployment over the last minutes, each minute in its place, and asked for once a minute. */
export function useFigures(id: string, minutes: number) {
  const path = `${pathOf(id)}/figures?minutes=${minutes}`;
  const { data, error } = useResource<Figures>(path, { everyMs: MINUTE_MS });
  const filled = useMemo(() => data && withQuietMinutes(data.minutes, minutes, Date.now()), [data, minutes]);
  return { figures: data, minutes: filled ?? [], error };
}

/** The server leaves minutes out in which nothing happened; a line over time needs them. */
export function withQuietMinutes(known: readonly Minute[], count: number, now: number): Minute[] {
  const byTime = new Map(known.map((minute) => [Date.parse(minute.minute), minute]));
  // The minute that is under way is told of when it is over.
  const last = Math.floor(now / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
  return Array.from({ length: count }, (_, at) => {
    const time = last - (count - 1 - at) * MINUTE_MS;
    return byTime.get(time) ?? quiet(time);
  });
}

const quiet = (time: number): Minute => ({
  minute: new Date(time).toISOString(),
  requests: 0,
  errors: 0,
  p50_ms: null,
  p95_ms: null,
  open_streams: 0,
  memory_bytes: null,
});

/** Errors among the requests, in words; nothing to say without any. */
export function errorRate({ requests, errors }: Pick<Figures, "requests" | "errors">): string {
  if (requests === 0) return "–";
  const percent = (errors / requests) * 100;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}
