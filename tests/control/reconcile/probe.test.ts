import { afterEach, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import type { Instance } from "@berth/store";
import { httpProbe } from "../../../server/control/reconcile/index.ts";
import { until } from "../../e2e/condition.ts";

/** Far more than the probe reads, and than the buffers of both sockets hold. */
const MOST_SENT_BYTES = 134_217_728;
const PIECE = Buffer.alloc(262_144, "a");
const NO_END_MS = 60_000;

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Listens as an instance that sends `head` and then a body without an end. */
async function endless(head: string) {
  const sent = { bytes: 0, connections: 0, closed: 0 };
  const server = createServer((socket) => {
    sent.connections += 1;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sent.closed += 1;
    });
    const pump = () => {
      if (socket.destroyed || sent.bytes > MOST_SENT_BYTES) return;
      sent.bytes += PIECE.length;
      socket.write(PIECE, () => setImmediate(pump));
    };
    socket.once("data", () => socket.write(head, pump));
  });
  servers.push(server);
  return { instance: await listening(server), sent };
}

/** Listens as an instance that answers every request with these bytes. */
async function answering(text: string): Promise<Instance> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(text));
  });
  servers.push(server);
  return listening(server);
}

async function listening(server: Server): Promise<Instance> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : null;
  return { port, address: null, token: "a token", driver: "process", health_path: null } as Instance;
}

const OK = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";

test("an answer without an end is read only for its beginning, and its connection closed", async () => {
  const { instance, sent } = await endless(OK);
  expect(await httpProbe.answers(instance, NO_END_MS)).toBe(true);
  expect(await httpProbe.isReady(instance)).toBe(true);
  expect(await httpProbe.hasOwnAuth(instance)).toBe(false);
  expect(await httpProbe.claim(instance, true)).toBe(true);
  expect(await httpProbe.rest(instance)).toBeUndefined();
  await until("every connection is closed", async () => sent.closed === sent.connections);
  expect(sent.connections).toBe(5);
  expect(sent.bytes).toBeLessThan(MOST_SENT_BYTES);
});

test("a large page is a good health answer", async () => {
  const page = "a".repeat(100_000);
  const instance = await answering(`${OK.trimEnd()}\r\ncontent-length: ${page.length}\r\n\r\n${page}`);
  expect(await httpProbe.isReady(instance)).toBe(true);
});

test("an answer about rest that is not one says nothing", async () => {
  const restOf = async (body: string) => httpProbe.rest(await answering(OK + body));
  const rest = { busy: false, last_request_at: 1, idle_ms: 2.5, next_at: null };
  expect(await restOf(JSON.stringify(rest))).toEqual(rest);
  const others = ["", "<h1>Hello</h1>", "{", "null", "[]", '{"busy":false}'];
  for (const next_at of ["1e400", "1e300", "1.5", '"soon"'])
    others.push(`{"busy":false,"last_request_at":1,"next_at":${next_at}}`);
  for (const other of others) expect([other, await restOf(other)]).toEqual([other, undefined]);
});
