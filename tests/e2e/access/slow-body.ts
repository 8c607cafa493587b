import { WAIT_LIMIT_MS } from "../../limits.ts";

/** What a request says it sends, and what of it is sent. */
const DECLARED_BYTES = 1_000_000;

/** A request whose body never arrives. */
export type SlowRequest = { method: string; path: string; headers: Readonly<Record<string, string>> };

/** Berth waited for the body, until it took too long. */
const BODY_TIMEOUT = 408;

/**
 * Sends a request's head and the first byte of its body.
 * @returns the status of the answer; undefined where Berth waits for the body
 */
export async function statusBeforeBody(
  base: string,
  { method, path, headers }: SlowRequest,
): Promise<number | undefined> {
  const { hostname, port, host } = new URL(base);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, data) => resolve(Number(data.toString().split(" ")[1])),
      close: () => resolve(undefined),
    },
  });
  const lines = Object.entries({
    host,
    "content-type": "application/json",
    "content-length": String(DECLARED_BYTES),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n{`);
  const limit = setTimeout(() => resolve(undefined), WAIT_LIMIT_MS);
  try {
    const status = await promise;
    return status === BODY_TIMEOUT ? undefined : status;
  } finally {
    clearTimeout(limit);
    socket.end();
  }
}
