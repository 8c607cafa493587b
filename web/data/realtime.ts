import { useEffect, useRef, useState } from "react";
import { followEvents, type StreamEvent } from "./event-stream.ts";
import { useWorkspace } from "./workspace.ts";

/** What the server tells to have become different. */
const LIVE_KINDS = [
  "deployments",
  "traces",
  "issues",
  "deliveries",
  "engine_runs",
  "subscriptions",
  "threads",
  "runs",
  "keys",
  "system",
] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

/** What each stream tells of: its events are hints, and what they hint at is asked for again. */
const STREAMS = [
  { path: "/v1/changes", kindOf: (): LiveKind => "deployments", missed: "deployments" },
  {
    path: "/v1/activity",
    kindOf: ({ event }: StreamEvent) => LIVE_KINDS.find((kind) => kind === event),
    missed: "all",
  },
] as const;

/** So often at most is one kind of thing asked for again, however fast it changes. */
const PACE_MS = 1_000;

type Listener = (kind: LiveKind | "all") => void;

const listeners = new Set<Listener>();

/** Tells whoever shows something of that kind to ask for it again; `all` after a time without news. */
function announce(kind: LiveKind | "all"): void {
  for (const listener of listeners) listener(kind);
}

/** Calls back when something of these kinds may have become different. */
export function useLive(kinds: readonly LiveKind[], changed: () => void): void {
  const latest = useRef(changed);
  latest.current = changed;
  const names = kinds.join();
  useEffect(() => {
    const wanted = new Set<string>(["all", ...names.split(",")]);
    const listener: Listener = (kind) => wanted.has(kind) && latest.current();
    if (names === "") return;
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [names]);
}

/**
 * The page's one listener to what becomes different in the workspace: it follows the server's streams while the tab
 * can be seen, and has what {@link useLive} names asked for again.
 */
export function useRealtime(): { lostSince: number | undefined } {
  const workspace = useWorkspace();
  const [lostSince, setLostSince] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace has other news.
  useEffect(() => {
    const stop = new AbortController();
    const pace = new Pace();
    const lost = new Map<string, number>();
    for (const { path, kindOf, missed } of STREAMS) {
      const connection = new Connection({
        opened: () => announce(missed),
        lost: (since) => {
          if (since === undefined) lost.delete(path);
          else lost.set(path, since);
          setLostSince(lost.size === 0 ? undefined : Math.min(...lost.values()));
        },
      });
      void followEvents(path, {
        signal: stop.signal,
        onEvents: (events) => {
          for (const kind of new Set(events.map(kindOf))) if (kind) pace.tell(kind);
        },
        onConnected: (connected) => connection.say(connected),
      });
    }
    return () => {
      stop.abort();
      pace.end();
    };
  }, [workspace]);
  return { lostSince };
}

type ConnectionEvents = { opened: () => void; lost: (since: number | undefined) => void };

/** Whether there is a connection; whatever changed before there was one has to be asked for. */
class Connection {
  #was: boolean | undefined;

  constructor(private readonly events: ConnectionEvents) {}

  say(connected: boolean): void {
    if (connected === this.#was) return;
    this.#was = connected;
    // A tab that nobody sees lets go of its connection itself.
    this.events.lost(connected || document.visibilityState === "hidden" ? undefined : Date.now());
    if (connected) this.events.opened();
  }
}

/** Tells the first of many at once, and the last of them when the pace allows. */
class Pace {
  readonly #waiting = new Map<LiveKind, { timer: ReturnType<typeof setTimeout>; again: boolean }>();

  tell(kind: LiveKind): void {
    const waiting = this.#waiting.get(kind);
    if (waiting) waiting.again = true;
    else this.#now(kind);
  }

  end(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  #now(kind: LiveKind): void {
    announce(kind);
    const timer = setTimeout(() => {
      const again = this.#waiting.get(kind)?.again === true;
      this.#waiting.delete(kind);
      if (again) this.#now(kind);
    }, PACE_MS);
    this.#waiting.set(kind, { timer, again: false });
  }
}
