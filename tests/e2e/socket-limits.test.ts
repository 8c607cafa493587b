import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { type BerthProcess, start } from "./berth-process.ts";
import { knock } from "./socket-knock.ts";

const PER_CLIENT = 256;
const MEBIBYTE = 1_048_576;
/** What 16 buffered frames of 31 MiB would pass by far. */
const MAX_GROWTH_KB = 150_000;

let berth: BerthProcess;
beforeAll(async () => {
  berth = await start();
});
afterAll(async () => {
  await berth.stop();
});

const residentKb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${berth.pid}/status`, "utf8"))?.[1]);

/** Opens a WebSocket of the thread protocol, without a library, so that a frame can stay incomplete. */
async function openSocket(): Promise<Socket> {
  const socket = connect(Number(new URL(berth.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `GET /threads/${crypto.randomUUID()}/stream HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n` +
      "upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const answer = await new Promise((resolve) => socket.once("data", resolve));
  expect(String(answer)).toStartWith("HTTP/1.1 101");
  return socket.resume();
}

test("large frames that do not complete are not buffered", async () => {
  const before = residentKb();
  const sockets = await Promise.all(Array.from({ length: 16 }, openSocket));
  const head = Buffer.alloc(14);
  head.writeUInt16BE(0x81ff);
  head.writeBigUInt64BE(32n * BigInt(MEBIBYTE), 2);
  const closed = sockets.map((socket) => {
    const isClosed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(head);
    for (let sent = 0; sent < 31; sent += 1) socket.write(Buffer.alloc(MEBIBYTE, 97));
    return isClosed;
  });
  await Promise.all(closed);
  expect(residentKb() - before).toBeLessThan(MAX_GROWTH_KB);
  expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
});

test("a client has a limited number of WebSockets", async () => {
  const address = `${berth.url}/threads/${crypto.randomUUID()}/stream`;
  const sockets = await Promise.all(Array.from({ length: PER_CLIENT }, openSocket));
  expect(await knock(address, {})).toBe(429);
  for (const socket of sockets.slice(0, 10)) socket.destroy();
  while ((await knock(address, {})) !== 101) await Bun.sleep(20);
  for (const socket of sockets) socket.destroy();
});
