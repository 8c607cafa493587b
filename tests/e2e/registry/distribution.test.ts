import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { bytesOf, codeOf, descriptor, digestOf, INDEX, MANIFEST, manifestOf, Pusher } from "./pusher.ts";

// What the OCI distribution specification 1.1 says that a registry must do, number by number.
const KEY = "a-key-for-the-registry";
const UNKNOWN = `sha256:${"0".repeat(64)}`;

let berth: BerthProcess;
let deploymentId: string;
let token: string;
let me: Pusher;
const api = new DeploymentApi(() => berth.url, KEY);

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY } });
  const { id } = await api.fromImage("distribution");
  deploymentId = id;
  token = (await api.ask<{ token: string }>("POST", `/v2/deployments/${id}/push-token`)).token;
  me = new Pusher(() => berth.url, `berth/${id}/app`, token);
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

const other = (image: string) => me.at(`berth/${deploymentId}/${image}`);
const status = async (response: Promise<Response>) => (await response).status;

describe("end-1, determining support", () => {
  test("1. GET /v2/ is 200 with a token, with and without the slash", async () => {
    expect(await status(me.send("/v2/"))).toBe(200);
    expect(await status(me.send("/v2"))).toBe(200);
  });

  test("2. it is 401 without one, and says how to bring it", async () => {
    const response = await fetch(`${berth.url}/v2/`);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toStartWith("Basic realm=");
    expect(await codeOf(response)).toBe("UNAUTHORIZED");
  });

  test("3. a token is taken as Bearer, too", async () => {
    const headers = { authorization: `Bearer ${token}` };
    expect(await status(fetch(`${berth.url}/v2/`, { headers }))).toBe(200);
  });
});

