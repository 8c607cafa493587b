import { BadRequest, Fault } from "@berth/store";
import type { Connection } from "./operation.ts";

/** A connection as those who talk over it see it. */
export type Socket = {
  send(text: string): number;
  close(code?: number, reason?: string): void;
  /** Cuts the connection, whatever still waits to leave. */
  terminate(): void;
  getBufferedAmount(): number;
};

/** Our end of a WebSocket; Bun keeps it with the connection. */
export type SocketEnd = {
  opened(socket: Socket): void;
  received(text: string): void;
  /** Some of what waited has left. */
  drained(): void;
  closed(): void;
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
): Response {
  if (!wantsSocket(request)) throw new UpgradeRequired("This address is for WebSockets");
  if (server?.upgrade?.(request, { data: end })) return new Response(null, { status: 101 });
  throw new BadRequest("This request cannot become a WebSocket");
}

/** More than this, and whoever should have read it is cut off. */
const MOST_WAITING = 64 * 1_048_576;

/** What Bun does with the WebSockets of a process. A silent one is pinged, a dead one is found by that. */
export const socketHandlers = (maxBytes: number): Bun.WebSocketHandler<SocketEnd> => ({
  open: (socket) => socket.data.opened(socket),
  message: (socket, frame) => socket.data.received(frame.toString()),
  drain: (socket) => socket.data.drained(),
  close: (socket) => socket.data.closed(),
  maxPayloadLength: maxBytes,
  backpressureLimit: MOST_WAITING,
  closeOnBackpressureLimit: true,
  idleTimeout: 30,
  sendPings: true,
});
