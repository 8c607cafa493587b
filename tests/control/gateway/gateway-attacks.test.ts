import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { answeredHeaders } from "../../../server/control/gateway/response-headers.ts";
import { type GatewayRig, gatewayRig, SERVICE_KEY } from "./gateway-rig.ts";
import { ask, scriptedInstance } from "./scripted-instance.ts";

const instance = scriptedInstance();
let rig: GatewayRig;
let id: string;
beforeAll(async () => {
  rig = await gatewayRig();
  id = await rig.deployment("one");
  await rig.serve(id, instance.port);
});
afterAll(async () => {
  await rig.stop();
  await instance.stop();
});

/** Sends bytes as they are, and is gone when something comes back. */
function sendRaw(text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(new URL(rig.url).port), "127.0.0.1", () => socket.write(text));
  socket.once("data", () => socket.destroy());
  socket.once("error", () => socket.destroy());
  socket.once("close", () => resolve());
  return promise;
}

describe("a request that says more than it sends", () => {
  const head = (extra: string[]) =>
    [`GET /d/${id}/forged HTTP/1.1`, "Host: x", `X-Api-Key: ${SERVICE_KEY}`, ...extra, "", ""].join("\r\n");
  const handshake = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const socketKey = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

  test.each([
    ["a body that never comes", ["Content-Length: 40"]],
    ["a large one", ["Content-Length: 300000"]],
    ["a handshake", [...handshake, socketKey, "Content-Length: 40"]],
  ])("takes nothing of the next one's: %s", async (_, extra) => {
    const answers = [];
    for (let round = 0; round < 10; round += 1) {
      await sendRaw(head(extra));
      answers.push(ask(rig.url, `/d/${id}/next`, { headers: { "x-api-key": SERVICE_KEY } }));
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses).toEqual(Array(10).fill(200));
    for (const { path } of instance.seen) expect(["/forged", "/next"]).toContain(path);
  });
});

test("nobody is led to another server by an address of ours", async () => {
  for (const id of ["https:evil.example", "http:evil.example", "%5C%5Cevil.example"]) {
    const { status, headers } = await ask(rig.url, `/d/${id}?a=b`);
    const { href } = new URL(headers.location ?? "", `${rig.url}/d/${id}`);
    expect([status, href]).toEqual([308, `${rig.url}/d/${id}/?a=b`]);
  }
});

describe("what a deployment answers to a browser", () => {
  const answered = (...rawHeaders: string[]) =>
    answeredHeaders({ status: 200, rawHeaders }, { prefix: "/d/1", host: "berth.example", at: 1 });

  test.each([
    "berth_session =theirs",
    "berth_session\t=theirs",
    "=berth_session=theirs",
    "berth_session",
    "__Host-x=1",
  ])("our cookie is not set by other spellings: %p", (cookie) => {
    expect(answered("Set-Cookie", `${cookie}; Path=/`).getSetCookie()).toEqual([]);
  });

  test.each(["Path =/", "path\t= /", " Domain =example.com", "PATH=/; path=/"])(
    "a cookie stays in its corner: %p",
    (attribute) => {
      expect(answered("Set-Cookie", `a=1; ${attribute}; HttpOnly`).getSetCookie()).toEqual([
        "a=1; Path=/d/1/; HttpOnly",
      ]);
    },
  );

  test.each([
    [["application/json, text/html"]],
    [["application/json", "text/html"]],
    [["application/json;a=b,text/html"]],
    [["application/json text/html"]],
    [["application/jsonp"]],
    [["text/html"]],
    [[]],
  ])("what could be a page has an origin of its own: %p", (types: string[]) => {
    const headers = answered(...types.flatMap((type) => ["Content-Type", type]));
    expect(headers.get("content-security-policy")).toStartWith("sandbox ");
  });

  test.each([
    "application/json",
    "application/problem+json; charset=utf-8",
    'text/event-stream;charset="utf-8"',
  ])("what is none needs none: %p", (type) => {
    const headers = answered("Content-Type", type);
    expect(headers.get("content-security-policy")).toBeNull();
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});
