import type { DeploymentLogPage, LogLine, LogPage } from "@berth/server";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { api, failureOf, followEvents, type RequestFailed, useWorkspace } from "../../data/index.ts";
import { pathOf } from "../../deployment.tsx";

/** Which lines are looked at. */
export type LogChoice = {
  deploymentId: string;
  /** Null for all revisions, which only run-time logs have. */
  revisionId: string | null;
  type: "build" | "deploy";
  query: string;
  level: string;
};

/** As many as one page has. */
const PAGE_LINES = { ofRevision: 500, ofAll: 100 };

const pageSizeOf = ({ revisionId }: LogChoice): number =>
  revisionId === null ? PAGE_LINES.ofAll : PAGE_LINES.ofRevision;

/** The newest lines, or those before a line; oldest first. */
async function readLog(choice: LogChoice, before: string, signal?: AbortSignal): Promise<LogLine[]> {
  const { deploymentId, revisionId, type } = choice;
  const filters = filtersOf(choice);
  if (revisionId !== null) {
    const page = {
      type,
      order: "desc",
      limit: String(PAGE_LINES.ofRevision),
      ...(before && { offset: before }),
    };
    const query = new URLSearchParams({ ...page, ...filters });
    const path = `${pathOf(deploymentId)}/revisions/${revisionId}/logs?${query}`;
    return (await api<LogPage>(path, signal ? { signal } : {})).logs.reverse();
  }
  const page = { sort_order: "desc", page_size: String(PAGE_LINES.ofAll), ...(before && { cursor: before }) };
  const query = new URLSearchParams({ deployment_id: deploymentId, ...page, ...filters });
  return (
    await api<DeploymentLogPage>(`/v2/deployment-logs?${query}`, signal ? { signal } : {})
  ).items.reverse();
}

/** More lines make a file that no editor opens gladly, and the page wait. */
const MOST_SAVED = 50_000;

/** The newest 50,000 lines as a text, one a line, with their time and level. */
export async function logText(choice: LogChoice): Promise<string> {
  const pages: LogLine[][] = [];
  let count = 0;
  let before = "";
  do {
    const page = await readLog(choice, before);
    pages.unshift(page);
    count += page.length;
    before = page.length < pageSizeOf(choice) ? "" : (page[0]?.id ?? "");
  } while (before !== "" && count < MOST_SAVED);
  return pages.flat().map(textLine).join("");
}

const textLine = ({ timestamp, level, message }: LogLine): string =>
  `${new Date(timestamp).toISOString()} ${level} ${message.replace(COLOURS, "")}\n`;

/** Where the lines behind `since` are told as they are written. */
function followPath(choice: LogChoice, since: string): string {
  const { deploymentId, revisionId, type } = choice;
  const query = new URLSearchParams({
    ...{ type, since },
    ...(revisionId !== null && { revision_id: revisionId }),
    ...filtersOf(choice),
  });
  return `${pathOf(deploymentId)}/logs?${query}`;
}

const filtersOf = ({ query, level }: LogChoice) => ({ ...(query && { query }), ...(level && { level }) });

/** The colours of terminals, which a page has no use for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how they begin.
const COLOURS = /\u001b\[[0-9;]*m/g;

type ShownLine = { text: string; fields?: string };

/** What a line says: of a JSON line its message, with the other fields behind it. */
export function shownLine(message: string): ShownLine {
  const text = message.replace(COLOURS, "");
  if (!text.startsWith("{")) return { text };
  try {
    const {
      time: _,
      at: __,
      level: ___,
      msg,
      message: said = msg,
      event = said,
      ...fields
    } = JSON.parse(text);
    if (typeof event !== "string") return { text };
    const rest = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`);
    return rest.length === 0 ? { text: event } : { text: event, fields: rest.join(" ") };
  } catch {
    return { text };
  }
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

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
