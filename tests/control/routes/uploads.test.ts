import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isReservedName } from "../../../server/settings/reserved-names.ts";
import { rawTar } from "../build/raw-tar.ts";
import { githubBody, openControlRig, type Rig, sourceBody, textOf, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
let id: string;
beforeAll(async () => {
  rig = await openControlRig();
  id = textOf((await rig.post("/v2/deployments", sourceBody("agent"))).body, "id");
});
afterAll(() => rig.close());

async function target(of = id, prefix = "/v2") {
  const { status, body } = await rig.post(`${prefix}/deployments/${of}/upload-url`);
  expect(status).toBe(200);
  return {
    path: new URL(textOf(body, "upload_url")).pathname,
    objectPath: textOf(body, "object_path"),
    body,
  };
}
const anybody = () => rig.as(null);
const patchWith = (source_tarball_path: string, of = id) =>
  rig.patch(`/v2/deployments/${of}`, { source_revision_config: { source_tarball_path } });
const kept = () => (existsSync(join(rig.folder, "uploads")) ? readdirSync(join(rig.folder, "uploads")) : []);

test("an archive is kept as it came, needs no key, and can be made a revision of", async () => {
  const { path, objectPath, body } = await target();
  expect(body).toEqual({
    upload_url: `http://berth.example${path}`,
    object_path: expect.stringMatching(/^uploads\//),
    expires_at: expect.any(String),
  });
  const headers = { "content-type": "application/gzip", "x-goog-content-length-range": "0,209715200" };
  const { status, body: answer } = await anybody().send("PUT", path, "an archive", headers);
  const sha256 = createHash("sha256").update("an archive").digest("hex");
  expect([status, answer]).toEqual([200, { object_path: objectPath, bytes: 10, sha256 }]);
  const file = join(rig.folder, "uploads", objectPath.split("/").at(-1) ?? "");
  expect(readFileSync(file, "utf8")).toBe("an archive");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const patched = await patchWith(objectPath);
  expect([patched.status, patched.body]).toEqual([
    200,
    expect.objectContaining({
      source_revision_config: expect.objectContaining({ source_tarball_path: objectPath }),
    }),
  ]);
});

test("a project with a Python graph is refused before a revision is made of it, where no Python is", async () => {
  const revisions = async () => (await rig.get(`/v2/deployments/${id}/revisions`)).body;
  const before = await revisions();
  const { path, objectPath } = await target();
  const archive = rawTar([
    { name: "agent.py", content: "graph = None" },
    { name: "graph.json", content: '{"graphs":{"agent":"./agent.py:graph"}}' },
  ]);
  expect((await anybody().put(path, archive.toString("ascii"))).status).toBe(200);
  const detail =
    "Source configuration error: graph.json: graphs.agent: it needs Python 3.11 or newer, and this machine has none: install one, or name it by the setting PYTHON";
  expect(await patchWith(objectPath)).toMatchObject({ status: 400, body: { detail } });
  const source_revision_config = { source_tarball_path: objectPath };
  const posted = await rig.post(`/v2/deployments/${id}/revisions`, { source_revision_config });
  expect(posted).toMatchObject({ status: 400, body: { detail } });
  expect(await revisions()).toEqual(before);
});

test("an address is good once, for fifteen minutes, and nobody guesses one", async () => {
  const used = await target();
  expect((await anybody().put(used.path, "first")).status).toBe(200);
  expect((await anybody().put(used.path, "second")).status).toBe(404);
  const [one, two] = await target().then(({ path }) =>
    Promise.all([anybody().put(path, "one"), anybody().put(path, "two")]),
  );
  expect([one.status, two.status].sort()).toEqual([200, 404]);
  const late = await target();
  rig.clock.ms += 15 * 60_000;
  expect((await anybody().put(late.path, "late")).status).toBe(404);
  for (const guess of ["x", "..%2F..%2Fberth.db", UNKNOWN_ID, "%00"])
    expect((await anybody().put(`/v2/uploads/${guess}`, "x")).status).toBe(404);
  expect((await anybody().send("GET", late.path)).status).toBe(401);
});

test("an address is good for nothing once its deployment is deleted", async () => {
  const going = textOf((await rig.post("/v2/deployments", sourceBody("going"))).body, "id");
  const [unused, begun] = [await target(going), await target(going)];
  const { promise: deleted, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      controller.enqueue(new TextEncoder().encode("an archive"));
      await deleted;
      controller.close();
    },
  });
  const sending = rig.app.handle(new Request(`http://localhost${begun.path}`, { method: "PUT", body }));
  while (!kept().some((name) => name.endsWith(".part"))) await Bun.sleep(1);
  expect((await rig.remove(`/v2/deployments/${going}`)).status).toBe(204);
  resolve();
  expect((await sending).status).toBe(404);
  expect((await anybody().put(unused.path, "an archive")).status).toBe(404);
  await rig.deployments.erase(going);
  expect((await anybody().put(unused.path, "an archive")).status).toBe(404);
});

