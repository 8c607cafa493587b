import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type GatewayRig, gatewayRig, MAX_BODY_BYTES, SERVICE_KEY } from "./gateway-rig.ts";
import { type Asking, ask, rawInstance, type Seen, scriptedInstance } from "./scripted-instance.ts";

const instance = scriptedInstance();
let rig: GatewayRig;
let id: string;
let token: string;
beforeAll(async () => {
  rig = await gatewayRig({ publicUrl: "https://berth.example/here" });
  id = await rig.deployment("one");
  token = (await rig.serve(id, instance.port)).token;
});
afterAll(async () => {
  await rig.stop();
  await instance.stop();
});

const send = (path: string, asking: Asking = {}) =>
  ask(rig.url, `/d/${id}${path}`, { ...asking, headers: { "x-api-key": SERVICE_KEY, ...asking.headers } });
const seen = async (path: string, asking: Asking = {}): Promise<Seen> =>
  JSON.parse((await send(path, asking)).body);

describe("what the instance is asked", () => {
  test("the path and query are the caller's, byte for byte", async () => {
    for (const path of ["/x", "/a%2Fb%20c?q=%20&r=a+b", "//x", "/%C3%A9?x=/d/y"])
      expect((await seen(path)).path).toBe(path);
  });

  test("nobody climbs out of a deployment's address", async () => {
    for (const path of ["/../../v2/deployments", "/%2e%2e/%2e%2e/x", "/..%2f..%2fx"]) {
      const before = instance.seen.length;
      await send(path);
      for (const { path: got } of instance.seen.slice(before)) expect(got).toBe("/..%2f..%2fx");
    }
  });

  test("every method", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
      expect((await seen("/x", { method })).method).toBe(method);
  });

  test("headers pass, but for those of the hop and what a proxy in front of us said", async () => {
    const { headers } = await seen("/x", {
      headers: {
        "x-own": "1",
        "accept-encoding": "br",
        connection: "close, x-named",
        "x-named": "1",
        te: "trailers",
        forwarded: "for=1.2.3.4",
        "x-forwarded-for": "1.2.3.4",
        "x-forwarded-proto": "gopher",
        "x-real-ip": "1.2.3.4",
        "x-request-id": "mine-1",
        "x-berth-gateway": "forged",
      },
    });
    const host = new URL(rig.url).host;
    expect(headers).toMatchObject({
      ...{ "x-own": "1", "accept-encoding": "br", "x-request-id": "mine-1", "x-berth-gateway": token, host },
      ...{ "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "https", "x-forwarded-host": host },
      "x-forwarded-prefix": `/here/d/${id}`,
    });
    for (const name of ["x-named", "te", "forwarded", "x-real-ip", "x-api-key"])
      expect([name, headers[name]]).toEqual([name, undefined]);
  });

  test("our cookie stays with us, the agent's own passes", async () => {
    const { headers } = await seen("/x", { headers: { cookie: "a=1; berth_session=secret; b=2" } });
    expect(headers.cookie).toBe("a=1; b=2");
    expect(
      (await seen("/x", { headers: { cookie: "berth_session=secret" } })).headers.cookie,
    ).toBeUndefined();
  });

  test("a header that is no text can be passed on", async () => {
    expect((await send("/x", { headers: { "x-name": "z\u00fc" } })).status).toBe(200);
  });
});

describe("bodies", () => {
  test("small, large, chunked, empty", async () => {
    const part = new Uint8Array(500_000);
    const large = { method: "POST", headers: { "content-length": "1500000" }, body: [part, part, part] };
    expect(
      (await seen("/x", { method: "POST", headers: { "content-length": "5" }, body: ["hello"] })).bytes,
    ).toBe(5);
    expect((await seen("/x", large)).bytes).toBe(1_500_000);
    expect((await seen("/x", { method: "POST", body: [part, part] })).bytes).toBe(1_000_000);
    expect((await seen("/x", { method: "POST" })).bytes).toBe(0);
  });

  test("larger than the limit: 413, declared or found out", async () => {
    const part = new Uint8Array(MAX_BODY_BYTES / 4);
    const five = [part, part, part, part, part];
    const detail = `Request body is larger than the limit of ${MAX_BODY_BYTES} bytes`;
    const declared = { method: "POST", headers: { "content-length": String(5 * part.length) }, body: five };
    for (const asking of [declared, { method: "POST", body: five }]) {
      const { status, body } = await send("/x", asking);
      expect([status, JSON.parse(body)]).toEqual([413, { detail }]);
    }
  });
});

