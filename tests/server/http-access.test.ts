import { describe, expect, test } from "bun:test";
import {
  closed,
  controlPlane,
  documentation,
  documentationPage,
  figures,
  liveness,
  type Policy,
  pageFile,
  serverInfo,
} from "../../server/access/index.ts";
import { anybody } from "../../server/authorization/index.ts";
import type { AccessOptions } from "../../server/http/access.ts";
import { json } from "../../server/http/answer.ts";
import { Cors, type CorsRules } from "../../server/http/cors.ts";
import { operation } from "../../server/http/operation.ts";
import { call, httpApp, workspaceId } from "./http-app.ts";

const answers = { 200: "Done" };
const policies: Record<string, Policy> = {
  "/ok": liveness,
  "/threads": closed,
  "/v2/deployments": controlPlane,
  "/assets/app.js": pageFile,
  "/docs": documentationPage(anybody),
  "/docs/script.js": documentation(anybody),
  "/openapi.json": documentation(anybody),
  "/info": serverInfo(anybody),
  "/metrics": figures(anybody),
};

function served(access: Partial<AccessOptions>, cors?: CorsRules) {
  return httpApp({
    cors,
    access,
    operations: () =>
      Object.entries(policies).map(([path, access]) =>
        operation(
          { method: "GET", path, access, bodyLimit: "none", tag: "T", summary: path, answers },
          ({ caller }) => json({ caller }),
        ),
      ),
  }).app;
}

function keyed(overrides: Partial<AccessOptions> = {}, cors?: CorsRules) {
  const lookups: string[] = [];
  const keys = new Map([
    ["good", { keyId: "k1", workspaceId }],
    ["foreign", { keyId: "k2", workspaceId: "other" }],
    ["wide", { keyId: "k3", workspaceId: "other", scope: "organization" as const }],
  ]);
  const time = { ms: 1_000_000 };
  const app = served(
    {
      keysRequired: () => true,
      serviceKey: "service-secret",
      clock: { now: () => time.ms },
      verify: async (secret) => {
        lookups.push(secret);
        return keys.get(secret);
      },
      hasWorkspace: async (id) => [workspaceId, "other"].includes(id),
      ...overrides,
    },
    cors,
  );
  return { app, keys, lookups, time };
}

const get = (app: ReturnType<typeof served>, path: string, headers: Record<string, string> = {}) =>
  call(app, path, { headers });

describe("without keys", () => {
  const hosts: [string, number][] = [
    ["localhost", 200],
    ["LOCALHOST:8123", 200],
    ["127.0.0.1:8123", 200],
    ["127.9.9.9", 200],
    ["[::1]:8123", 200],
    ["evil.example", 403],
    ["localhost.evil.example:8123", 403],
    ["127.0.0.1.evil.example", 403],
    ["192.168.1.7:8123", 403],
    ["0.0.0.0:8123", 403],
  ];
  test.each(hosts)("host %s: %d", async (host, status) => {
    expect((await get(served({}), "/threads", { host })).status).toBe(status);
  });

  const origins: [string, number][] = [
    ["http://localhost:3000", 200],
    ["http://127.0.0.1:8123", 200],
    ["https://[::1]:4000", 200],
    ["https://named.example", 200],
    ["https://evil.example", 403],
    ["http://localhost.evil.example", 403],
    ["http://localhost:3000@evil.example", 403],
    ["null", 403],
  ];
  test.each(origins)("origin %s: %d, although the list holds *", async (origin, status) => {
    const app = served({}, { allowOrigins: ["*", "https://named.example"], allowOriginRegex: /.*/ });
    const { status: got, headers } = await get(app, "/threads", { origin });
    expect(got).toBe(status);
    expect(headers.get("access-control-allow-origin")).toBe(status === 200 ? origin : null);
  });

  test("the caller is the process's own workspace, and /ok answers anybody", async () => {
    const { body } = await get(served({}), "/threads");
    expect(body).toEqual({ caller: { keyId: null, workspaceId } });
    expect((await get(served({}), "/ok", { host: "evil.example" })).status).toBe(200);
  });
});

