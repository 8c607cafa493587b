import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { type Bytes, bytesOf, descriptor, digestOf, INDEX, MANIFEST, manifestOf, Pusher } from "./pusher.ts";

// What the OCI distribution specification 1.1 says that a registry must do, in its details; the numbers go on behind
// those of `distribution.test.ts`.
const KEY = "a-key-for-the-details";
const UNKNOWN = `sha256:${"0".repeat(64)}`;
const CODE = /^[A-Z_]+$/;

let berth: BerthProcess;
let deploymentId: string;
let me: Pusher;
const api = new DeploymentApi(() => berth.url, KEY);

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY } });
  const { id } = await api.fromImage("details");
  deploymentId = id;
  const { token } = await api.ask<{ token: string }>("POST", `/v2/deployments/${id}/push-token`);
  me = new Pusher(() => berth.url, `berth/${id}/app`, token);
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

const image = (name: string) => me.at(`berth/${deploymentId}/${name}`);
const status = async (response: Promise<Response>) => (await response).status;

describe("names, references and failures", () => {
  test.each(["a", "a.b", "a_b", "a__b", "a-b", "a---b", "0", "a1.b2__c3-d4"])(
    "23. %s is the name of an image",
    async (name) => {
      expect(await status(image(name).of("blobs/uploads/", { method: "POST" }))).toBe(202);
    },
  );

  test.each(["A", "a..b", "a___b", "-a", "a-", "a._b", ".a"])("24. %s is none", async (name) => {
    const response = await image(name).of("blobs/uploads/", { method: "POST" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ code: "NAME_INVALID" }] });
  });

  test("25. a tag has 128 characters of its alphabet at most, and begins with none of . and -", async () => {
    const digest = await image("tags").image("first", bytesOf("of tags"));
    const manifest = await (await image("tags").of(`manifests/${digest}`)).bytes();
    const tagged = (tag: string) => status(image("tags").manifest(tag, new Uint8Array(manifest)));
    for (const tag of ["_", "a".repeat(128), "A-b.c_d"]) expect(await tagged(tag)).toBe(201);
    for (const tag of ["a".repeat(129), ".a", "-a", "a+b"]) expect(await tagged(tag)).toBe(400);
  });

  test("26. every failure is a list of errors, each with a code in capitals and a message", async () => {
    const failures = [
      () => me.of(`manifests/${UNKNOWN}`),
      () => me.of(`blobs/${UNKNOWN}`),
      () => me.of("blobs/sha256:short"),
      () => me.of(`blobs/uploads/${crypto.randomUUID()}`),
      () => me.of(`blobs/uploads/${crypto.randomUUID()}`, { method: "PATCH", body: "x" }),
      () => me.of("manifests/v1", { method: "PUT", body: "no JSON", headers: { "content-type": MANIFEST } }),
      () => me.of("manifests/none", { method: "DELETE" }),
      () => me.of("referrers/none"),
      () => image("nothing").of("tags/list"),
      () => me.at("berth/another/app").of("tags/list"),
      () => fetch(`${berth.url}/v2/`),
      () => me.of("blobs/uploads/?digest=md5:1", { method: "POST", body: "x" }),
    ];
    for (const fails of failures) {
      const response = await fails();
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      const { errors } = (await response.json()) as { errors: { code: string; message: string }[] };
      expect(errors.length).toBeGreaterThan(0);
      for (const { code, message } of errors) {
        expect(code).toMatch(CODE);
        expect(message).not.toBe("");
      }
    }
  });
});

describe("push", () => {
  test("27. an upload without bytes tells its address and its range", async () => {
    const at = await me.begin();
    const now = await me.send(at);
    expect([now.status, now.headers.get("location"), now.headers.get("range")]).toEqual([204, at, "0-0"]);
  });

  test("28. a stream without a range goes behind what is there", async () => {
    const at = await me.begin();
    for (const [body, end] of [
      ["abc", 2],
      ["defgh", 7],
    ] as const) {
      const sent = await me.send(at, { method: "PATCH", body });
      expect([sent.status, sent.headers.get("range")]).toEqual([202, `0-${end}`]);
    }
    const digest = digestOf(bytesOf("abcdefgh"));
    const put = await me.send(`${at}?digest=${digest}`, { method: "PUT" });
    expect([put.status, put.headers.get("location")]).toEqual([201, `/v2/${me.repository}/blobs/${digest}`]);
    // It is over.
    expect(await status(me.send(at))).toBe(404);
  });

  test("29. a mount that names no other image begins an upload, or is one", async () => {
    const digest = await me.blob(bytesOf("mounted from nowhere"));
    const mounted = await image("mounts").of(`blobs/uploads/?mount=${digest}`, { method: "POST" });
    expect(mounted.status).toBe(202);
    expect(mounted.headers.get("location")).toContain("/mounts/blobs/uploads/");
  });

  test("30. a manifest is kept byte for byte, however it is written", async () => {
    const config = bytesOf("{}");
    await me.blob(config);
    const plain = JSON.parse(new TextDecoder().decode(manifestOf(config, []))) as object;
    const odd = bytesOf(
      `\n{ "x-unknown" : 1e0,\t"é":"\\u0041",${JSON.stringify(plain, null, 7).slice(1)}\r\n `,
    );
    expect(await status(me.manifest("odd", odd))).toBe(201);
    expect(await (await me.of("manifests/odd")).bytes()).toEqual(odd);
    expect((await me.of(`manifests/${digestOf(odd)}`)).headers.get("docker-content-digest")).toBe(
      digestOf(odd),
    );
  });

  test("31. a tag that is pushed again leads to the new manifest; the old one is there by its digest", async () => {
    const moved = image("moved");
    const first = await moved.image("now", bytesOf("the first"));
    const second = await moved.image("now", bytesOf("the second"));
    expect((await moved.of("manifests/now")).headers.get("docker-content-digest")).toBe(second);
    expect(await status(moved.of(`manifests/${first}`))).toBe(200);
  });

  test("32. a manifest of 4 MiB is taken, a larger one is 413", async () => {
    const config = bytesOf("{}");
    await me.blob(config);
    const filled = (bytes: number): Bytes => {
      const empty = manifestOf(config, [], { annotations: { filled: "" } });
      return manifestOf(config, [], { annotations: { filled: "x".repeat(bytes - empty.byteLength) } });
    };
    expect(await status(me.manifest("large", filled(4 * 2 ** 20)))).toBe(201);
    expect(await status(me.manifest("larger", filled(4 * 2 ** 20 + 1)))).toBe(413);
    expect(await status(me.of("manifests/larger"))).toBe(404);
  });
});

