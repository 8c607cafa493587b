import { afterAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { callOf } from "../../server/http/call.ts";
import { renderError } from "../../server/http/errors.ts";
import { becomeSocket, MAX_FRAME_BYTES, socketHandlers } from "../../server/http/socket.ts";
import { SocketLimit } from "../../server/http/socket-limit.ts";
import { TooMany } from "../../server/http/too-many.ts";
import { knock } from "../e2e/socket-knock.ts";

describe("the number of open WebSockets", () => {
  test("is limited per client, per workspace and in total", () => {
    const limit = new SocketLimit({ total: 4, perClient: 2, perWorkspace: 1 });
    const release = limit.acquire("a");
    limit.acquire("a", "w");
    expect(() => limit.acquire("a")).toThrow(TooMany);
    expect(() => limit.acquire("b", "w")).toThrow(TooMany);
    limit.acquire("b", "v");
    limit.acquire("c");
    expect(() => limit.acquire("d")).toThrow(TooMany);
    release();
    release();
    limit.acquire("d");
    expect(() => limit.acquire("e")).toThrow(TooMany);
  });
});

describe("the WebSockets of a process", () => {
  const sockets = new SocketLimit({ total: 100, perClient: 2, perWorkspace: 1 });
  const received: number[] = [];
  const closes: number[] = [];
  const end = () => ({
    opened: () => undefined,
    received: (text: string) => void received.push(text.length),
    drained: () => undefined,
    closed: (code: number) => void closes.push(code),
  });
  const serve = (frameTimeoutMs?: number) =>
    Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request, server) {
        const call = callOf(request);
        call.client = request.headers.get("x-client") ?? "someone";
        call.sockets = sockets;
        try {
          return becomeSocket({ request, server: server as never }, end());
        } catch (error) {
          return renderError(error, request);
        }
      },
      websocket: socketHandlers(33_554_432, frameTimeoutMs),
    });
  const quick = serve(300);
  const server = serve();
  afterAll(async () => {
    await Promise.all([quick.stop(true), server.stop(true)]);
  });

  /** Opens a WebSocket and sends `bytes` as they are. */
  async function opened({ port = 0 }: { port?: number | undefined }, bytes: Uint8Array): Promise<Socket> {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `GET / HTTP/1.1\r\nhost: localhost\r\nx-client: ${crypto.randomUUID()}\r\nconnection: upgrade\r\n` +
        "upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    await new Promise((resolve) => socket.once("data", resolve));
    socket.resume();
    socket.write(bytes);
    return socket;
  }

  /** The head of a masked text frame. */
  function frameHead(length: number): Uint8Array {
    const head = Buffer.alloc(14);
    head.writeUInt16BE(0x81ff);
    head.writeBigUInt64BE(BigInt(length), 2);
    return head;
  }

  test("a frame that does not complete is cut off, though bytes keep arriving", async () => {
    const socket = await opened(quick, frameHead(100_000));
    const trickle = setInterval(() => socket.write("x"), 50);
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(trickle);
    expect(closes.at(-1)).toBe(1_006);
  });

  test("a silent client that answers pings stays", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${quick.port}`, {
      headers: { "x-client": "silent" },
    } as never);
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    let pings = 0;
    await new Promise<void>((resolve) => {
      socket.addEventListener("ping" as never, () => {
        pings += 1;
        if (pings === 10) resolve();
      });
    });
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.close();
  });

  test("a larger frame than the limit closes the WebSocket as soon as it is announced", async () => {
    const socket = await opened(server, frameHead(MAX_FRAME_BYTES + 1));
    await new Promise((resolve) => socket.once("close", resolve));
    const largest = new WebSocket(`ws://127.0.0.1:${server.port}`);
    await new Promise((resolve) => largest.addEventListener("open", resolve));
    largest.send("x".repeat(MAX_FRAME_BYTES));
    while (!received.includes(MAX_FRAME_BYTES)) await Bun.sleep(5);
    largest.close();
  });

  test("one more than a client may have is 429, and room comes back", async () => {
    const headers = { "x-client": "greedy" };
    const two = [1, 2].map(() => new WebSocket(`ws://127.0.0.1:${server.port}`, { headers } as never));
    await Promise.all(two.map((socket) => new Promise((done) => socket.addEventListener("open", done))));
    const url = `http://127.0.0.1:${server.port}`;
    expect(await knock(url, headers)).toBe(429);
    expect(await knock(url, { "x-client": "other" })).toBe(101);
    two[0]?.close();
    while ((await knock(url, headers)) !== 101) await Bun.sleep(20);
    two[1]?.close();
  });
});
