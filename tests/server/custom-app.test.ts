import { describe, expect, test } from "bun:test";
import { TooLarge } from "@berth/store";
import { LoadedApp } from "../../agent/apps/index.ts";
import { CustomApp, withMiddlewareHeaders } from "../../server/custom/custom-app.ts";

const app = new LoadedApp({
  fetch: (request: Request) => new Response(new URL(request.url).pathname, { status: 404 }),
});
const made = (first: boolean, guarded?: boolean) =>
  new CustomApp({ app, first, guarded, maxBodyBytes: 1_000 });

describe("who guards the project's own routes", () => {
  test("with auth of the project, nobody unless it is asked for", () => {
    expect(made(true).isGuarded(true)).toBe(false);
    expect(made(true, true).isGuarded(true)).toBe(true);
    expect(made(true, false).isGuarded(true)).toBe(false);
  });

  test("without, keys and the network do, unless the project says otherwise", () => {
    expect(made(true).isGuarded(false)).toBe(true);
    expect(made(true, true).isGuarded(false)).toBe(true);
    expect(made(true, false).isGuarded(false)).toBe(false);
  });

  test("middleware comes before the project's auth if it is to, and never before keys", () => {
    expect(made(true).isBeforeAuth(true)).toBe(true);
    expect(made(false).isBeforeAuth(true)).toBe(false);
    expect(made(true).isBeforeAuth(false)).toBe(false);
    expect(made(true, false).isBeforeAuth(false)).toBe(false);
  });
});

test("the app sees its paths without the prefix, and leaves the body to us", async () => {
  const request = new Request("http://localhost/agents/runs?x=1", { method: "POST", body: "{}" });
  const { response } = await made(true).look(request, "/runs");
  expect(await response.text()).toBe("/runs");
  expect(await request.text()).toBe("{}");
});

test("a body of no declared length breaks off at the limit, whatever the app makes of that", async () => {
  const read: unknown[] = [];
  const reader = new LoadedApp({
    fetch: async (request: Request) => {
      read.push(await request.text().catch((error: Error) => error.name));
      return new Response("swallowed", { status: 200 });
    },
  });
  const small = new CustomApp({ app: reader, first: true, guarded: undefined, maxBodyBytes: 1_000 });
  const sending = (bytes: number) => {
    const chunk = new Uint8Array(100).fill(120);
    let left = bytes / 100;
    const pull = (controller: ReadableStreamDefaultController) =>
      left-- > 0 ? controller.enqueue(chunk) : controller.close();
    const body = new ReadableStream({ pull });
    return new Request("http://localhost/own", { method: "POST", body, duplex: "half" } as RequestInit);
  };
  expect(await (await small.answer(sending(1_000), "/own")).text()).toBe("swallowed");
  expect(read).toEqual(["x".repeat(1_000)]);
  await expect(small.answer(sending(1_100), "/own")).rejects.toThrow(TooLarge);
  await expect(small.look(sending(1_100), "/own")).rejects.toThrow(TooLarge);
  expect(read).not.toContain("x".repeat(1_100));
});

test("middleware's headers are added to our answer, but for those of its body", () => {
  const passed = new Response("no", {
    status: 404,
    headers: [
      ["x-seen", "yes"],
      ["content-type", "text/plain"],
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ],
  });
  const ours = withMiddlewareHeaders(Response.json({}), passed);
  expect(ours.headers.get("x-seen")).toBe("yes");
  expect(ours.headers.get("content-type")).toContain("json");
  expect(ours.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});
