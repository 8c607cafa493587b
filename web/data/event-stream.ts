import { base, SIGNED_OUT } from "../api/index.ts";
import { tenantHeaders } from "./workspace.ts";

/** One server-sent event. */
export type StreamEvent = { id: string; event: string; data: string };

export type Following = {
  signal: AbortSignal;
  /** The events that arrived together. */
  onEvents: (events: StreamEvent[]) => void;
  /** Whether it is connected now. */
  onConnected?: (connected: boolean) => void;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** The server says something every five seconds: a connection that is silent for so long is none, as after a sleep. */
const SILENT_MS = 20_000;

/**
 * Follows a stream of server-sent events until `signal` says to stop: connects again when it breaks, behind the
 * last event, and lets go while the tab is hidden, since browsers keep no more than six connections to a server.
 */
export async function followEvents(
  path: string,
  { signal, onEvents, onConnected }: Following,
): Promise<void> {
  let last = "";
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
