import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hashSecret } from "@berth/store";
import { TEST_LIMIT_MS } from "../limits.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { knock } from "./socket-knock.ts";
import { query } from "./stored.ts";

const SERVICE_KEY = "the-service-key-of-this-test";

let berth: BerthProcess;
beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: SERVICE_KEY, LOG_LEVEL: "debug" } });
});
afterAll(async () => {
  await berth.stop();
});

type Headers = Record<string, string>;

const post = (path: string, body: BodyInit, headers: Headers = {}) =>
  fetch(berth.url + path, { method: "POST", body, headers, redirect: "manual" });
const byScript = (key: unknown, headers: Headers = {}) =>
  post("/sign-in", JSON.stringify({ api_key: key }), { "content-type": "application/json", ...headers });
const byForm = (fields: Record<string, string>) => post("/sign-in", new URLSearchParams(fields));

/** What the browser sends back of an answer's cookie. */
const cookieOf = (answer: Response): string => answer.headers.get("set-cookie")?.split(";")[0] ?? "";
const signedIn = async (key = SERVICE_KEY): Promise<string> => cookieOf(await byScript(key));
const session = async (cookie = "") =>
  (await fetch(`${berth.url}/api/session`, { headers: { cookie } })).json();
const info = async (cookie: string, headers: Headers = {}) =>
  (await fetch(`${berth.url}/info`, { headers: { cookie, ...headers } })).status;

async function createKey(): Promise<{ id: string; secret: string }> {
  const { stdout } = await berthCommand(["keys", "create", "--data", berth.data, "--name", "test"]);
  const [secret = "", line = ""] = stdout.split("\n");
  return { secret, id: line.split(" ")[1] ?? "" };
}

/** No command makes another workspace yet. */
async function addForeignKey(secret: string): Promise<void> {
  await query(berth.data, "insert into workspaces (id, name, created_at) values ('w2', 'other', 1)");
  await query(
    berth.data,
    "insert into api_keys (id, workspace_id, name, hash, hint, created_at) values ('k2', 'w2', 'k', ?, 'h', 1)",
    hashSecret(secret),
  );
}

/** What the operator's own sessions have. */
const own = { has_console: true, is_operator: true };

test("the page and its session need no key; whatever it calls does", async () => {
  const chat = ["/", "/chat/0197f0a0-0000-7000-8000-000000000001", "/sign-in"];
  const console = ["/console", "/console/", "/console/issues/1", "/console/deployments/1/logs"];
  for (const path of [...chat, ...console])
    expect([path, (await fetch(berth.url + path)).status]).toEqual([path, 200]);
  expect(await session()).toEqual({
    required: true,
    signed_in: false,
    workspace: null,
    ...own,
    is_operator: false,
  });
  for (const path of [
    "/info",
    "/docs",
    "/openapi.json",
    "/chat/x/y",
    "/api/threads",
    "/assets/x/y",
    "/console/a/b/c/d",
  ])
    expect([path, (await fetch(berth.url + path)).status]).toEqual([path, 401]);
});

