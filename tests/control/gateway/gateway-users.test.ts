import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DEFAULT_WORKSPACE } from "@berth/store";
import { type GatewayRig, gatewayRig, SERVICE_KEY } from "./gateway-rig.ts";
import { type Asking, ask, type Seen, scriptedInstance } from "./scripted-instance.ts";

/** A deployment that says that it knows its callers itself: what of a request it is shown. */
const instance = scriptedInstance();
let rig: GatewayRig;
let id: string;
beforeAll(async () => {
  rig = await gatewayRig();
  id = await rig.deployment("one");
  await rig.serve(id, instance.port);
  await rig.saysOwnAuth(id, 1);
});
afterAll(async () => {
  await rig.stop();
  await instance.stop();
});

const at = (path: string, asking: Asking = {}) => ask(rig.url, `/d/${id}${path}`, asking);
const statusOf = async (headers: Record<string, string> = {}, path = "/x", method = "GET") =>
  (await at(path, { headers, method })).status;
const seenWith = async (headers: Record<string, string> = {}): Promise<Seen["headers"]> =>
  (JSON.parse((await at("/x", { headers })).body) as Seen).headers;
const json = { "content-type": "application/json" };
const signIn = (key: string) =>
  at("/sign-in", { method: "POST", headers: json, body: [JSON.stringify({ api_key: key })] });
const lastSeen = () => instance.seen.at(-1);

describe("whoever shows no key of Berth's", () => {
  test("gets through with all that they sent, as somebody whom nobody knows", async () => {
    const sent = { authorization: "Bearer of-theirs", "x-api-key": "theirs", cookie: "own=1" };
    const seen = await seenWith({ ...sent, "x-auth-scheme": "langsmith" });
    expect(seen).toMatchObject({ ...sent, "x-berth-nobody": "1" });
    expect((await seenWith())["x-berth-nobody"]).toBe("1");
  });

  test("hears of a key where the instance does not say so, or an older Berth started it", async () => {
    for (const own of [0, null] as const) {
      await rig.saysOwnAuth(id, own);
      expect([own, await statusOf(), await statusOf({ authorization: "Bearer x" })]).toEqual([own, 401, 401]);
    }
    await rig.saysOwnAuth(id, 1);
    expect(await statusOf()).toBe(200);
  });

  test("finds no deployment that is not there, nor what nobody serves", async () => {
    const idle = await rig.deployment("idle");
    for (const other of [idle, "0197f0a0-0000-7000-8000-00000000dead", "no-uuid"])
      expect((await ask(rig.url, `/d/${other}/x`)).status).toBe(401);
  });

  test("is not let in by a revision that was switched to meanwhile", async () => {
    const keyed = scriptedInstance("keyed");
    const slow = await gatewayRig();
    const other = await slow.deployment("switching");
    await slow.serve(other, instance.port);
    await slow.saysOwnAuth(other, 1);
    expect((await ask(slow.url, `/d/${other}/x`)).status).toBe(200);
    const statuses: Promise<number>[] = [];
    for (let n = 0; n < 20; n += 1)
      statuses.push(ask(slow.url, `/d/${other}/x`).then(({ status }) => status));
    await slow.serve(other, keyed.port);
    for (let n = 0; n < 20; n += 1)
      statuses.push(ask(slow.url, `/d/${other}/x`).then(({ status }) => status));
    for (const status of await Promise.all(statuses)) expect([200, 401]).toContain(status);
    expect(keyed.seen).toEqual([]);
    await slow.stop();
    await keyed.stop();
  });
});

describe("a key of Berth's", () => {
  test("is taken off wherever it stands, and what else there is passes", async () => {
    const { secret } = await rig.keys.create(DEFAULT_WORKSPACE.id, "own");
    for (const key of [SERVICE_KEY, secret]) {
      const both = await seenWith({ "x-api-key": key, authorization: "Bearer of-theirs" });
      expect([both["x-api-key"], both.authorization]).toEqual([undefined, "Bearer of-theirs"]);
      const bearer = await seenWith({ "x-api-key": "theirs", authorization: `Bearer ${key}` });
      expect([bearer["x-api-key"], bearer.authorization]).toEqual(["theirs", undefined]);
      for (const seen of [both, bearer]) expect(seen["x-berth-nobody"]).toBeUndefined();
    }
  });

  test("of another workspace finds nothing", async () => {
    const other = await rig.addWorkspace("other");
    const { secret } = await rig.keys.create(other.id, "foreign");
    expect(await statusOf({ "x-api-key": secret })).toBe(404);
  });
});

