import type { Backfill } from "./event-body.ts";
import { readFrame, type WireEvent } from "./protocol.ts";
import { request } from "./request.ts";
import { Subscription } from "./subscription.ts";
import type { Socket } from "./thread-socket.ts";

type ThreadState = { values?: unknown; checkpoint?: { checkpoint_id?: string } | null };

/**
 * Reads stored events over a socket of its own, which it closes again. Where the thread's log no longer reaches
 * that far back, the last checkpoint of a namespace stands in for its events.
 */
export function backfillOf(threadId: string, open: () => Socket): Backfill {
  return async (filter) => {
    const events = await replayed(open, (subscription) => subscription.replay(filter));
    if (events.length > 0) return events.map(({ json }) => json);
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
  const subscription = new Subscription((command) => socket.send(JSON.stringify(command)));
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

async function lastValues(threadId: string, namespace: readonly string[]): Promise<string[]> {
  const checkpoint_ns = namespace.join("|");
  const body = { limit: 1, checkpoint: { checkpoint_ns } };
  const path = `/api/threads/${threadId}/history`;
  const [state] = await request<ThreadState[]>(path, { method: "POST", body });
  if (!state?.values) return [];
  const event = {
    type: "event",
    event_id: `checkpoint:${state.checkpoint?.checkpoint_id}`,
    seq: 0,
    method: "values",
    params: { namespace, timestamp: 0, data: state.values },
  };
  return [JSON.stringify(event)];
}
