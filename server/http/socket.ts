import { BadRequest, Fault } from "@berth/store";
import type { Connection } from "./operation.ts";

/** A connection as those who talk over it see it. */
export type Socket = {
  send(data: string | Uint8Array): number;
  close(code?: number, reason?: string): void;
  /** Reads nothing more from it until {@link resume}. */
  pause(): void;
  resume(): void;
  /** Cuts the connection, whatever still waits to leave. */
  terminate(): void;
  getBufferedAmount(): number;
};

/** Our end of a WebSocket; Bun keeps it with the connection. */
export type SocketEnd = {
  opened(socket: Socket): void;
  received(text: string): void;
  /** Bytes, where they are anything else than text. */
  receivedBytes?(bytes: Uint8Array): void;
  /** Some of what waited has left. */
  drained(): void;
  closed(code: number, reason: string): void;
};

/** The path is there, but only for WebSockets (426). */
export class UpgradeRequired extends Fault {
  override name = "UpgradeRequired";
}

export const wantsSocket = (request: Request): boolean =>
  request.headers.get("upgrade")?.toLowerCase() === "websocket";

/** Makes a WebSocket of a request. The answer that Elysia wants is not sent, but it is what the log shows. */
export function becomeSocket(
  { request, server }: { request: Request; server: Connection | null },
  end: SocketEnd,
  headers?: Record<string, string>,
): Response {
  if (!wantsSocket(request)) throw new UpgradeRequired("This address is for WebSockets");
  if (server?.upgrade?.(request, { data: end, ...(headers && { headers }) }))
    return new Response(null, { status: 101 });
  throw new BadRequest("This request cannot become a WebSocket");
}

/** More than this, and whoever should have read it is cut off. */
const MOST_WAITING = 64 * 1_048_576;

/** What Bun does with the WebSockets of a process. A silent one is pinged, a dead one is found by that. */
export const socketHandlers = (maxBytes: number): Bun.WebSocketHandler<SocketEnd> => ({
  open: (socket) => socket.data.opened(socket),
  message: ({ data }, frame) => {
    if (typeof frame === "string" || !data.receivedBytes) data.received(frame.toString());
    else data.receivedBytes(frame);
  },
  drain: (socket) => socket.data.drained(),
  close: (socket, code, reason) => socket.data.closed(code, reason),
  maxPayloadLength: maxBytes,
  backpressureLimit: MOST_WAITING,
  closeOnBackpressureLimit: true,
  idleTimeout: 30,
  sendPings: true,
});