describe("answers", () => {
  test("statuses without a body, parts of files, compressed and large ones", async () => {
    expect((await send("/empty")).status).toBe(204);
    expect(await send("/same")).toMatchObject({ status: 304, headers: { etag: '"1"' }, body: "" });
    expect(await send("/file")).toMatchObject({
      ...{ status: 206, body: "234" },
      headers: { "content-range": "bytes 2-4/10", "content-length": "3" },
    });
    const head = await send("/big", { method: "HEAD" });
    expect([head.status, head.headers["content-length"], head.body]).toEqual([200, "5000000", ""]);
    const packed = await send("/packed");
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect((await send("/big")).body.length).toBe(5_000_000);
  });

  test("a deployment has no say in what is ours", async () => {
    const { headers } = await send("/x", { headers: { "x-request-id": "mine-2" } });
    expect(headers).toMatchObject({ "x-instance": "instance", "x-request-id": "mine-2" });
    for (const name of ["clear-site-data", "x-of-this-hop", "x-berth-moved", "x-berth-own-auth"])
      expect([name, headers[name]]).toEqual([name, undefined]);
    expect(headers["set-cookie"]).toEqual([`own=1; Path=/here/d/${id}/; HttpOnly`]);
  });

  test("its pages get an origin of their own, its data none", async () => {
    expect((await send("/page")).headers["content-security-policy"]).toStartWith("sandbox ");
    expect((await send("/x")).headers["content-security-policy"]).toBeUndefined();
  });

  test("a redirect within it stays under its address", async () => {
    const prefix = `/here/d/${id}`;
    const targets = {
      "/next?a=1": `${prefix}/next?a=1`,
      [`${prefix}/next`]: `${prefix}/next`,
      next: "next",
      "//evil.example/x": "//evil.example/x",
      "https://elsewhere.example/x": "https://elsewhere.example/x",
      [`http://127.0.0.1:${instance.port}/x`]: `${prefix}/x`,
    };
    for (const [to, location] of Object.entries(targets))
      expect((await send(`/moved?to=${encodeURIComponent(to)}`)).headers.location).toBe(location);
  });

  test("its address without a slash leads to the one with it", async () => {
    const { status, headers } = await send("?x=1");
    expect(new URL(headers.location ?? "", `${rig.url}/d/${id}`).href).toBe(`${rig.url}/d/${id}/?x=1`);
    expect(status).toBe(308);
  });

  test("what belongs to Berth and its instances alone is not there", async () => {
    for (const path of ["/internal/claim", "/internal/claim/", "/prefix/internal/claim", "/internal/rest"])
      expect((await send(path, { method: "POST" })).status).toBe(404);
  });

  test("who may read them from another page is for the deployment to say, before and after", async () => {
    const origin = "https://studio.example";
    const asks = { origin, "access-control-request-method": "POST" };
    const preflight = await ask(rig.url, `/d/${id}/x`, { method: "OPTIONS", headers: asks });
    expect([preflight.status, JSON.parse(preflight.body).method]).toEqual([200, "OPTIONS"]);
    const { headers } = await send("/origins", { headers: { origin } });
    expect(headers["access-control-allow-origin"]).toBe("https://only.example");
    expect(
      (await send("/x", { headers: { origin } })).headers["access-control-allow-origin"],
    ).toBeUndefined();
  });
});

describe("streams", () => {
  const stream = async (path: string, signal?: AbortSignal) => {
    const headers = { "x-api-key": SERVICE_KEY };
    const { body } = await fetch(`${rig.url}/d/${id}${path}`, { headers, ...(signal && { signal }) });
    if (!body) throw new Error("no stream");
    return body.pipeThrough(new TextDecoderStream()).getReader();
  };

  test("each event arrives before the next one exists, and whoever leaves ends it at the instance", async () => {
    const reader = await stream("/events?ms=60000");
    expect((await reader.read()).value).toBe("id: 1\ndata: 1\n\n");
    expect(rig.gateway.inFlight((await serving()).id)).toBe(1);
    await reader.cancel();
    while (!instance.gone.includes("/events")) await Bun.sleep(5);
    while (rig.gateway.inFlight((await serving()).id) > 0) await Bun.sleep(5);
  });

  test("a slow reader holds the instance back", async () => {
    const reader = await stream("/events");
    await reader.read();
    const before = process.memoryUsage().rss;
    await Bun.sleep(300);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576);
    await reader.cancel();
  });

  test("what breaks off at the instance breaks off at the caller", async () => {
    const broken = await rawInstance(
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n",
      (socket) => setTimeout(() => socket.destroy(), 30),
    );
    const other = await rig.deployment("broken");
    await rig.serve(other, broken.port);
    const answer = await ask(rig.url, `/d/${other}/x`, { headers: { "x-api-key": SERVICE_KEY } });
    expect(answer).toMatchObject({ status: 200, body: "data: 1\n\n", broke: true });
    await broken.stop();
  });

  test("an instance that ends before it answers: 502", async () => {
    const broken = await rawInstance("", (socket) => socket.resetAndDestroy());
    const other = await rig.deployment("dying");
    await rig.serve(other, broken.port);
    for (const method of ["POST", "GET"]) {
      const { status } = await ask(rig.url, `/d/${other}/x`, {
        method,
        headers: { "x-api-key": SERVICE_KEY },
      });
      expect(status).toBe(502);
    }
    // The one that cannot have done harm was tried twice.
    expect(broken.connections()).toBe(3);
    await broken.stop();
  });

  const serving = async () => {
    const found = (await rig.instances.ofDeployment(id)).find(({ state }) => state === "serving");
    if (!found) throw new Error("nothing serves");
    return found;
  };
});