test("sockets are for whoever the project knows, too", async () => {
  const open = async (headers: Record<string, string>) => {
    const socket = new WebSocket(`${rig.url.replace("http", "ws")}/d/${id}/socket`, { headers } as never);
    const heard = await new Promise<unknown>((resolve) => {
      socket.addEventListener("message", ({ data }) => resolve(data));
      socket.addEventListener("error", () => resolve("refused"));
    });
    socket.close();
    return heard;
  };
  expect(await open({ authorization: "Bearer of-theirs" })).toBe("hello from instance");
  await rig.saysOwnAuth(id, 0);
  expect(await open({ authorization: "Bearer of-theirs" })).toBe("refused");
  await rig.saysOwnAuth(id, 1);
});

describe("who stays", () => {
  test("loses streams when a key is asked for, or the next revision does not know them", async () => {
    const admitAgain = rig.gateway.jobs().find(({ name }) => name === "gateway.admit");
    const { body } = await fetch(`${rig.url}/d/${id}/events?ms=60000`);
    const reader = body?.getReader();
    await reader?.read();
    await admitAgain?.once(Date.now() + 31_000);
    const over = reader?.read().catch(() => "cut");
    expect(rig.gateway.readings().some(({ name }) => name === "berth_gateway_open")).toBe(true);
    await rig.deployments.patch(DEFAULT_WORKSPACE.id, id, { source_config: { require_api_key: true } });
    rig.gateway.switched(id);
    await admitAgain?.once(Date.now() + 31_000);
    expect(await over).toBe("cut");
    expect(await statusOf({ authorization: "Bearer of-theirs" })).toBe(401);
    expect(await statusOf({ "x-api-key": SERVICE_KEY })).toBe(200);
    await rig.deployments.patch(DEFAULT_WORKSPACE.id, id, { source_config: { require_api_key: false } });
    rig.gateway.switched(id);
    expect(await statusOf()).toBe(200);
  });
});

describe("the sign-in of the chat", () => {
  test("asks the deployment about what is no key, and takes a key itself", async () => {
    const passed = await signIn("a-token-of-theirs");
    expect(JSON.parse(passed.body)).toMatchObject({ method: "POST", path: "/sign-in" });
    const before = instance.seen.length;
    const taken = await signIn(SERVICE_KEY);
    expect(JSON.parse(taken.body)).toMatchObject({ signed_in: true });
    const cookie = taken.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    expect(cookie).toStartWith("berth_session=");
    expect(JSON.parse((await at("/api/session", { headers: { cookie } })).body)).toMatchObject({
      signed_in: true,
    });
    expect(instance.seen.length).toBe(before);
    const seen = await seenWith({ cookie });
    expect([seen["x-auth-scheme"], seen.cookie, seen["x-berth-nobody"]]).toEqual([
      "langsmith",
      undefined,
      undefined,
    ]);
  });

  test("keeps what the deployment's users are known by to the deployment's address", async () => {
    const { headers } = await at("/x");
    expect(headers["set-cookie"]).toEqual([
      `own=1; Path=/d/${id}/; HttpOnly`,
      `berth_user=stolen; Path=/d/${id}/`,
    ]);
    const cookie = "own=1; berth_user=held.x; berth_session=ours";
    expect((await seenWith({ cookie })).cookie).toBe("own=1; berth_session=held.x");
    await at("/api/session", { headers: { cookie } });
    expect(lastSeen()?.headers.cookie).toBe("own=1; berth_session=held.x");
    await at("/sign-out", { method: "POST", headers: { cookie, origin: rig.url } });
    expect([lastSeen()?.path, lastSeen()?.headers.cookie]).toEqual([
      "/sign-out",
      "own=1; berth_session=held.x",
    ]);
    // Elsewhere it is nobody's.
    await rig.saysOwnAuth(id, 0);
    expect((await seenWith({ "x-api-key": SERVICE_KEY, cookie })).cookie).toBe("own=1");
    await rig.saysOwnAuth(id, 1);
  });

  test("is Berth's page all the same", async () => {
    const { body, headers } = await at("/", { headers: { accept: "text/html" } });
    expect(body).toStartWith("<!doctype html>");
    expect(headers["content-security-policy"]).toContain("script-src 'self'");
  });
});

test("guesses at the operator's key win nothing once there were too many", async () => {
  const fresh = await gatewayRig();
  const deployment = await fresh.deployment("guessed");
  const refusing = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("no", { status: 401 }),
  });
  await fresh.serve(deployment, refusing.port ?? 0);
  await fresh.saysOwnAuth(deployment, 1);
  const guess = (key: string, path = "/x") =>
    ask(fresh.url, `/d/${deployment}${path}`, { headers: { "x-api-key": key } });
  for (let n = 0; n < 11; n += 1) expect((await guess(`wrong-${n}`)).status).toBe(401);
  expect((await guess(SERVICE_KEY)).status).toBe(401);
  const typed = await ask(fresh.url, `/d/${deployment}/sign-in`, {
    method: "POST",
    headers: json,
    body: [JSON.stringify({ api_key: SERVICE_KEY })],
  });
  expect(typed.status).toBe(429);
  await fresh.stop();
  await refusing.stop(true);
});
