import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { type GatewayRig, gatewayRig, SERVICE_KEY } from "./gateway-rig.ts";

const MEBIBYTE = 1_048_576;
/** Sizes of what is sent and of what the process may grow by. */
const SENT_MEBIBYTES = 100;
const MAX_GROWTH = 50 * MEBIBYTE;
const TEXT = 0x01;
const FINAL = 0x80;
const CLOSE_1009 = Buffer.from([0x03, 0xf1]);

let rig: GatewayRig;
beforeAll(async () => {
  rig = await gatewayRig();
});
afterAll(() => rig.stop());

/** The head of a frame of a server. */
function head(first: number, length: number): Buffer {
  const bytes = Buffer.from([first, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}

/** A deployment that accepts a WebSocket and then sends `pieces` as they are, as fast as they are read. */
async function rawSocketInstance(pieces: () => Iterable<Buffer>, { isPaused = false } = {}) {
  const received: Buffer[] = [];
  let resume = () => {};
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("close", () => resolve());
    socket.once("data", (request) => {
      const key = /sec-websocket-key: (.+)\r\n/i.exec(String(request))?.[1];
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
          `sec-websocket-accept: ${accept}\r\n\r\n`,
      );
      socket.on("data", (bytes: Buffer) => received.push(bytes));
      resume = () => void socket.resume();
      if (isPaused) socket.pause();
      void sendAll(socket, pieces());
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const place = server.address();
  const port = typeof place === "object" && place !== null ? place.port : 0;
  return { port, received, closed, resume: () => resume(), stop: () => server.close() };
}

async function sendAll(socket: Socket, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    await new Promise((sent) => {
      socket.once("close", sent);
      socket.write(piece, () => {
        socket.off("close", sent);
        sent(undefined);
      });
    });
  }
}

/** What a client of the WebSocket gets until that is closed. */
async function visit(port: number, name: string) {
  const deployment = await rig.deployment(name);
  const { id } = await rig.serve(deployment, port);
  const address = `${rig.url.replace("http", "ws")}/d/${deployment}/socket`;
  const socket = new WebSocket(address, { headers: { "x-api-key": SERVICE_KEY } } as never);
  const messages: unknown[] = [];
  socket.addEventListener("message", ({ data }) => messages.push(data));
  const code = await new Promise<number>((resolve) => {
    socket.addEventListener("close", (event) => resolve(event.code));
  });
  while (rig.gateway.inFlight(id) > 0) await Bun.sleep(5);
  return { code, messages };
}

/** The first frame of a client, unmasked. */
function firstFrame(bytes: Buffer): { opcode: number; payload: Buffer } {
  const length = (bytes[1] ?? 0) & 0x7f;
  const mask = bytes.subarray(2, 6);
  const payload = bytes.subarray(6, 6 + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: Buffer.from(payload) };
}

const filling = Buffer.alloc(MEBIBYTE, 97);

const attacks: [string, () => Iterable<Buffer>][] = [
  [
    "one-frame",
    function* () {
      yield head(FINAL | TEXT, 120 * MEBIBYTE);
      for (let sent = 0; sent < SENT_MEBIBYTES; sent += 1) yield filling;
    },
  ],
  [
    "fragments",
    function* () {
      for (let sent = 0; sent < SENT_MEBIBYTES; sent += 1) {
        yield head(sent === 0 ? TEXT : 0, MEBIBYTE);
        yield filling;
      }
    },
  ],
];

for (const [name, pieces] of attacks)
  test(`a message of a deployment that is too large is not buffered, and closes both sides: ${name}`, async () => {
    const instance = await rawSocketInstance(pieces);
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let most = before;
    const look = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 5);
    try {
      expect(await visit(instance.port, name)).toEqual({ code: 1_009, messages: [] });
      await instance.closed;
      const { opcode, payload } = firstFrame(Buffer.concat(instance.received));
      expect([opcode, payload.subarray(0, 2)]).toEqual([8, CLOSE_1009]);
      expect(most - before).toBeLessThan(MAX_GROWTH);
    } finally {
      clearInterval(look);
      instance.stop();
    }
  });

test("a message of 8 MiB passes, in fragments with a ping between them that is answered", async () => {
  const instance = await rawSocketInstance(function* () {
    for (let sent = 0; sent < 8; sent += 1) {
      yield head(sent === 0 ? TEXT : sent < 7 ? 0 : FINAL, MEBIBYTE);
      yield filling;
      if (sent === 0) yield Buffer.from([0x89, 2, 104, 105]);
    }
    yield Buffer.from([0x88, 2, 0x0f, 0xa1]);
  });
  try {
    const { code, messages } = await visit(instance.port, "large");
    expect([code, messages.length]).toEqual([4_001, 1]);
    expect(messages[0] === "a".repeat(8 * MEBIBYTE)).toBe(true);
    await instance.closed;
    expect(firstFrame(Buffer.concat(instance.received))).toEqual({ opcode: 10, payload: Buffer.from("hi") });
  } finally {
    instance.stop();
  }
});

test("a caller that sends faster than the deployment reads is paused, and all of it arrives", async () => {
  const instance = await rawSocketInstance(() => [], { isPaused: true });
  const deployment = await rig.deployment("slow-reader");
  await rig.serve(deployment, instance.port);
  const address = `${rig.url.replace("http", "ws")}/d/${deployment}/socket`;
  const socket = new WebSocket(address, { headers: { "x-api-key": SERVICE_KEY } } as never);
  try {
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    const message = new Uint8Array(MEBIBYTE / 2);
    for (let sent = 0; sent < 100; sent += 1) socket.send(message);
    let waiting = -1;
    while (waiting !== socket.bufferedAmount) {
      waiting = socket.bufferedAmount;
      await Bun.sleep(500);
    }
    expect(waiting).toBeGreaterThan(20 * MEBIBYTE);
    instance.resume();
    while (instance.received.reduce((sum, { length }) => sum + length, 0) < 50 * MEBIBYTE)
      await Bun.sleep(20);
  } finally {
    socket.close();
    instance.stop();
  }
});
