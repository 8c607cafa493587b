import { afterAll, beforeAll, expect, test } from "bun:test";
import { request } from "node:http";
import { SocketLimit } from "../../../server/http/socket-limit.ts";
import { knock } from "../../e2e/socket-knock.ts";
import { type GatewayRig, gatewayRig, SERVICE_KEY } from "./gateway-rig.ts";
import { ask, scriptedInstance } from "./scripted-instance.ts";

const instance = scriptedInstance();
let rig: GatewayRig;
let id: string;
let serving: string;
beforeAll(async () => {
  rig = await gatewayRig();
  id = await rig.deployment("one");
  serving = (await rig.serve(id, instance.port)).id;
});
afterAll(async () => {
  await rig.stop();
  await instance.stop();
});

/** Opens a socket and collects what it brings. */
async function open(path = "/socket", protocols: string[] = []) {
  const address = `${rig.url.replace("http", "ws")}/d/${id}${path}`;
  const options: Bun.WebSocketOptions = { headers: { "x-api-key": SERVICE_KEY }, protocols };
  const Client = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket;
  const socket = new Client(address, options);
  socket.binaryType = "nodebuffer";
  const frames: (string | Buffer)[] = [];
  let wake = () => {};
  socket.addEventListener("message", ({ data }) => {
    frames.push(data);
    wake();
  });
  const closed = new Promise<[number, string]>((resolve) =>
    socket.addEventListener("close", ({ code, reason }) => resolve([code, reason])),
  );
  const next = async (): Promise<string | Buffer> => {
    while (frames.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return frames.shift() ?? "";
  };
  expect(await next()).toBe("hello from instance");
  return { socket, next, closed, frames };
}

test("text and bytes pass both ways, large ones too, and the protocol that was chosen", async () => {
  const { socket, next } = await open("/socket?x=1", ["one", "two"]);
  expect(socket.protocol).toBe("two");
  expect(rig.gateway.inFlight(serving)).toBe(1);
  for (const frame of ["text", "", "ünï", "x".repeat(1_000_000)]) {
    socket.send(frame);
    expect(await next()).toBe(frame);
  }
  socket.send(new Uint8Array([0, 255, 1]));
  expect(await next()).toEqual(Buffer.from([0, 255, 1]));
  socket.close(3_001, "enough");
  while (!instance.gone.includes("socket 3001 enough")) await Bun.sleep(5);
  while (rig.gateway.inFlight(serving) > 0) await Bun.sleep(5);
});

test("who leaves while the instance is silent is not waited for", async () => {
  const deployment = await rig.deployment("silent");
  let knocks = 0;
  const silent = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: () => {
        knocks += 1;
      },
      data: () => undefined,
    },
  });
  try {
    const { id: instanceId } = await rig.serve(deployment, silent.port);
    const knock = request(`${rig.url}/d/${deployment}/socket`, {
      headers: {
        "x-api-key": SERVICE_KEY,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    });
    knock.on("error", () => undefined);
    knock.end();
    while (knocks === 0) await Bun.sleep(5);
    expect(rig.gateway.inFlight(instanceId)).toBe(1);
    knock.destroy();
    while (rig.gateway.inFlight(instanceId) > 0) await Bun.sleep(5);
  } finally {
    silent.stop(true);
  }
});

test("the instance's close reaches the caller with its code; its crash as a lost connection", async () => {
  for (const code of [1_000, 1_001, 4_404]) {
    const { socket, closed } = await open();
    socket.send(`close ${code}`);
    expect(await closed).toEqual([code, "as you wish"]);
  }
  const { socket, closed } = await open();
  socket.send("crash");
  expect((await closed)[0]).toBe(1_006);
});

test("a caller that is lost is lost to the instance, too", async () => {
  const { socket } = await open();
  instance.gone.length = 0;
  socket.terminate();
  while (!instance.gone.some((line) => line.startsWith("socket 1006"))) await Bun.sleep(5);
});

test("whoever reads slowly gets everything, later", async () => {
  const { socket, frames } = await open();
  socket.pause();
  socket.send("flood");
  await Bun.sleep(300);
  expect(frames).toEqual([]);
  socket.resume();
  while (frames.length < 24) await Bun.sleep(5);
  expect(frames.every(({ length }) => length === 262_144)).toBe(true);
  socket.close();
});

test("a refused handshake gives the instance's reason, or ours", async () => {
  const shake = (path: string, key = SERVICE_KEY) =>
    ask(rig.url, path, {
      headers: {
        ...{ connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13", "x-api-key": key },
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    });
  const refused = await shake(`/d/${id}/refused`);
  expect([refused.status, refused.body]).toEqual([404, '{"detail":"not here"}']);
  expect((await shake(`/d/${id}/socket`, "wrong")).status).toBe(401);
  const waiting = await rig.deployment("waiting");
  expect((await shake(`/d/${waiting}/socket`)).status).toBe(503);
});

test("a workspace has a limited number of sockets, and another one its own", async () => {
  const sockets = new SocketLimit({ total: 10, perClient: 10, perWorkspace: 2 });
  const limited = await gatewayRig({ sockets });
  try {
    const deployment = await limited.deployment("limited");
    const { id: instanceId } = await limited.serve(deployment, instance.port);
    const { id: workspaceId } = await limited.addWorkspace("other");
    const others = await limited.deployment("others", workspaceId);
    await limited.serve(others, instance.port);
    const headers = { "x-api-key": SERVICE_KEY };
    const address = `${limited.url}/d/${deployment}/socket`;
    const opened = Array.from(
      { length: 2 },
      () => new WebSocket(address.replace("http", "ws"), { headers } as never),
    );
    await Promise.all(
      opened.map((socket) => new Promise((done) => socket.addEventListener("open", done, { once: true }))),
    );
    expect(await knock(address, headers)).toBe(429);
    expect(limited.gateway.inFlight(instanceId)).toBe(2);
    expect(await knock(`${limited.url}/d/${others}/socket`, headers)).toBe(101);
    for (const socket of opened) socket.close();
    while (limited.gateway.inFlight(instanceId) > 0) await Bun.sleep(5);
    expect(await knock(address, headers)).toBe(101);
  } finally {
    await limited.stop();
  }
});

test("a frame larger than a caller may send closes the socket", async () => {
  const { socket, closed } = await open();
  socket.send("x".repeat(1_048_577));
  expect((await closed)[0]).not.toBe(1_000);
});

test("when Berth stops, callers come back", async () => {
  const other = await gatewayRig();
  const deployment = await other.deployment("stopping");
  await other.serve(deployment, instance.port);
  const socket = new WebSocket(`${other.url.replace("http", "ws")}/d/${deployment}/socket`, {
    headers: { "x-api-key": SERVICE_KEY },
  } as never);
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve(code)),
  );
  await new Promise((resolve) => socket.addEventListener("message", resolve));
  await other.stop();
  expect([1_001, 1_006]).toContain(await closed);
});
