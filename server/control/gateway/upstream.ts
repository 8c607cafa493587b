import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from "node:http";
import { request as requestSecurely, Agent as SecureAgent } from "node:https";
import { TooLarge } from "@berth/store";
import { bodyPieces } from "../../http/index.ts";

/** A request as it goes to an instance. */
export type Order = {
  /** Where it goes: a port of this machine, or another Berth. */
  to: number | URL;
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  /** Bytes that are at hand can be sent again. */
  body: Uint8Array | ReadableStream<Uint8Array> | null;
  /** Aborts when the caller goes away. */
  signal: AbortSignal;
  /** Most bytes of a body. */
  maxBytes: number;
  /** Asked once connected: whether it still is the instance that has this port. */
  isThere?: (() => boolean) | undefined;
};

/** An instance gave no answer. */
export class NoAnswer extends Error {
  override name = "NoAnswer";

  /** @param reached whether the request may have got there, and something may have come of it */
  constructor(
    readonly reached: boolean,
    options: ErrorOptions = {},
  ) {
    super("The instance did not answer", options);
  }
}

// Servers close a connection after some seconds of silence, five at the least: who lets go first never meets a closed door.
const SILENT_MS = 4_000;

// Not `fetch`: that has 256 requests open at most, and takes a proxy of the environment for loopback as well.
const settings = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, timeout: SILENT_MS };
const connections = new Agent(settings);
const secureConnections = new SecureAgent(settings);

type RequestHead = { method: string; path: string; headers: OutgoingHttpHeaders; agent?: false };

/** Begins a request; with `agent: false` on a connection of its own. */
export function begin(to: Order["to"], how: RequestHead) {
  const agent = how.agent ?? connections;
  if (typeof to === "number") return request({ ...how, host: "127.0.0.1", port: to, agent });
  const { hostname, port, protocol } = to;
  // Brackets are of addresses in URLs only.
  const where = {
    ...how,
    host: hostname.replace(/^\[|\]$/g, ""),
    ...(port !== "" && { port: Number(port) }),
  };
  return protocol === "https:"
    ? requestSecurely({ ...where, agent: how.agent ?? secureConnections })
    : request({ ...where, agent });
}

/**
 * Sends a request to this machine's own port, or to another Berth, and resolves with the beginning of the answer.
 * @throws NoAnswer, TooLarge
 */
export function send(order: Order): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { to, method, path, headers, body, signal, isThere = () => true } = order;
  const sent = begin(to, { method, path, headers });
  const leave = () => sent.destroy();
  sent.once("response", (message) => {
    // Without a listener, a connection that breaks after the answer would be nobody's error.
    message.on("error", () => undefined);
    resolve(message);
  });
  sent.on("error", (cause) => reject(new NoAnswer(hasReached(cause), { cause })));
  sent.once("close", () => signal.removeEventListener("abort", leave));
  // A handshake that succeeds is none of ours: it was repeated to learn why it had failed.
  sent.once("upgrade", (_message, socket) => {
    socket.destroy();
    reject(new NoAnswer(true));
  });
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  whenConnected(sent, () => {
    if (!isThere()) {
      reject(new NoAnswer(false));
      sent.destroy();
    } else if (body instanceof ReadableStream)
      pump(body, sent, order.maxBytes).catch((error) => {
        reject(error);
        sent.destroy();
      });
    else sent.end(body ?? undefined);
  });
  return promise;
}

/**
 * Nothing is sent before there is somebody to take it: until then a body can be sent elsewhere, and what listens may
 * turn out to be a stranger, who took the port while the connection was made.
 */
function whenConnected(sent: ClientRequest, go: () => unknown): void {
  sent.once("socket", (socket) => {
    if (socket.connecting) socket.once("connect", go);
    else go();
  });
}

/** Passes a body on as it comes, no faster than it is taken. @throws TooLarge | BodyTimeout | BadRequest */
async function pump(body: ReadableStream<Uint8Array>, sent: ClientRequest, maxBytes: number): Promise<void> {
  let size = 0;
  for await (const chunk of bodyPieces(body)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    if (!sent.write(chunk)) await room(sent);
    if (sent.destroyed) return;
  }
  sent.end();
}

export const tooLarge = (maxBytes: number): TooLarge =>
  new TooLarge(`Request body is larger than the limit of ${maxBytes} bytes`);

function room(sent: ClientRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const go = () => {
    sent.off("drain", go).off("close", go);
    resolve();
  };
  sent.once("drain", go).once("close", go);
  return promise;
}

/** Where nobody listens, not a byte has left. */
const hasReached = (cause: Error): boolean => !("code" in cause && NEVER_THERE.has(String(cause.code)));

const NEVER_THERE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ConnectionRefused",
]);

export const isStream = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"]?.startsWith("text/event-stream") === true;
