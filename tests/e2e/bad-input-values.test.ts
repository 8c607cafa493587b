import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { ON_POSTGRES } from "../postgres/for-data.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { call } from "./crash-http.ts";

let berth: BerthProcess;

beforeAll(async () => {
  berth = await start();
});

afterAll(async () => {
  await berth.stop();
});

/** Sends JSON as it stands: what JSON.stringify would never write must be possible. */
async function send(method: string, path: string, body: string) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(berth.url + path, { method, headers, body });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), text };
}

/** The first line and the body of the answer to a request that is written byte by byte. */
async function raw(request: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(berth.url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes;
  });
  socket.on("close", () => resolve(text));
  socket.on("error", reject);
  socket.write(request);
  const answer = await promise;
  return { status: Number(answer.split(" ")[1]), text: answer };
}

const rawGet = (target: string) =>
  raw(`GET ${target} HTTP/1.1\r\nhost: ${new URL(berth.url).host}\r\nconnection: close\r\n\r\n`);

/** Postgres keeps and finds no such text, but within JSON. */
const hasNul = (text: string) => ON_POSTGRES && text.includes("\0");

function expectOneOf(what: string, status: number, allowed: number[]): void {
  if (!allowed.includes(status)) throw new Error(`${what.slice(0, 200)}: ${status}`);
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

describe("JSON that is odd but valid", () => {
  test("nested too deep is refused; nested deep is kept", async () => {
    for (const depth of [1_001, 100_000, 1_000_000]) {
      const { status, body } = await send("POST", "/threads", `{"metadata":${nested(depth)}}`);
      expect([depth, status]).toEqual([depth, 422]);
      expect(body.detail[0]).toMatchObject({ loc: ["body"], type: "value_error" });
    }
    const deep = nested(900);
    const created = await send("POST", "/threads", `{"metadata":{"deep":${deep}}}`);
    expect(created.status).toBe(200);
    const read = await call(berth.url, "GET", `/threads/${created.body.thread_id}`);
    expect(JSON.stringify(read.body)).toContain(deep);
    const found = await send("POST", "/threads/search", `{"metadata":{"deep":${deep}}}`);
    expect(found).toMatchObject({ status: 400, body: { detail: expect.stringContaining("levels deep") } });
  });

  test("numbers out of every range break nothing", async () => {
    for (const number of ["1e400", "-1e400", "1e308", "9007199254740993", "-0", "5e-324", "0.1e-400"]) {
      const body = `{"metadata":{"n":${number}}}`;
      expect([number, (await send("POST", "/threads", body)).status]).toEqual([number, 200]);
      expect([number, (await send("POST", "/threads/search", body)).status]).toEqual([number, 200]);
    }
    for (const field of ["limit", "offset"]) {
      for (const number of ["1e400", "-1e400", "1e308", "1e19"]) {
        for (const path of [
          "/threads/search",
          "/assistants/search",
          "/store/items/search",
          "/store/namespaces",
        ]) {
          const { status } = await send("POST", path, `{"${field}":${number}}`);
          expect([path, field, number, status]).toEqual([path, field, number, 422]);
        }
      }
    }
    const late = `{"assistant_id":"agent","after_seconds":1e400}`;
    expect((await send("POST", "/runs", late)).status).toBe(422);
    for (const ttl of ["1e300", "1e-300", "1e400"]) {
      const item = `{"namespace":["n"],"key":"ttl","value":{},"ttl":${ttl}}`;
      const { status } = await send("PUT", "/store/items", item);
      expect([204, 422]).toContain(status);
      expect((await call(berth.url, "GET", "/store/items?namespace=n&key=ttl")).status).toBe(200);
    }
  });

  test("strings come back as they were, or are refused, and are never mixed up", async () => {
    const odd = [
      "",
      " ",
      "\u0000",
      "a\u0000b",
      "a",
      "\uD800",
      "\uDFFF",
      "💩",
      "\u202Eabc",
      "'; drop table items; --",
      '"',
      "\\",
      "%00",
      "a.b",
      "\r\n",
      "x".repeat(100_000),
    ];
    const stored: string[] = [];
    for (const key of odd) {
      const item = { namespace: ["odd"], key, value: { key } };
      const { status, text } = await send("PUT", "/store/items", JSON.stringify(item));
      expectOneOf(`${JSON.stringify(key).slice(0, 40)} ${text}`, status, [204, hasNul(key) ? 400 : 422]);
      if (status === 204) stored.push(key);
    }
    expect(stored).toEqual(expect.arrayContaining(["a", "💩", "'; drop table items; --", "a.b"]));
    const { body } = await send("POST", "/store/items/search", '{"namespace_prefix":["odd"],"limit":100}');
    const items = body.items as { key: string; value: { key: string } }[];
    expect(items.map(({ key }) => key).sort()).toEqual([...stored].sort());
    for (const { key, value } of items) expect(value.key).toBe(key);
    for (const key of stored) {
      const removed = await send("DELETE", "/store/items", JSON.stringify({ namespace: ["odd"], key }));
      expect(removed.status).toBe(204);
    }
    const rest = await send("POST", "/store/items/search", '{"namespace_prefix":["odd"]}');
    expect(rest.body.items).toEqual([]);
  });

  test("metadata of any text is kept and found", async () => {
    for (const value of ["", "\u0000", "a\u0000b", "\uD800", "💩", "'", '"', "\\u0000", "$.a[0]"]) {
      for (const metadata of [{ odd: value }, { [`key ${value}`]: value }]) {
        const text = JSON.stringify({ metadata });
        const created = await send("POST", "/threads", text);
        const what = JSON.stringify(metadata);
        expect([what, created.status]).toEqual([what, 200]);
        expect(created.body.metadata).toEqual(metadata);
        const read = await call(berth.url, "GET", `/threads/${created.body.thread_id}`);
        expect(read.body).toMatchObject({ metadata });
        const found = await send("POST", "/threads/search", text);
        if (hasNul(value)) continue;
        expect([what, found.body.map((thread: { metadata: unknown }) => thread.metadata)]).toEqual([
          what,
          [metadata],
        ]);
        expect((await send("POST", "/threads/count", text)).body).toBe(1);
      }
    }
  });

  test("a __proto__ key is a key like any other, and reaches no other object", async () => {
    const poison = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const requests: [string, string, string][] = [
      ["POST", "/threads", `{"metadata":${poison},"__proto__":{"metadata":{"polluted":true}}}`],
      [
        "POST",
        "/assistants",
        `{"graph_id":"agent","config":{"configurable":${poison}},"metadata":${poison}}`,
      ],
      ["PUT", "/store/items", `{"namespace":["__proto__"],"key":"__proto__","value":${poison}}`],
      [
        "POST",
        "/runs/wait",
        `{"assistant_id":"agent","input":${poison},"config":{"configurable":${poison}},"metadata":${poison}}`,
      ],
    ];
    for (const [method, path, body] of requests) {
      const { status } = await send(method, path, body);
      expectOneOf(path, status, [200, 204]);
    }
    const found = async (path: string, owner: string) =>
      (await send("POST", path, `{"metadata":{"__proto__":{"polluted":${owner}}}}`)).text;
    expect(await found("/threads/count", "true")).toBe("1");
    expect(await found("/threads/search", "1")).toBe("[]");
    expect((await send("POST", "/store/items/search", '{"filter":{"__proto__":{"z":1}}}')).text).toBe(
      '{"items":[]}',
    );
    const clean = await send("POST", "/threads", "{}");
    expect(clean.text).not.toContain("polluted");
    expect((await call(berth.url, "GET", "/info")).text).not.toContain("polluted");
    expect((await send("POST", "/assistants", '{"graph_id":"agent"}')).text).not.toContain("polluted");
  });

  test("names and ids of a megabyte are answered", async () => {
    const long = "x".repeat(1_000_000);
    for (const [path, body] of [
      ["/assistants", { graph_id: long }],
      ["/assistants", { graph_id: "agent", name: long }],
      ["/assistants/search", { name: long }],
      ["/runs/wait", { assistant_id: long }],
      ["/threads/search", { extract: { a: `values${".a".repeat(100_000)}` } }],
      ["/threads/search", { extract: { a: `values${"[0]".repeat(100_000)}` } }],
      ["/store/namespaces", { prefix: [long] }],
    ] as const) {
      const { status } = await send("POST", path, JSON.stringify(body));
      expectOneOf(path, status, [200, 404, 422]);
    }
  });
});

test("a 422 says why in a text, too, which is all that the Python client shows", async () => {
  const { body } = await send("POST", "/threads/search", JSON.stringify({ limit: 0, offset: -1 }));
  const { detail, message } = body as { detail: { msg: string }[]; message: string };
  expect(detail).toHaveLength(2);
  for (const [at, name] of ["body.limit", "body.offset"].entries())
    expect(message).toContain(`${name}: ${detail[at]?.msg}`);
});

describe("a run with odd input", () => {
  test("ends in an error of the run, not of the server", async () => {
    for (const input of [
      "1",
      '"text"',
      "[]",
      "null",
      '{"messages":1}',
      '{"messages":[{"role":"nobody"}]}',
      '{"messages":[null]}',
    ]) {
      const { status, body } = await send("POST", "/runs/wait", `{"assistant_id":"agent","input":${input}}`);
      expect([input, status]).toEqual([input, 200]);
      expect(typeof body).toBe("object");
    }
    for (const more of [
      '"checkpoint_id":"nothing"',
      '"checkpoint":{"checkpoint_id":7,"checkpoint_ns":[],"checkpoint_map":"x"}',
      '"config":{"configurable":{"thread_id":{"$ne":1},"checkpoint_id":{},"checkpoint_ns":5}}',
      '"command":{"goto":"nowhere"}',
      '"command":{"resume":{"no such":1}}',
      '"command":{"update":[["nothing",1]]}',
      '"interrupt_before":["nowhere"]',
      '"config":{"recursion_limit":1}',
    ]) {
      const thread = await send("POST", "/threads", "{}");
      const path = `/threads/${thread.body.thread_id}/runs/wait`;
      const { status, body } = await send(
        "POST",
        path,
        `{"assistant_id":"agent","input":{"messages":[]},${more}}`,
      );
      expectOneOf(more, status, [200, 404, 422]);
      expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|SQLITE/);
      const after = await call(berth.url, "GET", `/threads/${thread.body.thread_id}`);
      expect([more, after.body]).toEqual([more, expect.not.objectContaining({ status: "busy" })]);
    }
  });
});

