import type { OlderEvents } from "./older-events.ts";
import { type Filter, matches, type WireEvent } from "./protocol.ts";
import type { ThreadSocket } from "./thread-socket.ts";

const encoder = new TextEncoder();

/**
 * The answer that the SDK expects from `POST …/stream`, fed from the tab's socket: what the newest run has
 * published, then everything live. It ends only when its reader leaves.
 */
export function eventStream(
  socket: ThreadSocket,
  filter: Filter,
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
      await pour(socket, filter, older, send, stopped.signal);
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Sends what was missed, then what happens; live events wait while older ones are still fetched. */
async function pour(
  socket: ThreadSocket,
  filter: Filter,
  older: OlderEvents,
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
  for (const event of await older.before(kept, filter, socket.log)) send(event.json);
  if (signal.aborted) return;
  for (const event of [...kept, ...held]) send(event.json);
  pass = (event) => send(event.json);
}
