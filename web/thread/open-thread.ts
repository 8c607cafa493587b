import type { SignIn, ThreadState } from "@berth/server";
import { base, RequestFailed, request, SIGNED_OUT, sessionPath } from "../api/index.ts";
import type { FeedAdapter } from "./feed-adapter.ts";
import { readFrame, record, type WireEvent } from "./protocol.ts";
import type { Backfill } from "./run-log.ts";
import { RunsAdapter } from "./runs-adapter.ts";
import { RunsThread } from "./runs-thread.ts";
import { EventSubscription } from "./subscription.ts";
import { ThreadAdapter, type ThreadAdapterOptions } from "./thread-adapter.ts";
import type { ThreadFeed } from "./thread-feed.ts";
import { type BrowserSocket, sendOver, ThreadSocket } from "./thread-socket.ts";
import { WORDS } from "./words.ts";

/** A thread that this tab shows: its live connection, and what the SDK talks through. */
export type OpenThread = { feed: ThreadFeed; adapter: FeedAdapter };

export type OpenThreadOptions = Pick<ThreadAdapterOptions, "threadId" | "settings" | "isDraft" | "onMissing">;

/** A thread of a server with Berth's thread app, over one socket. `feed.start()` connects. */
export function openThread(options: OpenThreadOptions): OpenThread {
  const server = window.location.origin + base;
  const address = `${server.replace(/^http/, "ws")}/api/threads/${options.threadId}/stream`;
  const open = () => new WebSocket(address);
  const signedOut = async () => {
    try {
      const { required, signed_in } = await request<SignIn>(sessionPath());
      return required && !signed_in;
    } catch (error) {
      // Nobody is there any more who could say: the page asks, and says so.
      if (error instanceof RequestFailed && error.status === 404) window.dispatchEvent(new Event(SIGNED_OUT));
      throw error;
    }
  };
  const socket = new ThreadSocket({ open, signedOut });
  const backfill = backfillOf(options.threadId, open);
  return { feed: socket, adapter: new ThreadAdapter({ ...options, server, socket, backfill }) };
}

/** A thread of any other Agent Server, run by run. `feed.start()` connects. */
export function openRuns(options: OpenThreadOptions): OpenThread {
  const server = window.location.origin + base;
  const feed = new RunsThread({ ...options, server });
  // What is kept here is all there is of a run; of what subagents said, their checkpoints tell.
  const backfill: Backfill = async ({ namespaces = [] }, since) => {
    if (since !== undefined) return [];
    const path = `/threads/${options.threadId}/history`;
    return (await Promise.all(namespaces.map((namespace) => lastValues(path, namespace)))).flat();
  };
  return { feed, adapter: new RunsAdapter({ ...options, api: server, feed, backfill }) };
}

/**
 * Reads stored events over a socket of its own, which it closes again. Where the thread's log no longer reaches
 * that far back, the last checkpoint of a namespace stands in for its events.
 */
export function backfillOf(threadId: string, open: () => BrowserSocket): Backfill {
  return async (filter, since) => {
    const events = await replayed(open, (subscription) => subscription.replay(filter, since));
    if (events.length > 0 || since !== undefined) return events;
    const found = await Promise.all(
      (filter.namespaces ?? []).map((namespace) => lastValues(`/api/threads/${threadId}/history`, namespace)),
    );
    return found.flat();
  };
}

function replayed(
  open: () => BrowserSocket,
  read: (subscription: EventSubscription) => Promise<WireEvent[]>,
): Promise<WireEvent[]> {
  const socket = open();
  const subscription = new EventSubscription((command) => sendOver(socket, command));
  const { promise, resolve, reject } = Promise.withResolvers<WireEvent[]>();
  socket.addEventListener("open", () => read(subscription).then(resolve, reject));
  socket.addEventListener("message", ({ data }) => {
    const frame = readFrame(String(data));
    if (frame?.kind === "reply") subscription.answered(frame);
    if (frame?.kind === "event") subscription.takes(frame.event);
  });
  socket.addEventListener("close", () => {
    subscription.end();
    reject(new Error(WORDS.connectionLost));
  });
  return promise.finally(() => socket.close());
}

/** A `values` event of a namespace, made of its last checkpoint. */
async function lastValues(path: string, namespace: readonly string[]): Promise<WireEvent[]> {
  const body = { limit: 1, checkpoint: { checkpoint_ns: namespace.join("|") } };
  const [state] = await request<ThreadState[]>(path, { method: "POST", body });
  if (!state?.values) return [];
  const data = record(state.values);
  const eventId = `checkpoint:${state.checkpoint?.checkpoint_id}`;
  const json = JSON.stringify({
    type: "event",
    event_id: eventId,
    seq: 0,
    method: "values",
    params: { namespace, timestamp: 0, data },
  });
  return [{ seq: 0, eventId, method: "values", namespace, data, json }];
}
