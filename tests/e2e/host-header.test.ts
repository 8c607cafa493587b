import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { servedBerth } from "./served-berth.ts";
import { knock } from "./socket-knock.ts";

const KEY = "the-service-key-of-this-test";
const berth = servedBerth({ env: { SERVICE_API_KEY: KEY } });

type Sent = { method?: string; path: string; head?: string[]; version?: string; body?: string };

/** Sends a request word by word, for clients put the `Host` right; gives the status, and the body as text. */
function sent({ method = "GET", path, head = [], version = "1.1", body = "" }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const lines = [`${method} ${path} HTTP/${version}`, ...head, "Connection: close"];
  if (body) lines.push("Content-Type: application/json", `Content-Length: ${body.length}`);
  const { port } = new URL(berth.url);
  const socket = connect(Number(port), "127.0.0.1", () =>
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`),
  );
  let answer = "";
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  socket.on("error", reject);
  socket.on("end", () => {
    const [top = "", ...rest] = answer.split("\r\n\r\n");
    resolve({ status: Number(top.split(" ")[1]), text: rest.join("\r\n\r\n") });
  });
  return promise;
}

/** What is open to everybody, with what is not behind it. */
const DISGUISED: Sent[] = ["/console", "/chat", "/assets", "/console/a", "/ab/console", "/abcdefghij/console"]
  .flatMap((open): Sent[] => [
    { path: `${open}/v2/deployments` },
    { path: `${open}/v1/issues` },
    { path: `${open}/metrics` },
    { path: `${open}/threads`, method: "POST", body: "{}" },
    { path: `${open}/runs/wait`, method: "POST", body: '{"assistant_id":"agent","input":{}}' },
  ])
  .concat({ path: "/v2/deployments" }, { path: "/threads", method: "POST", body: "{}" });

const SHORT = ["x", "xy", "api", "x:1", "1", "a.b", "[::]"];
const NO_HOSTS = ["", "x?", "x#", "a b", "a@b", "x/console", "x\\y", "?", "/"];

describe("whatever a request says of its host", () => {
  test.each(SHORT)(
    "%p: it gets nothing without a key, wherever the path may be thought to begin",
    async (host) => {
      for (const asked of DISGUISED) {
        const { status, text } = await sent({ ...asked, head: [`Host: ${host}`] });
        const isPage = status === 200 && /<!doctype html>/i.test(text);
        expect([asked.path, isPage || [401, 404, 405].includes(status)]).toEqual([asked.path, true]);
      }
      expect((await sent({ path: "/v2/deployments", head: [`Host: ${host}`] })).status).toBe(401);
    },
  );

  test.each(SHORT)("%p: everything is where it always is", async (host) => {
    const head = [`Host: ${host}`, `X-Api-Key: ${KEY}`];
    expect((await sent({ path: "/ok?x=/y", head: [`Host: ${host}`] })).status).toBe(200);
    expect((await sent({ path: "/v2/deployments?limit=1", head })).text).toContain('"resources"');
    const asked = { path: "/assistants/search", method: "POST", body: '{"limit":1}', head };
    expect((await sent(asked)).text).toContain('"assistant_id"');
    expect((await sent({ path: "/console/v2/deployments", head })).text).not.toContain('"resources"');
    const made = await sent({ path: "/threads", method: "POST", body: "{}", head });
    const { thread_id } = JSON.parse(made.text) as { thread_id: string };
    const socket = `${berth.url}/threads/${thread_id}/stream/events`;
    expect(await knock(socket, { host, "x-api-key": KEY })).toBe(101);
    expect(await knock(socket, { host })).toBe(401);
  });

  test.each(NO_HOSTS)("%p is no host: refused, with a key as well", async (host) => {
    for (const asked of DISGUISED) {
      const { status, text } = await sent({ ...asked, head: [`Host: ${host}`, `X-Api-Key: ${KEY}`] });
      expect([asked.path, status]).toEqual([asked.path, 400]);
      expect(JSON.parse(text)).toEqual({ detail: "The request has no Host header that names a host" });
    }
  });

  test("none at all is refused, too, but for the question of a load balancer", async () => {
    expect((await sent({ path: "/ok?check_db=1", version: "1.0" })).text).toContain('"ok":true');
    for (const asked of DISGUISED)
      expect((await sent({ ...asked, version: "1.0", head: [`X-Api-Key: ${KEY}`] })).status).toBe(400);
  });

  test("an address instead of a path is read for its path only", async () => {
    const path = "http://elsewhere.example/v2/deployments";
    expect((await sent({ path, head: ["Host: x"] })).status).toBe(401);
    const disguised = "http://e/console/v2/deployments";
    expect((await sent({ path: disguised, head: ["Host: x"] })).text).not.toContain('"resources"');
  });
});
