import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { post, type SenderOptions } from "../../../server/delivery/sender.ts";
import { verdictOf } from "../../../server/delivery/verdict.ts";
import { Reach } from "../../../server/reach/reach.ts";
import { AT_ONCE_MS, TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../../limits.ts";
import { because, describeUnless, notLong, testUnless } from "../../skips.ts";
import { type RawReceiver, rawReceiver } from "./raw-receiver.ts";

const LIMIT_MS = 200;
const reach = new Reach(["127.0.0.0/8"]);
const receivers: RawReceiver[] = [];
afterAll(() => {
  for (const receiver of receivers) receiver.close();
});

async function receiver(...given: Parameters<typeof rawReceiver>): Promise<RawReceiver> {
  const started = await rawReceiver(...given);
  receivers.push(started);
  return started;
}

const says = (text: string) => (socket: Socket) => void socket.write(text);
const headers = { "Content-Type": "application/json", "X-Service-Signature": "sha256=00", "webhook-id": "a" };
const send = (url: string, options: Partial<SenderOptions> = {}, body = "{}") =>
  post(
    { url: new URL(url), headers, body: new TextEncoder().encode(body) },
    { reach, timeoutMs: WAIT_LIMIT_MS, ...options },
  );

describe("a request", () => {
  test("is a POST with the headers as they are spelt, and the bytes as they are stored", async () => {
    const body = '{"b":1.0,"a":"é \u2028 🌍 \\u00e9","z":1e3}';
    const { url, requests } = await receiver(says("HTTP/1.1 204 No Content\r\n\r\n"));
    await send(`${url}hooks/a%20b?c=d&e`, {}, body);
    const [head = "", sent] = (requests[0] ?? "").split("\r\n\r\n");
    expect(sent).toBe(body);
    const lines = head.split("\r\n");
    expect(lines[0]).toBe("POST /hooks/a%20b?c=d&e HTTP/1.1");
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    for (const line of [
      "Content-Type: application/json",
      "X-Service-Signature: sha256=00",
      "webhook-id: a",
      length,
    ])
      expect(lines).toContain(line);
    expect(lines.filter((line) => line.startsWith("Host: "))).toEqual([`Host: ${new URL(url).host}`]);
    expect(head).not.toContain("chunked");
  });

  test("gets what becomes of it from every status", async () => {
    const { url } = await receiver((socket, request) => {
      const status = /^POST \/(\d+)/.exec(request)?.[1];
      socket.end(`HTTP/1.1 ${status} Any\r\nContent-Length: 0\r\n\r\n`);
    });
    const found: Record<string, number[]> = { delivered: [], retry: [], dead: [] };
    for (let status = 100; status <= 599; status += 1) {
      const answer = await send(`${url}${status}`);
      // 1xx is no answer: none ever follows.
      expect([status, answer.status]).toEqual([status, status < 200 ? null : status]);
      found[verdictOf(answer)]?.push(status);
    }
    const from = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at);
    expect(found.delivered).toEqual(from(200, 299));
    expect(found.retry).toEqual([...from(100, 199), 408, 425, 429, ...from(500, 599)]);
    expect(found.dead).toHaveLength(500 - 100 - 203);
  });

  test("follows no redirect", async () => {
    const inside = await receiver(says("HTTP/1.1 200 OK\r\n\r\n"));
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await receiver(
        says(`HTTP/1.1 ${status} Go\r\nLocation: ${inside.url}\r\nContent-Length: 0\r\n\r\n`),
      );
      const answer = await send(url);
      expect([answer.status, verdictOf(answer)]).toEqual([status, "dead"]);
      expect(answer.error).toBe(`redirects to ${inside.url}, which is not followed`);
    }
    expect(inside.requests).toEqual([]);
  });

  test("keeps the beginning of the answer, as far as it came, and what Retry-After says", async () => {
    const long = await receiver(
      says(`HTTP/1.1 503 Later\r\nRetry-After: 7\r\nContent-Length: 9000\r\n\r\n${"é".repeat(4_500)}`),
    );
    const answer = await send(long.url);
    expect([answer.outcome, answer.retryAfter]).toEqual(["http", "7"]);
    expect(answer.response).toBe("é".repeat(1_024));
    const cut = await receiver((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"));
    expect(await send(cut.url)).toMatchObject({ outcome: "ok", status: 200, response: "abc" });
  });
});

describe("the status decides at once, whatever comes behind it:", () => {
  const forever = (socket: Socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const timer = setInterval(() => socket.write("1\r\nx\r\n"), 20);
    socket.on("close", () => clearInterval(timer));
  };
  const bodies: [what: string, answer: (socket: Socket) => void][] = [
    [
      "a body without an end",
      (socket) =>
        void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n${"x".repeat(1_000_000)}`),
    ],
    ["a body in drips", forever],
    ["a body that never comes", says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")],
    [
      "a connection that is reset in the body",
      (socket) =>
        void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc", () => socket.resetAndDestroy()),
    ],
  ];
  test.each(bodies)("%s", async (_, answer) => {
    const { url } = await receiver(answer);
    const { outcome, durationMs } = await send(url);
    expect(outcome).toBe("ok");
    expect(durationMs).toBeLessThan(AT_ONCE_MS);
  });
});

describe("one clock ends", () => {
  const drip = (socket: Socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write("X-A: b\r\n"), 20);
    socket.on("close", () => clearInterval(timer));
  };
  const silent: [what: string, answer: (socket: Socket) => void][] = [
    ["a receiver that never answers", () => undefined],
    ["headers in drips", drip],
    ["a 100 with nothing behind it", says("HTTP/1.1 100 Continue\r\n\r\n")],
  ];
  test.each(silent)("%s", async (_, answer) => {
    const { url } = await receiver(answer);
    expectTimeout(await send(url, { timeoutMs: LIMIT_MS }));
  });

  test("a receiver that never reads", async () => {
    const { url } = await receiver((socket) => void socket.pause());
    expectTimeout(await send(url, { timeoutMs: LIMIT_MS }, "x".repeat(8_000_000)));
  });

  test("a TLS handshake that nobody answers", async () => {
    const { port } = await receiver(() => undefined);
    expectTimeout(await send(`https://127.0.0.1:${port}/`, { timeoutMs: LIMIT_MS }));
  });

  test("a name that nobody answers for", async () => {
    const { promise } = Promise.withResolvers<string[]>();
    expectTimeout(await send("http://hooks.example.com/", { resolve: () => promise, timeoutMs: LIMIT_MS }));
  });

  testUnless(notLong)(
    "all of them after 20 seconds",
    async () => {
      const { url } = await receiver(() => undefined);
      const { outcome, durationMs } = await post(
        { url: new URL(url), headers, body: new Uint8Array() },
        { reach },
      );
      expect(outcome).toBe("timeout");
      expect(durationMs - 20_000).toBeWithin(-500, AT_ONCE_MS);
    },
    TEST_LIMIT_MS,
  );
});

function expectTimeout({ outcome, status, durationMs }: Awaited<ReturnType<typeof send>>): void {
  expect([outcome, status]).toEqual(["timeout", null]);
  expect(durationMs).toBeGreaterThanOrEqual(LIMIT_MS - 5);
  expect(durationMs).toBeLessThan(LIMIT_MS + AT_ONCE_MS);
}

describe("what goes wrong has a name:", () => {
  const broken: [outcome: string, answer: (socket: Socket) => void][] = [
    ["reset", (socket) => void socket.end()],
    ["reset", (socket) => void socket.resetAndDestroy()],
    ["reset", (socket) => void socket.end("SSH-2.0-OpenSSH\r\n")],
    ["reset", says("HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")],
    ["reset", says("HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n")],
    ["reset", says("HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n")],
  ];
  test.each(broken)("%s", async (outcome, answer) => {
    const { url } = await receiver(answer);
    expect(await send(url)).toMatchObject({ outcome, status: null });
  });

  test("connect, where nobody listens", async () => {
    const gone = await rawReceiver(() => undefined);
    gone.close();
    expect(await send(gone.url)).toMatchObject({ outcome: "connect", status: null });
  });

  test("dns, for a name without an address", async () => {
    const resolve = () => Promise.reject(new Error("ENOTFOUND"));
    expect(await send("http://hooks.example.com/", { resolve })).toMatchObject({ outcome: "dns" });
    expect(await send("http://hooks.example.com/", { resolve: async () => [] })).toMatchObject({
      outcome: "dns",
    });
  });

  test("tls, from a server that speaks something else", async () => {
    const { port } = await receiver(says("HTTP/1.1 200 OK\r\n\r\n"));
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ outcome: "tls" });
  });

  test("aborted, when the process stops", async () => {
    const stop = new AbortController();
    const { url } = await receiver(() => stop.abort());
    const sent = post({ url: new URL(url), headers, body: new Uint8Array() }, { reach }, stop.signal);
    expect(await sent).toMatchObject({ outcome: "aborted" });
  });
});

