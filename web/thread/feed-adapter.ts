import { HttpAgentServerAdapter } from "@langchain/react";
import { SIGNED_OUT } from "../api/index.ts";
import { matches, type WireEvent, type WireFilter } from "./protocol.ts";
import { type Backfill, OlderEvents } from "./run-log.ts";
import type { ThreadFeed } from "./thread-feed.ts";

/** What every run of a thread is started with, beside its input. */
export type RunSettings = {
  assistantId: string | undefined;
  context: Record<string, unknown>;
  configurable: Record<string, unknown>;
};

export type FeedAdapterOptions = {
  threadId: string;
  /** Address of what has `/threads`, no slash at the end. */
  api: string;
  feed: ThreadFeed;
  backfill: Backfill;
  /** A thread that nobody has saved yet: there is no state to ask for. */
  isDraft: () => boolean;
  /** The thread does not exist, although its address says so. */
  onMissing: () => void;
};

export type ThreadCommand = Parameters<HttpAgentServerAdapter["send"]>[0];

/** How long a message waits for a server that is away before it is given back to its writer. */
export const PATIENCE_MS = 30_000;

export function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError;
}

/**
 * The SDK's HTTP transport, with its event streams carried by the thread's feed: a browser opens six connections to
 * one host at most, and each open stream of each tab would hold one.
 */
export class FeedAdapter extends HttpAgentServerAdapter {
  constructor(options: FeedAdapterOptions) {
    const { api, threadId } = options;
    super({
      apiUrl: api,
      threadId,
      paths: { stream: (id) => `/threads/${id}/stream` },
      fetch: fetchOver(options),
    });
    this.#followAlways(options);
  }

  /**
   * Without `next`, the SDK follows the thread even while nothing runs on it, and so sees the runs that other tabs
   * start. It would otherwise wait for a run of its own.
   */
  #followAlways({ isDraft, onMissing }: FeedAdapterOptions): void {
    const read = this.getState;
    if (!read) return;
    this.getState = async <S>() => {
      if (isDraft()) return null;
      const state = await read<S>();
      if (!state) onMissing();
      return state && { ...state, next: undefined };
    };
  }
}

function fetchOver({ feed, backfill }: FeedAdapterOptions): typeof fetch {
  const older = new OlderEvents(backfill);
  const fetchOrFollow = async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!pathname.endsWith("/stream")) {
      const answer = await fetch(input, init);
      if (answer.status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
      return answer;
    }
    const filter: WireFilter = JSON.parse(String(init?.body));
    return eventStream(feed, filter, older, init?.signal);
  };
  // Bun's type of `fetch` has a `preconnect`, which no caller of this one asks for.
  return Object.assign(fetchOrFollow, { preconnect: () => {} });
}

const encoder = new TextEncoder();

/**
 * The answer that the SDK expects from `POST …/stream`, fed from the thread's feed: what the newest run has
 * published, then everything live. It ends only when its reader leaves.
 */
export function eventStream(
  feed: ThreadFeed,
  filter: WireFilter,
  older: OlderEvents,
  signal: AbortSignal | null | undefined,
): Response {
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const stopped = new AbortController();
      stop = () => stopped.abort();
      signal?.addEventListener("abort", () => {
        if (stopped.signal.aborted) return;
        stop();
        // As a broken connection does: the SDK has asked for it.
        controller.error(signal.reason);
      });
      const send = (json: string) => {
        if (!stopped.signal.aborted) controller.enqueue(encoder.encode(`data: ${json}\n\n`));
      };
      await pour(feed, filter, older, send, stopped.signal);
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Sends what was missed, then what happens; live events wait while older ones are still fetched. */
async function pour(
  feed: ThreadFeed,
  filter: WireFilter,
  older: OlderEvents,
  send: (json: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await feed.begun;
  if (signal.aborted) return;
  const kept = feed.log.matching(filter);
  const held: WireEvent[] = [];
  let pass = (event: WireEvent) => {
    held.push(event);
  };
  const stopListening = feed.listen((event) => matches(filter, event) && pass(event));
  signal.addEventListener("abort", stopListening);
  for (const event of await older.before(kept, filter, feed.log)) send(event.json);
  if (signal.aborted) return;
  for (const event of [...kept, ...held]) send(event.json);
  pass = (event) => send(event.json);
}
