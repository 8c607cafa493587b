import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { withoutNames } from "../../../../server/control/run/container/image-archive.ts";
import { rawTar } from "../../build/raw-tar.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-image-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Entries = Parameters<typeof rawTar>[0];
let count = 0;

async function rewritten(archive: Uint8Array): Promise<string> {
  count += 1;
  const [from, to] = [join(folder, `${count}.tar`), join(folder, `${count}.new.tar`)];
  writeFileSync(from, archive);
  await withoutNames(from, to, new AbortController().signal);
  return to;
}

const refused = (archive: Uint8Array) =>
  rewritten(archive).then(
    () => "taken",
    (error: Error) => error.message,
  );

const listed = (path: string) => Bun.spawnSync(["tar", "-tf", path]).stdout.toString().trim().split("\n");
const content = (path: string, name: string) => Bun.spawnSync(["tar", "-xOf", path, name]).stdout.toString();

const IMAGE: Entries = [
  { name: "abc/layer.tar", content: "x".repeat(1_000) },
  { name: "abc.json", content: "{}" },
  {
    name: "manifest.json",
    content: '[{"Config":"abc.json","RepoTags":["postgres:16"],"Layers":["abc/layer.tar"]}]',
  },
  {
    name: "index.json",
    content: '{"manifests":[{"digest":"sha256:1","annotations":{"io.containerd.image.name":"x"}}]}',
  },
  { name: "repositories", content: '{"postgres":{"16":"abc"}}' },
];

test.each([
  ["plain", (bytes: Uint8Array) => bytes],
  ["gzip", (bytes: Uint8Array) => gzipSync(bytes)],
])("an archive loses its names and keeps the rest: %s", async (_, packed) => {
  const path = await rewritten(packed(rawTar(IMAGE)));
  expect(listed(path)).toEqual(["abc/layer.tar", "abc.json", "manifest.json", "index.json"]);
  expect(content(path, "abc/layer.tar")).toBe("x".repeat(1_000));
  expect(JSON.parse(content(path, "manifest.json"))).toEqual([
    { Config: "abc.json", RepoTags: [], Layers: ["abc/layer.tar"] },
  ]);
  expect(JSON.parse(content(path, "index.json"))).toEqual({ manifests: [{ digest: "sha256:1" }] });
  expect(readFileSync(path).includes("postgres")).toBe(false);
});

test("an index in disguise loses its names, too", async () => {
  const path = await rewritten(
    rawTar([{ name: "././manifest.json", content: '[{"RepoTags":["postgres:16"]}]' }]),
  );
  expect(listed(path)).toEqual(["manifest.json"]);
  expect(content(path, "manifest.json")).toBe('[{"RepoTags":[]}]');
});

test("what is no image archive is refused, and why", async () => {
  expect(await refused(rawTar([{ name: "graph.json", content: "{}" }]))).toContain("docker save");
  expect(await refused(Buffer.from("not a tar at all".repeat(100)))).toContain("is refused");
  expect(await refused(gzipSync(rawTar(IMAGE)).subarray(0, 100))).toContain("damaged or cut short");
  expect(await refused(rawTar([{ name: "manifest.json", content: "{" }]))).toContain("is not JSON");
  expect(await refused(rawTar([{ name: "a/../manifest.json", content: "[]" }]))).toContain("leads out of it");
  const link = { name: "manifest.json", type: "2", link: "other.json" };
  expect(await refused(rawTar([...IMAGE.slice(0, 2), link]))).toContain("no small file");
  expect(await refused(rawTar([{ name: "disk", type: "3" }]))).toContain("is refused");
});