describe("at delivery an address is judged again:", () => {
  const rebound: [what: string, addresses: string[]][] = [
    ["a name that has become private", ["10.0.0.1"]],
    ["a name that is metadata now", ["169.254.169.254"]],
    ["a name with one bad address among good ones", ["127.0.0.1", "192.168.0.1"]],
  ];
  test.each(rebound)("%s is not called", async (_, addresses) => {
    const inside = await receiver(says("HTTP/1.1 200 OK\r\n\r\n"));
    const answer = await send(`http://hooks.example.com:${inside.port}/`, { resolve: async () => addresses });
    expect([answer.outcome, verdictOf(answer)]).toEqual(["blocked", "dead"]);
    expect(inside.requests).toEqual([]);
  });

  test("the name is looked up once, and the socket goes where the check looked", async () => {
    const inside = await receiver(says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    const answers = [["127.0.0.1"], ["169.254.169.254"]];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    const answer = await send(`http://hooks.example.com:${inside.port}/`, { resolve });
    expect([answer.outcome, asked]).toEqual(["ok", 1]);
    expect(inside.requests[0]).toContain(`Host: hooks.example.com:${inside.port}\r\n`);
  });

  test.each(["http://127.0.0.1/", "http://[::1]/", "http://localhost/", "http://[::ffff:a00:1]/"])(
    "%s is not called when nothing is opened",
    async (url) => expect(await send(url, { reach: new Reach([]) })).toMatchObject({ outcome: "blocked" }),
  );
});

describeUnless(because(Bun.which("openssl") === null, "no openssl here"))("a certificate", () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-tls-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("that nobody vouches for is refused, before anything is sent", async () => {
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"];
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    Bun.spawnSync(["openssl", ...made, "-keyout", key, "-out", cert], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    const options = { key: readFileSync(key), cert: readFileSync(cert) };
    const { port, requests } = await receiver(says("HTTP/1.1 200 OK\r\n\r\n"), (onSocket) =>
      createTlsServer(options, onSocket).on("tlsClientError", () => undefined),
    );
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ outcome: "tls" });
    expect(requests).toEqual([]);
  });
});