describe("pull", () => {
  const layer = bytesOf("a layer that is pulled");
  const config = bytesOf('{"config":"pulled"}');
  const manifest = manifestOf(config, [layer]);
  const digest = digestOf(manifest);
  beforeAll(async () => {
    await me.image("pulled", layer, config);
  });

  test("4. a manifest by tag and by digest comes as it was pushed, with its type and digest", async () => {
    for (const reference of ["pulled", digest]) {
      const response = await me.of(`manifests/${reference}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe(MANIFEST);
      expect(response.headers.get("docker-content-digest")).toBe(digest);
      expect(await response.bytes()).toEqual(manifest);
    }
  });

  test("5. HEAD of a manifest has the same headers and no body", async () => {
    const response = await me.of(`manifests/${digest}`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(manifest.byteLength));
    expect(response.headers.get("docker-content-digest")).toBe(digest);
    expect(await response.text()).toBe("");
  });

  test("6. a blob comes byte for byte", async () => {
    const response = await me.of(`blobs/${digestOf(layer)}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("docker-content-digest")).toBe(digestOf(layer));
    expect(await response.bytes()).toEqual(layer);
  });

  test("7. HEAD of a blob has its length", async () => {
    const response = await me.of(`blobs/${digestOf(layer)}`, { method: "HEAD" });
    expect([response.status, response.headers.get("content-length")]).toEqual([
      200,
      String(layer.byteLength),
    ]);
  });

  test("8. a part of a blob is 206, one behind its end 416", async () => {
    const asked = (range: string) => me.of(`blobs/${digestOf(layer)}`, { headers: { range } });
    const part = await asked("bytes=2-6");
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 2-6/${layer.byteLength}`]);
    expect(await part.text()).toBe("layer");
    const last = await asked("bytes=-6");
    expect([last.status, await last.text()]).toEqual([206, "pulled"]);
    expect(await status(asked("bytes=1000-"))).toBe(416);
  });

  test("9. what is not here is 404, in the specification's words", async () => {
    const blob = await me.of(`blobs/${UNKNOWN}`);
    expect([blob.status, await codeOf(blob)]).toEqual([404, "BLOB_UNKNOWN"]);
    for (const reference of ["no-such-tag", UNKNOWN]) {
      const found = await me.of(`manifests/${reference}`);
      expect([found.status, await codeOf(found)]).toEqual([404, "MANIFEST_UNKNOWN"]);
      expect(await status(me.of(`manifests/${reference}`, { method: "HEAD" }))).toBe(404);
    }
    expect(await status(me.of(`blobs/${UNKNOWN}`, { method: "HEAD" }))).toBe(404);
  });
});

describe("push", () => {
  test("10. POST, then PUT with the whole blob", async () => {
    const bytes = bytesOf("post then put");
    const at = await me.begin();
    expect(at).toStartWith(`/v2/berth/${deploymentId}/app/blobs/uploads/`);
    const put = await me.send(`${at}?digest=${digestOf(bytes)}`, { method: "PUT", body: bytes });
    expect(put.status).toBe(201);
    const found = await me.send(put.headers.get("location") ?? "");
    expect(await found.text()).toBe("post then put");
  });

  test("11. POST with the whole blob", async () => {
    const bytes = bytesOf("a single post");
    const posted = await me.of(`blobs/uploads/?digest=${digestOf(bytes)}`, { method: "POST", body: bytes });
    expect(posted.status).toBe(201);
    expect(await (await me.send(posted.headers.get("location") ?? "")).text()).toBe("a single post");
  });

  test("12. pieces in their order, the status between them, and the end with the last one", async () => {
    const pieces = ["first, ", "second, ", "third"].map(bytesOf);
    const whole = bytesOf("first, second, third");
    let at = await me.begin();
    let sent = 0;
    for (const body of pieces.slice(0, 2)) {
      const headers = { "content-range": `${sent}-${sent + body.byteLength - 1}` };
      const response = await me.send(at, { method: "PATCH", body, headers });
      sent += body.byteLength;
      expect([response.status, response.headers.get("range")]).toEqual([202, `0-${sent - 1}`]);
      at = response.headers.get("location") ?? "";
      const now = await me.send(at);
      expect([now.status, now.headers.get("range")]).toEqual([204, `0-${sent - 1}`]);
      expect(now.headers.get("location")).toBe(at);
    }
    const [, , last] = pieces;
    const headers = { "content-range": `${sent}-${whole.byteLength - 1}` };
    const put = await me.send(`${at}?digest=${digestOf(whole)}`, { method: "PUT", body: last, headers });
    expect(put.status).toBe(201);
    const found = await me.of(`blobs/${digestOf(whole)}`, { headers: { range: "bytes=5-9" } });
    expect([found.status, await found.text()]).toEqual([206, ", sec"]);
    expect(await (await me.of(`blobs/${digestOf(whole)}`)).text()).toBe("first, second, third");
  });

  test("13. a piece out of order is 416, and the upload goes on", async () => {
    const at = await me.begin();
    await me.send(at, { method: "PATCH", body: "abc", headers: { "content-range": "0-2" } });
    for (const range of ["0-2", "5-7"]) {
      const wrong = await me.send(at, { method: "PATCH", body: "def", headers: { "content-range": range } });
      expect([wrong.status, wrong.headers.get("range")]).toEqual([416, "0-2"]);
    }
    await me.send(at, { method: "PATCH", body: "def", headers: { "content-range": "3-5" } });
    const put = await me.send(`${at}?digest=${digestOf(bytesOf("abcdef"))}`, { method: "PUT" });
    expect(put.status).toBe(201);
  });

  test("14. an upload that is given up is gone", async () => {
    const at = await me.begin();
    await me.send(at, { method: "PATCH", body: "abc" });
    expect(await status(me.send(at, { method: "DELETE" }))).toBe(204);
    const gone = await me.send(at);
    expect([gone.status, await codeOf(gone)]).toEqual([404, "BLOB_UPLOAD_UNKNOWN"]);
  });

  test("15. a blob of another image is mounted, or else sent", async () => {
    const bytes = bytesOf("a mounted blob");
    const digest = await me.blob(bytes);
    const mount = (to: Pusher, from: string, wanted = digest) =>
      to.of(`blobs/uploads/?mount=${wanted}&from=${from}`, { method: "POST" });
    expect(await status(other("mounted").of(`blobs/${digest}`))).toBe(404);
    const mounted = await mount(other("mounted"), me.repository);
    expect([mounted.status, mounted.headers.get("location")]).toEqual([
      201,
      `/v2/berth/${deploymentId}/mounted/blobs/${digest}`,
    ]);
    expect(await (await other("mounted").of(`blobs/${digest}`)).text()).toBe("a mounted blob");
    for (const answer of [
      await mount(other("more"), me.repository, UNKNOWN),
      await mount(other("more"), `berth/${deploymentId}/nothing`),
      await mount(other("more"), "berth/another/app"),
    ])
      expect([answer.status, answer.headers.get("location")?.includes("/blobs/uploads/")]).toEqual([
        202,
        true,
      ]);
  });

  test("16. a manifest by tag, by digest, and one of other images", async () => {
    const [layer, config] = [bytesOf("a layer"), bytesOf("{}")];
    await me.blob(layer);
    await me.blob(config);
    const manifest = manifestOf(config, [layer]);
    const digest = digestOf(manifest);
    for (const reference of ["v1", "v1", "v2", digest]) {
      const put = await me.manifest(reference, manifest);
      expect([put.status, put.headers.get("docker-content-digest")]).toEqual([201, digest]);
      expect(await (await me.send(put.headers.get("location") ?? "")).bytes()).toEqual(manifest);
    }
    const index = bytesOf(
      JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [descriptor(manifest, MANIFEST)] }),
    );
    expect(await status(me.manifest("all", index, INDEX))).toBe(201);
    expect((await me.of("manifests/all")).headers.get("content-type")).toBe(INDEX);
  });

  test("17. a manifest whose parts are not here is refused, and its tag stays where it was", async () => {
    const before = await me.image("kept", bytesOf("a kept layer"));
    const wrong = await me.manifest("kept", manifestOf(bytesOf("{}"), [bytesOf("never pushed")]));
    expect([wrong.status, await codeOf(wrong)]).toEqual([400, "MANIFEST_BLOB_UNKNOWN"]);
    expect((await me.of("manifests/kept")).headers.get("docker-content-digest")).toBe(before);
  });

  test("18. bytes that have another digest are refused", async () => {
    const at = await me.begin();
    await me.send(at, { method: "PATCH", body: "something" });
    const put = await me.send(`${at}?digest=${UNKNOWN}`, { method: "PUT" });
    expect([put.status, await codeOf(put)]).toEqual([400, "DIGEST_INVALID"]);
    const manifest = await me.manifest(UNKNOWN, manifestOf(bytesOf("{}"), []));
    expect([manifest.status, await codeOf(manifest)]).toEqual([400, "DIGEST_INVALID"]);
    expect(await status(me.of(`blobs/${UNKNOWN}`))).toBe(404);
  });

  test("19. an empty blob is one", async () => {
    const digest = await me.blob(bytesOf(""));
    const found = await me.of(`blobs/${digest}`);
    expect([found.status, await found.text()]).toEqual([200, ""]);
  });
});

describe("content discovery", () => {
  test("20. tags come in their order, page by page", async () => {
    const image = other("tagged");
    const digest = await image.image("b", bytesOf("of many tags"));
    const manifest = await (await image.of(`manifests/${digest}`)).bytes();
    for (const tag of ["c", "a", "B", "1.0"]) await image.manifest(tag, new Uint8Array(manifest));
    const tags = async (query = "") => (await (await image.of(`tags/list${query}`)).json()) as object;
    const name = image.repository;
    expect(await tags()).toEqual({ name, tags: ["1.0", "B", "a", "b", "c"] });
    const page = await image.of("tags/list?n=2");
    expect(await page.json()).toEqual({ name, tags: ["1.0", "B"] });
    const [, next] = /^<(.+)>; rel="next"$/.exec(page.headers.get("link") ?? "") ?? [];
    expect(await (await me.send(next ?? "")).json()).toEqual({ name, tags: ["a", "b"] });
    expect(await tags("?n=2&last=b")).toEqual({ name, tags: ["c"] });
    expect(await tags("?n=0")).toEqual({ name, tags: [] });
    const unknown = await other("nothing-here").of("tags/list");
    expect([unknown.status, await codeOf(unknown)]).toEqual([404, "NAME_UNKNOWN"]);
  });

  test("21. what refers to a manifest is listed by its type, also before that is here", async () => {
    const image = other("referred");
    const [config, layer] = [bytesOf("{}"), bytesOf("a signed layer")];
    const subject = manifestOf(config, [layer]);
    await image.blob(config);
    await image.blob(layer);
    const more = {
      ...{ artifactType: "application/x-signature", annotations: { by: "ada" } },
      subject: descriptor(subject, MANIFEST),
    };
    const signature = manifestOf(config, [], more);
    const put = await image.manifest(digestOf(signature), signature);
    expect([put.status, put.headers.get("oci-subject")]).toEqual([201, digestOf(subject)]);
    const listed = {
      ...descriptor(signature, MANIFEST),
      ...{ artifactType: "application/x-signature", annotations: { by: "ada" } },
    };
    const found = await image.of(`referrers/${digestOf(subject)}`);
    expect(found.headers.get("content-type")).toBe(INDEX);
    expect(await found.json()).toEqual({ schemaVersion: 2, mediaType: INDEX, manifests: [listed] });
    const filtered = await image.of(`referrers/${digestOf(subject)}?artifactType=application/x-other`);
    expect(filtered.headers.get("oci-filters-applied")).toBe("artifactType");
    expect(await filtered.json()).toMatchObject({ manifests: [] });
    expect(await (await image.of(`referrers/${UNKNOWN}`)).json()).toMatchObject({ manifests: [] });
    expect(await status(image.manifest("late", subject))).toBe(201);
  });
});

describe("content management", () => {
  test("22. a tag, a manifest and a blob are deleted", async () => {
    const image = other("deleted");
    const layer = bytesOf("a deleted layer");
    const digest = await image.image("one", layer);
    await image.manifest("two", new Uint8Array(await (await image.of(`manifests/${digest}`)).bytes()));
    const remove = (path: string) => image.of(path, { method: "DELETE" });
    expect(await status(remove("manifests/one"))).toBe(202);
    expect(await status(image.of("manifests/one"))).toBe(404);
    expect(await status(image.of("manifests/two"))).toBe(200);
    const named = await remove(`blobs/${digestOf(layer)}`);
    expect([named.status, await codeOf(named)]).toEqual([403, "DENIED"]);
    expect(await status(remove(`manifests/${digest}`))).toBe(202);
    for (const reference of ["two", digest])
      expect(await status(image.of(`manifests/${reference}`))).toBe(404);
    expect(await status(remove(`blobs/${digestOf(layer)}`))).toBe(202);
    expect(await status(image.of(`blobs/${digestOf(layer)}`))).toBe(404);
    expect(await status(remove(`manifests/${digest}`))).toBe(404);
    expect(await status(remove(`blobs/${digestOf(layer)}`))).toBe(404);
  });
});
