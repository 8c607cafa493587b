import { afterAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { Type } from "@sinclair/typebox";
import { closed } from "../../server/access/index.ts";
import { json } from "../../server/http/answer.ts";
import { sse, waitJson } from "../../server/http/answer-stream.ts";
import { operation } from "../../server/http/operation.ts";
import type { StreamEnd } from "../../server/http/text-stream.ts";
import { httpApp, until } from "./http-app.ts";

const answers = { 200: "Stream" };
const ends: Record<string, StreamEnd[]> = {};
const cleaned = new Set<string>();
const aborted = new Set<string>();
let produced = 0;
let resolveResult: (text: string) => void = () => {};

const note = (name: string) => ({
  onClose: (end: StreamEnd) => {
    ends[name] = [...(ends[name] ?? []), end];
  },
});

/** Yields `items`, then waits until the reader has gone. */
async function* thenSilence(name: string, items: string[], gone: AbortSignal) {
  try {
    yield* items;
    await new Promise<void>((resolve) => {
      const wake = () => {
        aborted.add(name);
        resolve();
      };
      if (gone.aborted) wake();
      gone.addEventListener("abort", wake);
    });
  } finally {
    cleaned.add(name);
  }
}

async function* flood() {
  for (;;) {
    produced += 1;
    yield "x".repeat(10_000);
  }
}

const stream = (path: string, handle: Parameters<typeof operation>[1]) =>
  operation(
    { method: "GET", path, access: closed, bodyLimit: "none", tag: "Streams", summary: path, answers },
    handle,
  );

const { app } = httpApp({
  maxBodyBytes: 100_000,
  operations: () => [
    stream("/finite", (input) =>
      sse(
        input,
        (async function* () {
          for (let at = 0; at < 1_000; at++) yield `id: ${at}\nevent: e\ndata: ${at}\n\n`;
        })(),
        { headers: { "content-location": "/threads/t/runs/r" }, ...note("finite") },
      ),
    ),
    stream("/silent", (input) =>
      sse(input, (gone) => thenSilence("silent", ["data: 1\n\n"], gone), { beatMs: 20, ...note("silent") }),
    ),
    stream("/never", (input) => sse(input, (gone) => thenSilence("never", [], gone), note("never"))),
    stream("/broken", (input) =>
      sse(
        input,
        (async function* () {
          yield "data: 1\n\n";
          throw new Error("the log went away");
        })(),
        note("broken"),
      ),
    ),
    stream("/flood", (input) => sse(input, flood(), note("flood"))),
    stream("/wait", (input) =>
      waitJson(input, new Promise<string>((resolve) => (resolveResult = resolve)), {
        beatMs: 20,
        ...note("wait"),
      }),
    ),
    stream("/wait-broken", (input) =>
      waitJson(input, Promise.reject(new Error("gone")), note("wait-broken")),
    ),
    operation(
      {
        method: "POST",
        path: "/take",
        access: closed,
        bodyLimit: "process",
        tag: "Streams",
        summary: "Take",
        body: Type.Unknown(),
        answers,
      },
      ({ body }) => json({ length: String(body).length }),
    ),
  ],
});

const silence = () => new Response(new ReadableStream({ start: (controller) => controller.enqueue("x") }));
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 2,
  fetch: (request) => (request.url.endsWith("/control") ? silence() : app.fetch(request)),
});
app.server = server;
afterAll(() => server.stop(true));

type Raw = { text(): string; ended(): boolean; reset(): boolean; socket: Socket };

/** A connection on which nothing hides the bytes; `send` is written as it is. */
function raw(send: string): Raw {
  let text = "";
  let ended = false;
  let reset = false;
  const socket = connect(Number(server.port), "127.0.0.1", () => socket.write(send));
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("end", () => {
    ended = true;
  });
  socket.on("error", () => {
    reset = true;
  });
  return { text: () => text, ended: () => ended, reset: () => reset, socket };
}

const get = (path: string) => raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);

