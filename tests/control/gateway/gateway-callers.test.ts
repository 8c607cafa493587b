import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type GatewayRig, gatewayRig, SERVICE_KEY } from "./gateway-rig.ts";
import { type Asking, ask, type Seen, scriptedInstance } from "./scripted-instance.ts";

const instance = scriptedInstance();
let rig: GatewayRig;
let id: string;
let own: { id: string; secret: string };
let foreign: string;
let organization: string;
beforeAll(async () => {
  rig = await gatewayRig();
  id = await rig.deployment("one");
  await rig.serve(id, instance.port);
  const other = await rig.addWorkspace("other");
  const { key, secret } = await rig.keys.create((await rig.deployments.find(id))?.workspace_id ?? "", "own");
  own = { id: key.id, secret };
  foreign = (await rig.keys.create(other.id, "foreign")).secret;
  organization = (await rig.keys.create(other.id, "organization", "organization")).secret;
});
afterAll(async () => {
  await rig.stop();
  await instance.stop();
});

const at = (path: string, asking: Asking = {}, deployment = id) =>
  ask(rig.url, `/d/${deployment}${path}`, asking);
const statusOf = async (path: string, headers: Record<string, string> = {}, method = "GET") =>
  (await at(path, { headers, method })).status;
const seenWith = async (headers: Record<string, string>): Promise<Seen> =>
  JSON.parse((await at("/x", { headers })).body);

