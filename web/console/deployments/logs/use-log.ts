import { useCallback, useEffect, useRef, useState } from "react";
import { followEvents } from "../../data/event-stream.ts";
import { RequestFailed } from "../../data/index.ts";
import { followPath, type LogChoice, type LogLine, pageSizeOf, readLog } from "./log.ts";

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

type State = { lines: LogLine[]; hasOlder: boolean };

/** The end of a log, which grows as lines are written, and what was before it when it is asked for. */
export function useLog(choice: LogChoice | null): ShownLog {
  const key = JSON.stringify(choice);
  const [state, setState] = useState<State>();
  const [error, setError] = useState<RequestFailed>();
  const [connected, setConnected] = useState(false);
  const asking = useRef<AbortController>(undefined);

  useEffect(() => {
    const choice: LogChoice | null = JSON.parse(key);
    const controller = new AbortController();
    asking.current = controller;
    setState(undefined);
    setError(undefined);
    if (choice) void begin(choice, controller.signal, { setState, setError, setConnected });
    return () => controller.abort();
  }, [key]);

  const oldest = state?.lines[0]?.id;
  const loadOlder = useCallback(() => {
    const choice: LogChoice | null = JSON.parse(key);
    const signal = asking.current?.signal;
    if (!choice || oldest === undefined || !signal) return;
    readLog(choice, oldest, signal).then(
      (older) => setState((now) => now && withOlder(now, older, pageSizeOf(choice))),
      (error) => !signal.aborted && setError(failureOf(error)),
    );
  }, [key, oldest]);

  return {
    lines: state?.lines ?? [],
    loading: choice !== null && !state && !error,
    error,
    connected,
    hasOlder: state?.hasOlder ?? false,
    loadOlder,
  };
}

type Setters = {
  setState: (change: (before: State | undefined) => State) => void;
  setError: (error: RequestFailed) => void;
  setConnected: (connected: boolean) => void;
};

async function begin(choice: LogChoice, signal: AbortSignal, setters: Setters): Promise<void> {
  const { setState, setError, setConnected } = setters;
  try {
    const lines = await readLog(choice, "", signal);
    if (signal.aborted) return;
    setState(() => ({ lines, hasOlder: lines.length >= pageSizeOf(choice) }));
    await followEvents(followPath(choice, lines.at(-1)?.id ?? "0"), {
      signal,
      onConnected: setConnected,
      onEvents: (events) => {
        const more: LogLine[] = events
          .filter(({ event }) => event === "line")
          .map(({ data }) => JSON.parse(data));
        setState((before) => withNewer(before ?? { lines: [], hasOlder: false }, more));
      },
    });
  } catch (error) {
    if (!signal.aborted) setError(failureOf(error));
  }
}

function withNewer({ lines, hasOlder }: State, more: LogLine[]): State {
  const all = [...lines, ...more];
  return all.length <= MOST_LINES
    ? { lines: all, hasOlder }
    : { lines: all.slice(-MOST_LINES), hasOlder: true };
}

function withOlder({ lines }: State, older: LogLine[], pageSize: number): State {
  const known = new Set(lines.map(({ id }) => id));
  const fresh = older.filter(({ id }) => !known.has(id));
  return { lines: [...fresh, ...lines], hasOlder: older.length >= pageSize };
}

const failureOf = (error: unknown): RequestFailed =>
  error instanceof RequestFailed ? error : new RequestFailed(0, String(error));