describe("signing in", () => {
  test("by script: the cookie stands for the key", async () => {
    const answer = await byScript(SERVICE_KEY);
    const workspace = { id: expect.any(String), name: "default" };
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { required: true, signed_in: true, workspace, ...own },
    ]);
    expect(answer.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict$/);
    const cookie = cookieOf(answer);
    expect(await session(cookie)).toEqual({ required: true, signed_in: true, workspace, ...own });
    expect(await info(cookie)).toBe(200);
    const search = await post("/assistants/search", "{}", { cookie, origin: berth.url });
    expect(search.status).toBe(200);
  });

  test("by form: on to the page that was wanted, if it is one of ours", async () => {
    const wanted: [string, string][] = [
      ["", "/"],
      ["/chat/0197f0a0-0000-7000-8000-000000000001?x=1", "/chat/0197f0a0-0000-7000-8000-000000000001?x=1"],
      ["https://evil.example/", "/"],
      ["//evil.example/", "/"],
      ["/\\evil.example", "/"],
      ["/.//evil.example", "/"],
      ["javascript:alert(1)", "/"],
      ["/a\r\nx: y", "/ax:%20y"],
    ];
    for (const [next, location] of wanted) {
      const answer = await byForm({ api_key: ` ${SERVICE_KEY} `, next });
      expect([next, answer.status, answer.headers.get("location")]).toEqual([next, 303, location]);
      expect(await info(cookieOf(answer))).toBe(200);
    }
  });

  test("with a wrong key: nothing, and the form says so", async () => {
    const answer = await byScript("wrong");
    expect([answer.status, await answer.json()]).toEqual([401, { detail: "Invalid API key" }]);
    const form = await byForm({ api_key: "wrong", next: "/chat/x" });
    expect([form.status, form.headers.get("location")]).toEqual([
      303,
      "/sign-in?error=wrong&next=%2Fchat%2Fx",
    ]);
    for (const given of [answer, form]) expect(given.headers.get("set-cookie")).toBeNull();
  });

  test("with a key of another workspace: nothing either", async () => {
    const secret = "a-key-of-another-workspace";
    await addForeignKey(secret);
    const answer = await byScript(secret);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
    expect((await byForm({ api_key: secret })).headers.get("location")).toBe("/sign-in?error=denied");
  });

  test("without a key that is a text: 422; with a large one: 413", async () => {
    for (const key of [undefined, 1, null, {}])
      expect([key, (await byScript(key)).status]).toEqual([key, 422]);
    for (const body of ["", "[]", "null", "nonsense"])
      expect([body, (await post("/sign-in", body)).status]).toEqual([body, 422]);
    expect((await byScript("k".repeat(10_000))).status).toBe(413);
  });

  test("from another site: refused, so that nobody is signed in as somebody else", async () => {
    expect((await byScript(SERVICE_KEY, { origin: "https://evil.example" })).status).toBe(403);
    expect((await byScript(SERVICE_KEY, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await byScript(SERVICE_KEY, { "sec-fetch-site": "same-origin" })).status).toBe(200);
  });
});

