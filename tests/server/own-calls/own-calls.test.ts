import { afterAll, beforeAll, expect, test } from "bun:test";
import { letOwnCallsIn, type OwnCalls } from "../../../server/own-calls/index.ts";

/** What came, by the server that it came to. */
const seen: Record<"own" | "other", { path: string; method: string; headers: Headers; body: string }[]> = {
  own: [],
  other: [],
};
const answering = (name: keyof typeof seen) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const { method, headers } = request;
      seen[name].push({ path: pathname, method, headers, body: await request.text() });
      const to = searchParams.get("to");
      if (to === null) return new Response(name);
      return new Response(null, {
        status: Number(searchParams.get("status") ?? 302),
        headers: { location: to },
      });
    },
  });
const own = answering("own");
const other = answering("other");
const before = globalThis.fetch;
let calls: OwnCalls;
beforeAll(() => {
  calls = letOwnCallsIn(own.port ?? 0);
});
afterAll(async () => {
  calls.forget();
  expect(globalThis.fetch).toBe(before);
  await Promise.all([own.stop(true), other.stop(true)]);
});

const tokenAt = (name: keyof typeof seen) => seen[name].at(-1)?.headers.get("x-berth-own") ?? null;

test("bring the token to the own port, by whatever name, and nowhere else", async () => {
  const ways: [string | URL | Request, RequestInit?][] = [
    [`http://localhost:${own.port}/a`],
    [new URL(`http://127.0.0.1:${own.port}/a`)],
    [`http://[::1]:${own.port}/a`],
    [`http://0.0.0.0:${own.port}/a`],
    [
      new Request(`http://localhost:${own.port}/a`, {
        method: "POST",
        body: "text",
        headers: { "x-a": "1" },
      }),
    ],
    [`http://localhost:${own.port}/a`, { method: "POST", body: "text", headers: { "x-a": "1" } }],
  ];
  for (const way of ways) {
    expect(await (await fetch(...way)).text()).toBe("own");
    expect(tokenAt("own")).toBe(calls.token);
  }
  for (const { method, headers, body } of seen.own.slice(-2))
    expect([method, headers.get("x-a"), body]).toEqual(["POST", "1", "text"]);
  await fetch(`http://127.0.0.1:${other.port}/a?also=:${own.port}`);
  expect(tokenAt("other")).toBeNull();
});

test("follow redirects as fetch does, and take neither the token nor who calls elsewhere", async () => {
  const headers = { authorization: "Bearer ada", "x-a": "1" };
  const within = await fetch(`http://localhost:${own.port}/a?to=/b`, { headers });
  expect(await within.text()).toBe("own");
  expect(seen.own.at(-1)?.path).toBe("/b");
  expect([tokenAt("own"), seen.own.at(-1)?.headers.get("authorization")]).toEqual([
    calls.token,
    "Bearer ada",
  ]);
  const away = encodeURIComponent(`http://127.0.0.1:${other.port}/c`);
  const body = "text";
  await fetch(`http://localhost:${own.port}/a?to=${away}`, { method: "POST", headers, body });
  const last = seen.other.at(-1);
  expect([last?.path, last?.method, last?.body]).toEqual(["/c", "GET", ""]);
  expect([tokenAt("other"), last?.headers.get("authorization"), last?.headers.get("x-a")]).toEqual([
    null,
    null,
    "1",
  ]);
  const manual = await fetch(`http://localhost:${own.port}/a?to=/b`, { redirect: "manual" });
  expect(manual.status).toBe(302);
  await expect(fetch(`http://localhost:${own.port}/a?to=/a%3Fto=/a`)).resolves.toBeDefined();
});

test("end when their caller wants no answer any more", async () => {
  const gone = AbortSignal.abort(new Error("enough"));
  await expect(fetch(`http://localhost:${own.port}/a`, { signal: gone })).rejects.toThrow("enough");
});