describe("with keys", () => {
  test("a pattern of origins beats the list of them, but where deployments are managed", async () => {
    const cors = new Cors({
      allowOrigins: ["https://listed.example"],
      allowOriginRegex: /^https:\/\/re\.example$/,
    });
    const allowed = (origin: string, policy: Policy) =>
      cors.headersFor(origin, policy, true)["access-control-allow-origin"];
    expect(allowed("https://re.example", closed)).toBe("https://re.example");
    expect(allowed("https://listed.example", closed)).toBeUndefined();
    expect(allowed("https://re.example", controlPlane)).toBeUndefined();
    expect(allowed("https://listed.example", controlPlane)).toBe("https://listed.example");
    expect(cors.isNeighbour("https://listed.example")).toBe(true);
  });

  test("X-Api-Key and Bearer are taken, from any host", async () => {
    const { app } = keyed();
    const byKey = await get(app, "/threads", { "x-api-key": "good", host: "berth.example" });
    expect(byKey.body).toEqual({ caller: { keyId: "k1", workspaceId } });
    expect((await get(app, "/threads", { authorization: "Bearer good" })).status).toBe(200);
    const service = await get(app, "/threads", { authorization: "bearer service-secret" });
    expect(service.body).toEqual({ caller: { keyId: "service", workspaceId, scope: "organization" } });
  });

  test("X-Tenant-Id chooses a workspace for whoever may choose", async () => {
    const { app } = keyed();
    const asked = async (path: string, key: string, tenant?: string) => {
      const headers = { "x-api-key": key, ...(tenant === undefined ? {} : { "x-tenant-id": tenant }) };
      const { status, body } = await get(app, path, headers);
      return status === 200 ? Object(body).caller.workspaceId : [status, Object(body).detail];
    };
    const refused = [403, expect.stringContaining("not good for")];
    expect(await asked("/v2/deployments", "foreign")).toBe("other");
    expect(await asked("/v2/deployments", "foreign", "Other")).toBe("other");
    expect(await asked("/v2/deployments", "foreign", workspaceId)).toEqual(refused);
    expect(await asked("/v2/deployments", "wide", workspaceId)).toBe(workspaceId);
    expect(await asked("/v2/deployments", "wide", "nobody's")).toEqual(refused);
    const unspecified = [403, expect.stringContaining("requires workspace specification")];
    expect(await asked("/v2/deployments", "wide")).toEqual(unspecified);
    expect(await asked("/v2/deployments", "service-secret")).toBe(workspaceId);
    expect(await asked("/v2/deployments", "service-secret", "other")).toBe("other");
    expect(await asked("/threads", "wide")).toBe(workspaceId);
    expect(await asked("/threads", "good", "other")).toBe(workspaceId);
  });

  test("no key and a wrong key are 401, a key of another workspace is 403 but where all meet", async () => {
    const { app } = keyed();
    const none = await get(app, "/threads");
    expect([none.status, none.body]).toEqual([401, { detail: expect.stringContaining("Missing API key") }]);
    expect(none.headers.get("www-authenticate")).toBe("Bearer");
    expect((await get(app, "/threads", { "x-api-key": "bad" })).status).toBe(401);
    expect((await get(app, "/threads", { "x-api-key": "service-secre" })).status).toBe(401);
    expect((await get(app, "/threads", { "x-api-key": "foreign" })).status).toBe(403);
    expect((await get(app, "/v2/deployments", { "x-api-key": "foreign" })).status).toBe(200);
    expect((await get(app, "/unknown")).status).toBe(401);
  });

  test("where a person opens a page, the browser asks for the key as a password", async () => {
    const { app } = keyed();
    const basic = (secret: string) => ({ authorization: `Basic ${btoa(`ada:${secret}`)}` });
    const opened = await get(app, "/info", { accept: "text/html,*/*" });
    expect(opened.status).toBe(401);
    expect(opened.headers.get("www-authenticate")).toStartWith("Basic realm=");
    const fetched = await get(app, "/docs", { accept: "*/*" });
    expect(fetched.headers.get("www-authenticate")).toBe("Bearer");
    expect((await get(app, "/docs", basic("bad"))).status).toBe(401);
    expect((await get(app, "/docs", { authorization: `Basic ${btoa("good")}` })).status).toBe(401);
    for (const path of ["/docs", "/docs/script.js", "/openapi.json", "/info", "/metrics"])
      expect([path, (await get(app, path, basic("good"))).status]).toEqual([path, 200]);
  });

  test("nothing else takes a password, which a browser would send for any page", async () => {
    const { app } = keyed();
    const headers = { authorization: `Basic ${btoa("ada:good")}`, accept: "text/html" };
    for (const path of ["/threads", "/docs/../threads", "/docsy", "/infos", "/v2/deployments"]) {
      const answer = await get(app, path, headers);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
    expect((await call(app, "/docs", { method: "POST", headers })).status).toBe(401);
  });

  test("/ok and page assets need none", async () => {
    const { app } = keyed();
    expect((await get(app, "/ok")).status).toBe(200);
    expect((await get(app, "/assets/app.js")).status).toBe(200);
    expect((await get(app, "/ok/../threads")).status).toBe(401);
  });

  test("a good key is looked up once in four seconds, a bad one each time", async () => {
    const { app, lookups, time } = keyed();
    for (let at = 0; at < 5; at++) await get(app, "/threads", { "x-api-key": "good" });
    expect(lookups).toEqual(["good"]);
    for (let at = 0; at < 3; at++) await get(app, "/threads", { "x-api-key": "bad" });
    expect(lookups).toEqual(["good", "bad", "bad", "bad"]);
    time.ms += 4_001;
    await get(app, "/threads", { "x-api-key": "good" });
    expect(lookups.at(-1)).toBe("good");
  });

  test("a revoked key stops within five seconds", async () => {
    const { app, keys, time } = keyed();
    expect((await get(app, "/threads", { "x-api-key": "good" })).status).toBe(200);
    keys.delete("good");
    time.ms += 4_999;
    expect((await get(app, "/threads", { "x-api-key": "good" })).status).toBe(401);
  });

  test("a key made while the process runs closes it at once", async () => {
    let required = false;
    const { app } = keyed({ keysRequired: () => required });
    expect((await get(app, "/threads")).status).toBe(200);
    required = true;
    expect((await get(app, "/threads")).status).toBe(401);
  });
});

describe("pages of other origins", () => {
  const asks = {
    origin: "https://studio.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-api-key",
    "access-control-request-private-network": "true",
  };
  const preflight = (app: ReturnType<typeof served>, path: string, headers: Record<string, string> = asks) =>
    call(app, path, { method: "OPTIONS", headers });

  test("a preflight needs no key and answers for private networks", async () => {
    const { status, headers } = await preflight(keyed().app, "/threads");
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-headers")).toBe("content-type,x-api-key");
    expect(headers.get("access-control-allow-methods")).toContain("DELETE");
    expect(headers.get("access-control-allow-private-network")).toBe("true");
  });

  test("* never covers the control plane, a named origin does", async () => {
    expect((await preflight(keyed().app, "/v2/deployments")).status).toBe(403);
    expect((await preflight(keyed().app, "/api-host/v2/deployments")).status).toBe(403);
    const named = keyed({}, { allowOrigins: ["https://studio.example"] }).app;
    expect((await preflight(named, "/v2/deployments")).headers.get("access-control-allow-origin")).toBe(
      "https://studio.example",
    );
    expect((await preflight(named, "/threads", { ...asks, origin: "https://evil.example" })).status).toBe(
      403,
    );
  });

  test("without keys a foreign page's preflight is refused", async () => {
    expect((await preflight(served({}), "/threads")).status).toBe(403);
    expect(
      (await preflight(served({}), "/threads", { ...asks, origin: "http://localhost:3000" })).status,
    ).toBe(204);
  });

  test("what clients read is exposed, errors included", async () => {
    const rules = {
      allowOrigins: ["https://studio.example"],
      allowCredentials: true,
      exposeHeaders: ["x-more"],
    };
    const { status, headers } = await get(keyed({}, rules).app, "/threads", {
      origin: "https://studio.example",
    });
    expect(status).toBe(401);
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    expect(headers.get("vary")).toContain("Origin");
    for (const name of [
      "content-location",
      "location",
      "x-pagination-total",
      "x-pagination-next",
      "x-request-id",
      "x-more",
    ])
      expect(headers.get("access-control-expose-headers")).toContain(name);
  });

  test("OPTIONS that is no preflight is an ordinary wrong method", async () => {
    const { status, headers } = await call(served({}), "/threads", { method: "OPTIONS" });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