test("nothing is left of what is empty, too large or cut off, and its address is used up", async () => {
  const before = kept();
  const empty = await target();
  expect((await anybody().put(empty.path, "")).status).toBe(400);
  const large = await target();
  const declared = { "content-length": "209715201" };
  expect((await anybody().send("PUT", large.path, "x", declared)).status).toBe(413);
  const cut = await target();
  expect((await anybody().send("PUT", cut.path, "x", { "content-length": "5" })).status).toBe(400);
  const part = await target();
  const range = { "content-range": "bytes 0-0/2" };
  const refused = await anybody().send("PUT", part.path, "x", range);
  expect([refused.status, textOf(refused.body, "detail")]).toEqual([
    400,
    expect.stringContaining("Content-Range"),
  ]);
  // Nothing was taken, so that the whole may still come.
  expect((await anybody().put(part.path, "")).status).toBe(400);
  for (const { path, objectPath } of [empty, large, cut, part]) {
    expect((await anybody().put(path, "again")).status).toBe(404);
    expect((await patchWith(objectPath)).status).toBe(400);
  }
  expect(kept()).toEqual(before);
});

test("only a deployment's own uploads are its archives", async () => {
  const other = textOf((await rig.post("/v2/deployments", sourceBody("other"))).body, "id");
  const theirs = await target(other);
  await anybody().put(theirs.path, "theirs");
  const unsent = await target();
  const foreign = [
    theirs.objectPath,
    unsent.objectPath,
    "/etc/passwd",
    "../../berth.db",
    "uploads/../secrets.key",
  ];
  for (const path of foreign) {
    const { status, body } = await patchWith(path);
    expect([path, status, body]).toEqual([path, 400, { detail: expect.any(String) }]);
  }
  expect((await patchWith(theirs.objectPath, other)).status).toBe(200);
});

describe("what is asked for", () => {
  test("both addresses give one", async () => {
    expect((await target(id, "")).objectPath).toStartWith(`uploads/${id}/`);
  });

  test("sources that nobody uploads have none", async () => {
    const github = textOf((await rig.post("/v2/deployments", githubBody("hub"))).body, "id");
    expect((await rig.post(`/v2/deployments/${github}/upload-url`)).status).toBe(400);
    expect((await rig.post(`/v2/deployments/${UNKNOWN_ID}/upload-url`)).status).toBe(404);
  });

  test("push tokens are for images, and refused in the words that tools look for", async () => {
    const docker = { ...sourceBody("image"), source: "internal_docker", source_revision_config: {} };
    const image = textOf((await rig.post("/v2/deployments", docker)).body, "id");
    const own = await rig.post(`/v2/deployments/${image}/push-token`);
    expect([own.status, textOf(own.body, "registry_url")]).toEqual([200, `berth.example/berth/${image}`]);
    expect(textOf(own.body, "token").length).toBeGreaterThan(60);
    const other = await rig.post(`/v2/deployments/${id}/push-token`);
    const said = "only available for 'internal_docker' source deployments";
    expect([other.status, textOf(other.body, "detail")]).toEqual([400, expect.stringContaining(said)]);
    const { path, objectPath } = await target(image);
    expect((await anybody().put(path, "docker save")).status).toBe(200);
    const patch = { revision_source: "internal_docker", source_revision_config: { image_uri: objectPath } };
    expect((await rig.patch(`/v2/deployments/${image}`, patch)).status).toBe(200);
    const foreign = { source_revision_config: { image_uri: `uploads/${id}/${UNKNOWN_ID}` } };
    expect((await rig.patch(`/v2/deployments/${image}`, foreign)).status).toBe(400);
  });
});

test("names that a process is told by are reserved", () => {
  const always = [
    "PORT",
    "HOME",
    "BERTH_INSTANCE",
    "BERTH_HOST",
    "BERTH_GATEWAY_TOKEN",
    "BERTH_SECRETS_KEY_FILE",
  ];
  for (const name of [...always, "BERTH_ROLE", "BERTH_EDITION"])
    expect([name, isReservedName(name), isReservedName(name, true)]).toEqual([name, true, true]);
  // A process gets Berth's settings under names of Berth's own; an image may be of another server.
  for (const name of ["HOST", "DATABASE_URL", "GATEWAY_TOKEN", "SECRETS_KEY"])
    expect([name, isReservedName(name), isReservedName(name, true)]).toEqual([name, false, true]);
  for (const name of ["OPENAI_API_KEY", "PORTAL", "MY_BERTH", "LOG_LEVEL", "BERTH_LOG_LEVEL"])
    expect([name, isReservedName(name)]).toEqual([name, false]);
});
