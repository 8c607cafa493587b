import { describe, expect, test } from "bun:test";
import { mayUseCookie } from "../../server/http/own-page.ts";

const PUBLIC = "https://berth.example/base";
const ask = (method: string, headers: Record<string, string>) =>
  mayUseCookie(new Request("http://localhost/threads", { method, headers }), PUBLIC);

/** What browsers send, whether a reading request may use the cookie, and whether a changing one may. */
const requests: [string, Record<string, string>, boolean, boolean][] = [
  ["our page, over TLS or loopback", { "sec-fetch-site": "same-origin" }, true, true],
  ["an address that was typed in", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }, true, true],
  ["our page, by the name that it asked for", { origin: "http://box:8123", host: "box:8123" }, true, true],
  [
    "our page, behind a proxy that names us otherwise",
    { origin: "https://berth.example", host: "b:1" },
    true,
    true,
  ],
  ["our page says nothing when it reads over plain http", { host: "box:8123" }, true, false],
  ["another page", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }, false, false],
  [
    "another port of this machine",
    { "sec-fetch-site": "same-site", origin: "http://localhost:3000" },
    false,
    false,
  ],
  ["another port, without TLS", { origin: "http://box:3000", host: "box:8123" }, false, false],
  ["a sandboxed frame", { origin: "null", host: "box:8123" }, false, false],
  [
    "a name that begins like ours",
    { origin: "https://berth.example.evil.example", host: "b:1" },
    false,
    false,
  ],
  ["a link on another page", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, true, false],
  [
    "a socket of another page",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "websocket" },
    false,
    false,
  ],
  [
    "a claim that the browser denies",
    { "sec-fetch-site": "cross-site", origin: "https://berth.example" },
    false,
    false,
  ],
];

describe("a sign-in counts for", () => {
  test.each(requests)("%s", (_, headers, reading, changing) => {
    expect(["GET", "HEAD"].map((method) => ask(method, headers))).toEqual([reading, reading]);
    const changes = ["POST", "PUT", "PATCH", "DELETE"].map((method) => ask(method, headers));
    expect(changes).toEqual(changes.map(() => changing));
  });
});
