import { useCallback, useEffect, useRef, useState } from "react";
import { base, SIGNED_OUT } from "../api/index.ts";
import { tenantHeaders, useWorkspace } from "./request.ts";

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

/** One server-sent event. */
export type StreamEvent = { id: string; event: string; data: string };

type Following = {
  signal: AbortSignal;
  /** The events that arrived together. */
  onEvents: (events: StreamEvent[]) => void;
  /** Whether it is connected now. */
  onConnected?: (connected: boolean) => void;
  /** Only what comes behind this event. */
  after?: string;
  /** Asked when the server has ended the stream: whether that was all of it. */
  isOver?: () => Promise<boolean>;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** The server says something every five seconds: a connection that is silent for so long is none, as after a sleep. */
const SILENT_MS = 20_000;

/**
 * Follows a stream of server-sent events until `signal` says to stop: connects again when it breaks, behind the
 * last event, and lets go while the tab is hidden, since browsers keep no more than six connections to a server. A
 * stream that has an end is followed until then.
 */
export async function followEvents(
  path: string,
  { signal, onEvents, onConnected, after = "", isOver }: Following,
): Promise<void> {
  let last = after;
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    await visible(signal);
    if (signal.aborted) return;
    const turn = untilHidden(signal);
    try {
      for await (const events of eventsOf(path, last, turn.signal)) {
        onConnected?.(true);
        waitMs = FIRST_WAIT_MS;
        last = events.at(-1)?.id || last;
        if (events.length > 0) onEvents(events);
      }
      if (await isOver?.()) return;
    } catch {
      // Whatever broke it, the way on is the same.
    } finally {
      turn.end();
      onConnected?.(false);
    }
    if (turn.signal.aborted) continue;
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

async function* eventsOf(path: string, last: string, signal: AbortSignal): AsyncGenerator<StreamEvent[]> {
  const headers = { ...tenantHeaders(), ...(last && { "last-event-id": last }) };
  const response = await fetch(base + path, { headers, signal });
  if (response.status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
  if (!response.ok || !response.body) throw new Error(`the stream was refused: ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await spoken(reader.read());
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop() ?? "";
      yield parts.map(readEvent).filter(({ data }) => data !== "");
    }
  } finally {
    // A connection that nobody reads any more would still be one of the six.
    reader.cancel().catch(() => {});
  }
}

/** What was read, unless nothing comes for too long. */
async function spoken<T>(read: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the stream is silent")), SILENT_MS);
  try {
    return await Promise.race([read, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The fields of one event; comments have none. */
export function readEvent(text: string): StreamEvent {
  const found = { id: "", event: "message", data: "" };
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === "data") found.data += found.data === "" ? value : `\n${value}`;
    if (name === "id" || name === "event") found[name] = value;
  }
  return found;
}

/** A signal that says when the tab is hidden, or `signal` does. */
function untilHidden(signal: AbortSignal) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const look = () => document.visibilityState === "hidden" && stop();
  signal.addEventListener("abort", stop, { once: true });
  document.addEventListener("visibilitychange", look);
  return {
    signal: controller.signal,
    end: () => {
      signal.removeEventListener("abort", stop);
      document.removeEventListener("visibilitychange", look);
    },
  };
}

function visible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState !== "hidden" || signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (document.visibilityState === "hidden" && !signal.aborted) return;
    document.removeEventListener("visibilitychange", look);
    signal.removeEventListener("abort", look);
    resolve();
  };
  document.addEventListener("visibilitychange", look);
  signal.addEventListener("abort", look);
  return promise;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener("abort", stop, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", stop));
}

/** What the tabs of this browser tell each other under a name. Gives what tells the others. */
export function useNotices<Notice>(
  name: string,
  onNotice: (notice: Notice) => void,
): (notice: Notice) => void {
  const latest = useRef(onNotice);
  latest.current = onNotice;
  const channel = useRef<BroadcastChannel>(undefined);
  useEffect(() => {
    const opened = new BroadcastChannel(name);
    channel.current = opened;
    opened.onmessage = ({ data }: MessageEvent<Notice>) => latest.current(data);
    return () => opened.close();
  }, [name]);
  return useCallback((notice: Notice) => channel.current?.postMessage(notice), []);
}