describe("paths", () => {
  test("that climb or are badly encoded lead nowhere", async () => {
    for (const path of [
      "/threads/../../../etc/passwd",
      "/threads/..%2f..%2f..%2fetc%2fpasswd",
      "/docs/../../package.json",
      "/docs/..%2f..%2fpackage.json",
      "/docs/%2e%2e/%2e%2e/package.json",
      "/docs/..\\..\\package.json",
      "/threads/%",
      "/threads/%zz",
      "/threads/%c0%ae%c0%ae",
      "/threads/%ff",
      "/threads/%00",
      "/assistants/%F0%28%8C%BC",
      "/assistants/agent%2f..",
      "//threads",
      "/threads//",
      "/threads/;a=b",
      `/threads/${"x".repeat(10_000)}`,
      "/store/items?namespace=%ff&key=%zz",
      "/store/items?namespace[]=a&key[]=b",
      "/threads/search?%",
      "http://evil.example/threads",
      "*",
    ]) {
      const { status, text } = await rawGet(path);
      expectOneOf(path, status, [200, 400, 403, 404, 405, 414, 422, 431]);
      if (status === 200)
        expect([path, text.split("\r\n\r\n")[1]]).toEqual([path, expect.stringMatching(/null|\[\]/)]);
      expect(text).not.toContain("root:");
      expect(text).not.toContain("devDependencies");
    }
    expect((await call(berth.url, "GET", "/ok")).status).toBe(200);
  });

  test("requests that are hardly HTTP do not harm", async () => {
    const { host } = new URL(berth.url);
    for (const request of [
      "nonsense\r\n\r\n",
      `POST /threads HTTP/1.1\r\nhost: ${host}\r\ncontent-length: -5\r\nconnection: close\r\n\r\n`,
      `POST /threads HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n{}`,
      `POST /threads HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\n{"met\r\nzz\r\n`,
      `FROB /threads HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      `GET /ok HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${"k".repeat(100_000)}\r\nconnection: close\r\n\r\n`,
    ]) {
      const { status } = await raw(request);
      expect([request.slice(0, 80), Number.isNaN(status) || status < 500]).toEqual([
        request.slice(0, 80),
        true,
      ]);
    }
    expect((await call(berth.url, "GET", "/ok")).status).toBe(200);
  });
});

test("the server said nothing of an internal failure", () => {
  // A run that fails is an error of its own, and none of the server's.
  const lines = berth
    .output()
    .split("\n")
    .filter((line) => !line.includes('"message":"run.ended"'));
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  expect(berth.output()).not.toContain('"level":"fatal"');
});
