import type { ThreadState } from "@berth/server";
import { request } from "../api/index.ts";
import type { Backfill } from "./older-events.ts";
import { readFrame, record, type WireEvent } from "./protocol.ts";
import { Subscription } from "./subscription.ts";
import { type Socket, sendOver } from "./thread-socket.ts";

/**
 * Reads stored events over a socket of its own, which it closes again. Where the thread's log no longer reaches
 * that far back, the last checkpoint of a namespace stands in for its events.
 */
export function backfillOf(threadId: string, open: () => Socket): Backfill {
  return async (filter, since) => {
    const events = await replayed(open, (subscription) => subscription.replay(filter, since));
    if (events.length > 0 || since !== undefined) return events;
    const found = await Promise.all(
      (filter.namespaces ?? []).map((namespace) => lastValues(threadId, namespace)),
    );
    return found.flat();
  };
}

function replayed(
  open: () => Socket,
  read: (subscription: Subscription) => Promise<WireEvent[]>,
): Promise<WireEvent[]> {
  const socket = open();
  const subscription = new Subscription((command) => sendOver(socket, command));
  const { promise, resolve, reject } = Promise.withResolvers<WireEvent[]>();
  socket.addEventListener("open", () => read(subscription).then(resolve, reject));
  socket.addEventListener("message", ({ data }) => {
    const frame = readFrame(String(data));
    if (frame?.kind === "reply") subscription.answered(frame);
    if (frame?.kind === "event") subscription.takes(frame.event);
  });
  socket.addEventListener("close", () => {
    subscription.end();
    reject(new Error("The connection was lost."));
  });
  return promise.finally(() => socket.close());
}

/** A `values` event of a namespace, made of its last checkpoint. */
async function lastValues(threadId: string, namespace: readonly string[]): Promise<WireEvent[]> {
  const body = { limit: 1, checkpoint: { checkpoint_ns: namespace.join("|") } };
  const [state] = await request<ThreadState[]>(`/api/threads/${threadId}/history`, { method: "POST", body });
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