describe("the cookie", () => {
  test("is of no use to a page of another site, or of another port of this machine", async () => {
    const cookie = await signedIn();
    const foreign: Headers[] = [
      { origin: "https://evil.example" },
      { origin: "http://127.0.0.1:1" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site", origin: berth.url },
      { "sec-fetch-site": "same-site" },
      {},
    ];
    for (const headers of foreign) {
      const answer = await post("/threads", "{}", { cookie, ...headers });
      expect([headers, answer.status]).toEqual([headers, 403]);
    }
    expect(await info(cookie, { origin: "https://evil.example" })).toBe(403);
    expect(await info(cookie, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" })).toBe(200);
    expect((await post("/threads", "{}", { cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  test("opens a socket for our own pages, and for no other", async () => {
    const cookie = await signedIn();
    const doors = ["/api/threads", "/threads"].map(
      (threads) => `${berth.url}${threads}/0197f0a0-0000-7000-8000-000000000001/stream/events`,
    );
    const tries: [Headers, number][] = [
      [{ cookie, origin: berth.url }, 101],
      [{ cookie, "sec-fetch-site": "same-origin", "sec-fetch-mode": "websocket" }, 101],
      [{ "x-api-key": SERVICE_KEY }, 101],
      [{ cookie, origin: "https://evil.example" }, 403],
      [{ cookie, origin: "http://127.0.0.1:1" }, 403],
      [{ cookie, origin: "null" }, 403],
      [{ cookie, "sec-fetch-site": "cross-site", "sec-fetch-mode": "websocket" }, 403],
      [{ cookie: "berth_session=made-up", origin: berth.url }, 401],
      [{ origin: berth.url }, 401],
    ];
    for (const door of doors)
      for (const [headers, status] of tries)
        expect([door, headers, await knock(door, headers)]).toEqual([door, headers, status]);
  });

  test("made up, or beside a wrong key, lets nobody in", async () => {
    expect(await info("berth_session=made-up")).toBe(401);
    expect(await info(await signedIn(), { "x-api-key": "wrong" })).toBe(401);
  });

  test("is over after signing out, by script and by form", async () => {
    for (const [type, status] of [
      ["application/json", 204],
      ["application/x-www-form-urlencoded", 303],
    ] as const) {
      const cookie = await signedIn();
      const foreign = await post("/sign-out", "", { cookie, origin: "https://evil.example" });
      expect([foreign.status, await info(cookie)]).toEqual([403, 200]);
      const answer = await post("/sign-out", "", { cookie, origin: berth.url, "content-type": type });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("set-cookie")).toStartWith("berth_session=; Path=/; Max-Age=0;");
      expect(await info(cookie)).toBe(401);
      expect(await session(cookie)).toMatchObject({ signed_in: false });
    }
  });

  test("ends with the key that it was made with", async () => {
    const { id, secret } = await createKey();
    const cookie = await signedIn(secret);
    expect(await info(cookie)).toBe(200);
    await berthCommand(["keys", "delete", id, "--data", berth.data]);
    await until(
      "the end of the sign-in",
      () => info(cookie),
      (status) => status === 401,
    );
  });

  test("and the key are in no log", async () => {
    const cookie = await signedIn();
    await info(cookie);
    await byScript("a-wrong-key-of-this-test");
    expect(berth.output()).toContain("/sign-in");
    for (const secret of [cookie.split("=")[1] ?? "", SERVICE_KEY, "a-wrong-key-of-this-test"])
      expect(berth.output()).not.toContain(secret);
  });
});

test(
  "survives a restart with the same key, and not one with another",
  async () => {
    const first = await start({ env: { SERVICE_API_KEY: SERVICE_KEY } });
    const body = JSON.stringify({ api_key: SERVICE_KEY });
    const cookie = cookieOf(await fetch(`${first.url}/sign-in`, { method: "POST", body }));
    const statusAt = async ({ url }: BerthProcess) =>
      (await fetch(`${url}/info`, { headers: { cookie } })).status;
    expect(await statusAt(first)).toBe(200);
    await first.kill9();
    const second = await first.restartOnSameData();
    expect(await statusAt(second)).toBe(200);
    await second.kill9();
    const third = await second.restartOnSameData({ SERVICE_API_KEY: "another-key" });
    expect(await statusAt(third)).toBe(401);
    await third.stop();
  },
  TEST_LIMIT_MS,
);

test(
  "guessing is slowed down, for a form too",
  async () => {
    const guarded = await start({ env: { SERVICE_API_KEY: SERVICE_KEY } });
    const attempt = (key: string) =>
      fetch(`${guarded.url}/sign-in`, { method: "POST", body: JSON.stringify({ api_key: key }) });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => attempt(`wrong ${at}`)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    const late = await attempt(SERVICE_KEY);
    expect(late.status).toBe(429);
    expect(Number(late.headers.get("retry-after"))).toBeWithin(1, 61);
    const form = new URLSearchParams({ api_key: SERVICE_KEY });
    const told = await fetch(`${guarded.url}/sign-in`, { method: "POST", body: form, redirect: "manual" });
    expect(told.headers.get("location")).toBe("/sign-in?error=limited");
    await guarded.stop();
  },
  TEST_LIMIT_MS,
);

test(
  "where no key is needed, nobody signs in",
  async () => {
    const open = await start();
    const answer = await fetch(`${open.url}/api/session`);
    const workspace = { id: expect.any(String), name: "default" };
    expect(await answer.json()).toEqual({
      ...{ required: false, signed_in: false, workspace },
      ...own,
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const body = JSON.stringify({ api_key: "any" });
    expect((await fetch(`${open.url}/sign-in`, { method: "POST", body })).status).toBe(409);
    const door = `${open.url}/api/threads/0197f0a0-0000-7000-8000-000000000001/stream`;
    expect(await knock(door, { origin: "https://evil.example" })).toBe(403);
    expect(await knock(door, { origin: open.url })).toBe(101);
    await open.stop();
  },
  TEST_LIMIT_MS,
);