/** Signs in with a browser; gives its cookie. */
async function signIn(key: string): Promise<string> {
  const response = await fetch(`${rig.url}/d/${id}/sign-in`, {
    method: "POST",
    body: JSON.stringify({ api_key: key }),
    headers: { "content-type": "application/json" },
  });
  expect(response.status).toBe(200);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

describe("keys", () => {
  test("none, a wrong one, the operator's, the workspace's, the organization's", async () => {
    expect(await statusOf("/x")).toBe(401);
    expect(await statusOf("/x", { "x-api-key": "wrong" })).toBe(401);
    for (const key of [SERVICE_KEY, own.secret, organization]) {
      expect(await statusOf("/x", { "x-api-key": key })).toBe(200);
      expect(await statusOf("/x", { authorization: `Bearer ${key}` })).toBe(200);
    }
  });

  test("another workspace's deployment looks as one that is not there", async () => {
    const headers = { "x-api-key": foreign };
    const unknown = "0197f0a0-0000-7000-8000-00000000dead";
    for (const deployment of [id, unknown]) {
      const { status, body } = await at("/x", { headers }, deployment);
      expect([status, JSON.parse(body)]).toEqual([404, { detail: `Deployment ID ${deployment} not found.` }]);
    }
    expect((await at("/x", { headers }, "no-uuid")).status).toBe(404);
  });

  test("no key reaches the instance; an agent's own Authorization does, beside X-Api-Key", async () => {
    const both = await seenWith({ "x-api-key": own.secret, authorization: "Bearer of-the-agent" });
    expect([both.headers["x-api-key"], both.headers.authorization]).toEqual([
      undefined,
      "Bearer of-the-agent",
    ]);
    const bearer = await seenWith({ authorization: `Bearer ${own.secret}` });
    expect(bearer.headers.authorization).toBeUndefined();
    expect(both.headers["x-auth-scheme"]).toBeUndefined();
  });

  test("the health check and preflights need none, and bring none", async () => {
    const { status, body } = await at("/ok", {
      headers: { authorization: "Bearer x", "x-api-key": "wrong" },
    });
    expect(status).toBe(200);
    const { headers }: Seen = JSON.parse(body);
    expect([headers.authorization, headers["x-api-key"]]).toEqual([undefined, undefined]);
    const asks = { origin: "https://a.example", "access-control-request-method": "GET" };
    expect(await statusOf("/x", asks, "OPTIONS")).toBe(200);
    expect(await statusOf("/x", {}, "OPTIONS")).toBe(401);
    expect(await statusOf("/ok", {}, "POST")).toBe(401);
    expect(await statusOf("/chat/x", {}, "DELETE")).toBe(401);
  });
});

test("without a key nobody learns of a deployment that does not serve, nor whether there is one", async () => {
  const idle = await rig.deployment("idle");
  const unreachable = await rig.deployment("unreachable");
  const gone = scriptedInstance();
  await rig.serve(unreachable, gone.port);
  await gone.stop();
  const unknown = "0197f0a0-0000-7000-8000-00000000dead";
  const answers = async (path: string, headers: Record<string, string>, method = "GET") => {
    const found = await Promise.all(
      [idle, unreachable, unknown].map((one) => at(path, { headers, method }, one)),
    );
    return found.map(({ status, body }, index) => [
      status,
      body.replace([idle, unreachable, unknown][index] ?? "", "ID"),
    ]);
  };
  for (const headers of [{}, { "x-api-key": "wrong" }, { "x-api-key": foreign }] as Record<string, string>[])
    for (const path of ["/ok", "/ui/agent/entrypoint.js"]) {
      const [first, ...others] = await answers(path, headers);
      expect([path, first?.[0]]).toEqual([path, 404]);
      for (const other of others) expect([path, other]).toEqual([path, first ?? []]);
    }
  const asks = { origin: "https://a.example", "access-control-request-method": "GET" };
  const [first, ...others] = await answers("/x", asks, "OPTIONS");
  for (const other of others) expect(other).toEqual(first ?? []);
  // Whoever may see it does.
  const seen = await answers("/ok", { "x-api-key": SERVICE_KEY });
  expect(seen.map(([status]) => status)).toEqual([503, 503, 404]);
});

describe("a graph's components", () => {
  test("are loaded without a key, and the instance learns that nobody proved who it is", async () => {
    const seen: Seen = JSON.parse((await at("/ui/agent/entrypoint.js")).body);
    expect([seen.path, seen.headers["x-berth-nobody"]]).toEqual(["/ui/agent/entrypoint.js", "1"]);
    expect(await statusOf("/ui/agent/entrypoint.css", {}, "HEAD")).toBe(200);
    const lie = { "x-api-key": own.secret, "x-berth-nobody": "1" };
    expect((await seenWith(lie)).headers["x-berth-nobody"]).toBeUndefined();
  });

  test("and nothing that looks like them to one reader only", async () => {
    for (const [method, path] of [
      ["POST", "/ui/agent"],
      ["POST", "/ui/agent/entrypoint.js"],
      ["GET", "/ui/agent"],
      ["GET", "/ui/agent/a/b"],
      ["GET", "/ui/%2e%2e/threads"],
      ["GET", "/ui/../threads"],
      ["GET", "/ui/a/..\\..\\threads"],
      ["GET", "/x/ui/agent/entrypoint.js"],
    ] as const)
      expect([method, path, await statusOf(path, {}, method)]).toEqual([method, path, 401]);
  });
});

describe("a browser", () => {
  test("loads the chat and signs in without a key; the deployment's own files are not open", async () => {
    const html = { accept: "text/html" };
    for (const path of ["/", "/chat/0197f0a0-0000-7000-8000-000000000001", "/sign-in"]) {
      const { status, body, headers } = await at(path, { headers: html });
      expect([path, status, body.slice(0, 15)]).toEqual([path, 200, "<!doctype html>"]);
      expect(headers["content-security-policy"]).toContain("script-src 'self'");
      for (const [, link = ""] of body.matchAll(/(?:href|src)="([^"]+)"/g)) {
        const { pathname } = new URL(link, `${rig.url}/d/${id}${path}`);
        expect(pathname).toStartWith(`/d/${id}/assets/`);
        expect((await ask(rig.url, pathname)).status).toBe(200);
      }
    }
    expect(await statusOf("/assets/theirs.js")).toBe(401);
    expect(await statusOf("/assets/theirs.js", { "x-api-key": own.secret })).toBe(200);
    const session = await at("/api/session");
    expect(JSON.parse(session.body)).toMatchObject({ required: true, signed_in: false });
  });

  test("programs that ask for the same paths mean the deployment", async () => {
    const { body } = await at("/", { headers: { "x-api-key": own.secret, accept: "application/json" } });
    expect(JSON.parse(body)).toMatchObject({ method: "GET", path: "/" });
  });

  test("with a sign-in may call from our own pages, as the Studio's user", async () => {
    const cookie = await signIn(own.secret);
    const { headers } = await seenWith({ cookie: `theirs=1; ${cookie}` });
    expect([headers.cookie, headers["x-auth-scheme"]]).toEqual(["theirs=1", "langsmith"]);
    const elsewhere = { cookie, "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect(await statusOf("/x", elsewhere, "POST")).toBe(403);
    expect(await statusOf("/x", { ...elsewhere, "sec-fetch-site": "same-origin" }, "POST")).toBe(200);
    const session = await at("/api/session", { headers: { cookie } });
    expect(JSON.parse(session.body)).toMatchObject({ signed_in: true });
  });

  test("signed in for another workspace finds nothing", async () => {
    expect(await statusOf("/x", { cookie: await signIn(foreign) })).toBe(404);
    expect(await statusOf("/x", { cookie: await signIn(SERVICE_KEY) })).toBe(200);
  });

  test("without scripts signs in and out at the deployment's address", async () => {
    const form = async (path: string, fields: Record<string, string>) => {
      const { status, headers } = await fetch(`${rig.url}/d/${id}${path}`, {
        method: "POST",
        body: new URLSearchParams(fields),
        redirect: "manual",
        headers: { origin: rig.url },
      });
      return [status, headers.get("location")];
    };
    expect(await form("/sign-in", { api_key: own.secret })).toEqual([303, `/d/${id}/`]);
    expect(await form("/sign-in", { api_key: "wrong" })).toEqual([303, `/d/${id}/sign-in?error=wrong`]);
    expect(await form("/sign-out", {})).toEqual([303, `/d/${id}/sign-in`]);
  });

  test("reads the API's reference, of which the page is ours and the document the deployment's", async () => {
    expect(await statusOf("/docs")).toBe(401);
    const headers = { cookie: await signIn(own.secret) };
    for (const page of ["/docs", "/docs/swagger"]) {
      const { body, headers: answered } = await at(page, {
        headers: { ...headers, "accept-encoding": "br, gzip" },
      });
      // As every page of a deployment: it could send requests with the sign-in of whoever reads it.
      expect([page, answered["content-security-policy"]]).toEqual([
        page,
        expect.stringMatching(/, sandbox allow-/),
      ]);
      expect(answered["content-security-policy"]).not.toContain("allow-same-origin");
      const [, data = ""] =
        /<script type="application\/json" id="api-document">(.*?)<\/script>/.exec(body) ?? [];
      expect([page, JSON.parse(data).path]).toEqual([page, "/openapi.json"]);
    }
    // Its files load without a sign-in, which the sandbox does not have.
    expect(await statusOf("/docs/swagger-ui.css")).toBe(200);
    expect(JSON.parse((await at("/openapi.json", { headers })).body).path).toBe("/openapi.json");
  });
});

describe("whoever may not stay", () => {
  test("loses streams and sockets when the key is deleted", async () => {
    const { key, secret } = await rig.keys.create(
      (await rig.deployments.find(id))?.workspace_id ?? "",
      "short",
    );
    const headers = { "x-api-key": secret };
    const { body } = await fetch(`${rig.url}/d/${id}/events?ms=60000`, { headers });
    const reader = body?.getReader();
    await reader?.read();
    const socket = new WebSocket(`${rig.url.replace("http", "ws")}/d/${id}/socket`, { headers } as never);
    const closed = new Promise<number>((resolve) =>
      socket.addEventListener("close", ({ code }) => resolve(code)),
    );
    await new Promise((resolve) => socket.addEventListener("message", resolve));
    const admitAgain = rig.gateway.jobs().find(({ name }) => name === "gateway.admit");
    await admitAgain?.once(Date.now() + 31_000);
    await rig.keys.delete(key.workspace_id, key.id);
    // A key that was good a moment ago is trusted for some seconds.
    const over = Promise.all([closed, reader?.read().catch(() => "cut")]);
    while (!(await Promise.race([over.then(() => true), Bun.sleep(200).then(() => false)])))
      await admitAgain?.once(Date.now() + 31_000);
    expect(await over).toEqual([4_401, "cut"]);
  });
});

test("without keys, only this machine is served, under its own name and from its own pages", async () => {
  const keyless = await gatewayRig({ keysRequired: false });
  const deployment = await keyless.deployment("open");
  await keyless.serve(deployment, instance.port);
  const statusWith = async (headers: Record<string, string>, path = "/x") =>
    (await ask(keyless.url, `/d/${deployment}${path}`, { headers })).status;
  expect(await statusWith({})).toBe(200);
  for (const path of ["/x", "/", "/api/session"]) {
    expect(await statusWith({ host: "evil.example" }, path)).toBe(403);
    expect(await statusWith({ origin: "https://evil.example" }, path)).toBe(403);
  }
  await keyless.stop();
});
