import { BadRequest, Fault } from "@berth/store";
import { callOf } from "./call.ts";
import { networkOf } from "./client-address.ts";
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

/** Our end of a WebSocket. */
export type SocketEnd = {
  /** Whether nothing is read from the connection at present, so that no pong can arrive. */
  readonly isPaused?: boolean;
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

type Upgrade = {
  request: Request;
  server: Connection | null;
  /** The workspace of the deployment that the WebSocket leads to. */
  workspaceId?: string;
};

/**
 * Makes a WebSocket of a request. The answer that Elysia wants is not sent, but it is what the log shows.
 * @throws UpgradeRequired | BadRequest | TooMany
 */
export function becomeSocket(
  { request, server, workspaceId }: Upgrade,
  end: SocketEnd,
  headers?: Record<string, string>,
): Response {
  if (!wantsSocket(request)) throw new UpgradeRequired("This address is for WebSockets");
  const { sockets, client } = callOf(request);
  const release = sockets?.acquire(networkOf(client), workspaceId);
  const data = new OpenSocket(end, release);
  if (server?.upgrade?.(request, { data, ...(headers && { headers }) }))
    return new Response(null, { status: 101 });
  release?.();
  throw new BadRequest("This request cannot become a WebSocket");
}

/** Maximum number of pings in a row that a client leaves without an answer. */
const MAX_UNANSWERED_PINGS = 3;

/** What Bun keeps with a WebSocket. */
export class OpenSocket {
  #unanswered = 0;
  #pings: Timer | undefined;

  constructor(
    readonly end: SocketEnd,
    private readonly release?: () => void,
  ) {}

  /** Cuts the connection once pings of `timeoutMs` are unanswered: a client cannot send a pong within a frame. */
  watch(socket: Socket & { ping(): number }, timeoutMs: number): void {
    this.#pings = setInterval(() => {
      if (this.end.isPaused) return;
      this.#unanswered += 1;
      if (this.#unanswered > MAX_UNANSWERED_PINGS) socket.terminate();
      else socket.ping();
    }, timeoutMs / MAX_UNANSWERED_PINGS);
  }

  /** Notes that a message, a ping or a pong has arrived. */
  arrived(): void {
    this.#unanswered = 0;
  }

  closed(code: number, reason: string): void {
    clearInterval(this.#pings);
    this.release?.();
    this.end.closed(code, reason);
  }
}

/** More than this, and whoever should have read it is cut off. */
const MOST_WAITING = 64 * 1_048_576;

/** Maximum size of a message, in one frame or in fragments: Bun buffers it outside every budget of bodies. */
export const MAX_FRAME_BYTES = 1_048_576;
/** Time limit (ms) for the arrival of a frame. */
const FRAME_TIMEOUT_MS = 60_000;

/** What Bun does with the WebSockets of a process. A silent one is pinged, a dead one is found by that. */
export const socketHandlers = (
  maxBodyBytes: number,
  frameTimeoutMs: number = FRAME_TIMEOUT_MS,
): Bun.WebSocketHandler<OpenSocket> => ({
  open: (socket) => {
    socket.data.watch(socket, frameTimeoutMs);
    socket.data.end.opened(socket);
  },
  message: ({ data }, frame) => {
    data.arrived();
    const { end } = data;
    if (typeof frame === "string" || !end.receivedBytes) end.received(frame.toString());
    else end.receivedBytes(frame);
  },
  ping: ({ data }) => data.arrived(),
  pong: ({ data }) => data.arrived(),
  drain: (socket) => socket.data.end.drained(),
  close: (socket, code, reason) => socket.data.closed(code, reason),
  maxPayloadLength: Math.min(maxBodyBytes, MAX_FRAME_BYTES),
  backpressureLimit: MOST_WAITING,
  closeOnBackpressureLimit: true,
  idleTimeout: 30,
  sendPings: true,
});
