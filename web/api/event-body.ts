import { type Filter, isBelow, matches, type WireEvent } from "./protocol.ts";
import type { ThreadSocket } from "./thread-socket.ts";

const encoder = new TextEncoder();

/** Stored events of older runs: what lies below these namespaces, which the newest run's log does not hold. */
export type Backfill = (filter: Filter) => Promise<string[]>;

/**
 * The answer that the SDK expects from `POST …/stream`, fed from the tab's socket: what the newest run has
 * published, then everything live. It ends only when its reader leaves.
 */
export function eventStream(
  socket: ThreadSocket,
  filter: Filter,
  backfill: Backfill,
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
      await pour(socket, filter, backfill, send, stopped.signal);
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Sends what was missed, then what happens; live events wait while older ones are still fetched. */
async function pour(
  socket: ThreadSocket,
  filter: Filter,
  backfill: Backfill,
  send: (json: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await socket.begun;
  if (signal.aborted) return;
  const kept = socket.log.matching(filter);
  const held: WireEvent[] = [];
  let pass = (event: WireEvent) => {
    held.push(event);
  };
  const stopListening = socket.listen((event) => matches(filter, event) && pass(event));
  signal.addEventListener("abort", stopListening);
  const older = olderPart(filter, kept);
  if (older) for (const json of await backfill(older).catch(() => [])) send(json);
  for (const event of [...kept, ...held]) send(event.json);
  pass = (event) => send(event.json);
}

/** The filter's namespaces below the root that the newest run has nothing of: subagents of earlier runs. */
function olderPart({ namespaces = [], ...rest }: Filter, kept: readonly WireEvent[]): Filter | undefined {
  const older = namespaces.filter(
    (prefix) => prefix.length > 0 && !kept.some((event) => isBelow(event.namespace, prefix)),
  );
  return older.length > 0 ? { ...rest, namespaces: older } : undefined;
}