describe("content discovery", () => {
  test("33. n and last of a list of tags: none with 0, without a link; behind a text that is no tag", async () => {
    const listed = image("listed");
    await listed.image("a", bytesOf("of lists"));
    await listed.image("c", bytesOf("of lists"));
    const asked = (query: string) => listed.of(`tags/list?${query}`);
    const none = await asked("n=0");
    expect([await none.json(), none.headers.get("link")]).toEqual([
      { name: listed.repository, tags: [] },
      null,
    ]);
    expect(await (await asked("last=b")).json()).toMatchObject({ tags: ["c"] });
    expect(await (await asked("last=c")).json()).toMatchObject({ tags: [] });
    const all = await asked("n=2");
    expect([await all.json(), all.headers.get("link")]).toMatchObject([{ tags: ["a", "c"] }, null]);
    // A repository of which no tag is left is there.
    for (const tag of ["a", "c"]) await listed.of(`manifests/${tag}`, { method: "DELETE" });
    expect([await status(asked("")), await (await asked("")).json()]).toMatchObject([200, { tags: [] }]);
  });

  test("34. referrers are never 404, and 400 where the digest is none", async () => {
    const unknown = await image("never-pushed").of(`referrers/${UNKNOWN}`);
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([200, INDEX]);
    expect(await unknown.json()).toEqual({ schemaVersion: 2, mediaType: INDEX, manifests: [] });
    for (const digest of ["none", "sha256:12", `sha256:${"G".repeat(64)}`])
      expect(await status(me.of(`referrers/${digest}`))).toBe(400);
  });

  test("35. a referrer has the type of its config where it names none; an index without one has none", async () => {
    const referred = image("referred");
    const config = bytesOf("{}");
    await referred.blob(config);
    const subject = { subject: descriptor(manifestOf(config, []), MANIFEST) };
    const signature = manifestOf(config, [], { ...subject, annotations: { kind: "image" } });
    const index = bytesOf(
      JSON.stringify({
        ...{ schemaVersion: 2, mediaType: INDEX, manifests: [], annotations: { kind: "index" } },
        ...subject,
      }),
    );
    expect(await status(referred.manifest("signature", signature))).toBe(201);
    const put = await referred.manifest("index", index, INDEX);
    expect([put.status, put.headers.get("oci-subject")]).toEqual([201, subject.subject.digest]);
    const list = async (query = "") => {
      const response = await referred.of(`referrers/${subject.subject.digest}${query}`);
      return ((await response.json()) as { manifests: object[] }).manifests;
    };
    const type = "application/vnd.oci.image.config.v1+json";
    const ofSignature = {
      ...descriptor(signature, MANIFEST),
      ...{ artifactType: type, annotations: { kind: "image" } },
    };
    const ofIndex = { ...descriptor(index, INDEX), annotations: { kind: "index" } };
    expect(await list()).toEqual([ofSignature, ofIndex]);
    expect(await list(`?artifactType=${encodeURIComponent(type)}`)).toEqual([ofSignature]);
    // What is deleted refers to nothing any more.
    await referred.of(`manifests/${digestOf(signature)}`, { method: "DELETE" });
    expect(await list()).toEqual([ofIndex]);
  });
});

test("36. nothing is deleted of an image that nobody pushed: 404", async () => {
  const unknown = image("unknown");
  for (const path of [`manifests/${UNKNOWN}`, "manifests/latest", `blobs/${UNKNOWN}`])
    expect(await status(unknown.of(path, { method: "DELETE" }))).toBe(404);
});
