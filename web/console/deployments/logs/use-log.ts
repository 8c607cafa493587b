import type { LogLine } from "@berth/server";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { failureOf, followEvents, type RequestFailed, useWorkspace } from "../../data/index.ts";
import { followPath, type LogChoice, pageSizeOf, readLog } from "./log.ts";

/** More lines make the page slow; what is dropped can be had again by scrolling up. */
const MOST_LINES = 5_000;

export type ShownLog = {
  lines: LogLine[];
  loading: boolean;
  error: RequestFailed | undefined;
  /** New lines come as they are written. */
  connected: boolean;
  hasOlder: boolean;
  loadOlder(): void;
};

type Log = { lines: LogLine[]; hasOlder: boolean };

const NO_LOG: Log = { lines: [], hasOlder: false };

/** The end of a log, which grows as lines are written, and what was before it when it is asked for. */
export function useLog(choice: LogChoice | null): ShownLog {
  const workspace = useWorkspace();
  const name = JSON.stringify([workspace ?? "", "log", choice]);
  const client = useQueryClient();
  const [olderError, setOlderError] = useState<RequestFailed>();
  const { data, error, isSuccess, isPending } = useQuery<Log>({
    queryKey: JSON.parse(name),
    enabled: choice !== null,
    queryFn: async ({ signal }) => {
      if (!choice) return NO_LOG;
      const lines = await readLog(choice, "", signal);
      return { lines, hasOlder: lines.length >= pageSizeOf(choice) };
    },
    // From here on it is told what comes; whoever opens the log again reads its end again.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
    meta: { once: true },
  });
  const change = useCallback(
    (next: (log: Log) => Log) => client.setQueryData<Log>(JSON.parse(name), (log) => log && next(log)),
    [client, name],
  );
  const connected = useFollowed(isSuccess ? name : null, data?.lines.at(-1)?.id, change);

  const oldest = data?.lines[0]?.id;
  const loadOlder = useCallback(async () => {
    const [, , choice]: [string, string, LogChoice | null] = JSON.parse(name);
    if (!choice || oldest === undefined) return;
    try {
      const older = await readLog(choice, oldest);
      change((log) => withOlder(log, older, pageSizeOf(choice)));
      setOlderError(undefined);
    } catch (failure) {
      setOlderError(failureOf(failure));
    }
  }, [name, oldest, change]);

  return {
    lines: data?.lines ?? [],
    loading: choice !== null && isPending,
    error: failureOf(error) ?? olderError,
    connected,
    hasOlder: data?.hasOlder ?? false,
    loadOlder,
  };
}

/** Adds the lines behind `last` as they are written. Says whether it is connected. */
function useFollowed(
  name: string | null,
  last: string | undefined,
  change: (next: (log: Log) => Log) => void,
) {
  const [connected, setConnected] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last line is where it begins, and moves on from there.
  useEffect(() => {
    if (name === null) return;
    const [, , choice]: [string, string, LogChoice] = JSON.parse(name);
    const controller = new AbortController();
    void followEvents(followPath(choice, last ?? "0"), {
      signal: controller.signal,
      onConnected: setConnected,
      onEvents: (events) => {
        const more: LogLine[] = events
          .filter(({ event }) => event === "line")
          .map(({ data }) => JSON.parse(data));
        change((log) => withNewer(log, more));
      },
    });
    return () => controller.abort();
  }, [name, change]);
  return connected;
}

function withNewer({ lines, hasOlder }: Log, more: LogLine[]): Log {
  const all = [...lines, ...more];
  return all.length <= MOST_LINES
    ? { lines: all, hasOlder }
    : { lines: all.slice(-MOST_LINES), hasOlder: true };
}

function withOlder({ lines }: Log, older: LogLine[], pageSize: number): Log {
  const known = new Set(lines.map(({ id }) => id));
  const fresh = older.filter(({ id }) => !known.has(id));
  return { lines: [...fresh, ...lines], hasOlder: older.length >= pageSize };
}