describe("server-sent events", () => {
  test("arrive whole, in order, and end cleanly", async () => {
    const response = await fetch(new URL("/finite", server.url));
    const text = await response.text();
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("content-location")).toBe("/threads/t/runs/r");
    const ids = [...text.matchAll(/^data: (\d+)$/gm)].map(([, at]) => Number(at));
    expect(ids).toEqual(Array.from({ length: 1_000 }, (_, at) => at));
    expect(ends.finite).toEqual(["done"]);
  });

  test("what is at hand together leaves in few chunks", async () => {
    const connection = get("/finite");
    await until(() => connection.text().includes("\r\n0\r\n"), "the end of the stream");
    connection.socket.destroy();
    const chunks = connection.text().match(/\r\n[0-9a-f]+\r\n/g) ?? [];
    expect(chunks.length).toBeLessThan(50);
  });

  test("headers leave before there is an event", async () => {
    const connection = get("/never");
    await until(() => connection.text().includes("\r\n\r\n"), "headers");
    expect(connection.text()).toContain("HTTP/1.1 200");
    expect(connection.text()).toMatch(/X-Request-Id|x-request-id/);
    connection.socket.destroy();
    await until(() => ends.never?.length === 1, "the end was noticed");
    expect(ends.never).toEqual(["disconnected"]);
  });

  test("a heartbeat is a comment line with no blank line behind it", async () => {
    const connection = get("/silent");
    await until(() => connection.text().split(": heartbeat\n").length > 3, "three heartbeats");
    connection.socket.destroy();
    const body = connection.text().slice(connection.text().indexOf("\r\n\r\n") + 4);
    const sent = body.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, "").replaceAll("\r\n", "");
    expect(sent).toMatch(/^: heartbeat\ndata: 1\n\n(?:: heartbeat\n)+$/);
  });

  test("a reader that goes away wakes and cleans up its source, once", async () => {
    ends.silent = [];
    aborted.clear();
    cleaned.clear();
    const connection = get("/silent");
    await until(() => connection.text().includes("data: 1"), "the first event");
    connection.socket.destroy();
    await until(() => cleaned.has("silent"), "the source's finally ran");
    expect(aborted.has("silent")).toBe(true);
    expect(ends.silent).toEqual(["disconnected"]);
  });

  test("a source that throws delivers what it gave and tears the connection down", async () => {
    const connection = get("/broken");
    await until(() => connection.reset() || connection.ended(), "the connection went down");
    expect(connection.text()).toContain("data: 1\n\n");
    expect(connection.text()).not.toContain("\r\n0\r\n\r\n");
    expect(ends.broken).toEqual(["failed"]);
    const again = fetch(new URL("/broken", server.url)).then((response) => response.text());
    expect(await again.catch((error: unknown) => error)).toBeInstanceOf(Error);
  });

  test("a slow reader stops its source instead of filling the memory", async () => {
    const connection = get("/flood");
    await until(() => connection.text() !== "", "the first bytes");
    connection.socket.pause();
    let before = -1;
    let quiet = 0;
    await until(() => {
      quiet = produced === before ? quiet + 1 : 0;
      before = produced;
      return quiet >= 20;
    }, "the source stood still");
    connection.socket.resume();
    await until(() => produced > before, "the source went on");
    connection.socket.destroy();
    await until(() => ends.flood?.length === 1, "the end was noticed");
  });

  test("a silent stream outlives the idle timeout of its server", async () => {
    const connection = get("/never");
    const control = get("/control");
    await until(() => control.ended() || control.reset(), "the timeout struck the stream that is not ours");
    expect(connection.ended()).toBe(false);
    ends.never = [];
    connection.socket.destroy();
    await until(() => ends.never?.length === 1, "the end was noticed");
  });

  test("many readers that go away leave nothing behind", async () => {
    ends.never = [];
    const connections = Array.from({ length: 100 }, () => get("/never"));
    await until(() => connections.every(({ text }) => text() !== ""), "all are connected");
    for (const { socket } of connections) socket.destroy();
    await until(() => ends.never?.length === 100, "all ends were noticed");
  });

  test("without a connection (HEAD, a handled request) the stream can be let go", async () => {
    ends.never = [];
    const response = await app.handle(new Request("http://localhost/never", { method: "HEAD" }));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(ends.never).toEqual(["disconnected"]);
  });
});

describe("waiting for JSON", () => {
  test("blank lines keep the connection, then the text comes", async () => {
    const connection = get("/wait");
    await until(() => (connection.text().match(/\r\n1\r\n\n/g) ?? []).length >= 3, "three blank lines");
    resolveResult('{"messages":[]}');
    await until(() => connection.text().endsWith("0\r\n\r\n"), "the end");
    connection.socket.destroy();
    expect(connection.text()).toContain("application/json");
    expect(ends.wait).toEqual(["done"]);
    const body = connection.text().slice(connection.text().indexOf("\r\n\r\n") + 4);
    expect(JSON.parse(body.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, "").trim())).toEqual({ messages: [] });
  });

  test("a rejection tears the connection down", async () => {
    const connection = get("/wait-broken");
    await until(() => connection.reset() || connection.ended(), "the connection went down");
    expect(connection.text()).not.toContain("\r\n0\r\n\r\n");
  });
});

describe("bodies in pieces", () => {
  const head = "POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

  test("without a declared length they are counted while they are read", async () => {
    const chunk = `${(10_000).toString(16)}\r\n${"a".repeat(10_000)}\r\n`;
    const connection = raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(12)}`);
    await until(() => connection.text().includes("\r\n\r\n{"), "an answer before the end of the body");
    expect(connection.text()).toContain("HTTP/1.1 413");
    connection.socket.destroy();
  });

  test("a chunked body within the limit is read whole", async () => {
    const connection = raw(`${head}Transfer-Encoding: chunked\r\n\r\n3\r\n"ab\r\n3\r\ncd"\r\n0\r\n\r\n`);
    await until(() => connection.text().includes('{"length":4}'), "the answer");
    connection.socket.destroy();
  });
});
