import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import about from "../../package.json" with { type: "json" };
import { TEST_LIMIT_MS } from "../limits.ts";
import { ROOT, run, temporaryFolder } from "./program.ts";

const TARGET = "linux-x64";
const folder = temporaryFolder();
afterAll(folder.remove);

const release = (...words: string[]) =>
  run([process.execPath, join(ROOT, "server", "release", "main.ts"), ...words], ROOT);

test(
  "a release is the same twice, and its checksums, signature and notes are right",
  async () => {
    const [privateKey, publicKey] = ["private.pem", "public.pem"].map((name) => join(folder.path, name)) as [
      string,
      string,
    ];
    await openssl("genpkey", "-algorithm", "ed25519", "-out", privateKey);
    await openssl("pkey", "-in", privateKey, "-pubout", "-out", publicKey);
    const [first, second] = ["first", "second"].map((name) => join(folder.path, name)) as [string, string];
    for (const out of [first, second]) {
      const { code, err } = await release("--dirty", "--target", TARGET, "--out", out, "--key", privateKey);
      expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
    }
    const name = `berth-${about.version}`;
    const files = [`${name}-${TARGET}`, `${name}.cdx.json`, "NOTES.md", "SHA256SUMS", "SHA256SUMS.sig"];
    expect(readdirSync(first).sort()).toEqual(files.sort());
    const sums = readFileSync(join(first, "SHA256SUMS"), "utf8");
    expect(readFileSync(join(second, "SHA256SUMS"), "utf8")).toBe(sums);
    expect((await run(["sha256sum", "--check", "--strict", "SHA256SUMS"], first)).code).toBe(0);
    const verify = ["pkeyutl", "-verify", "-pubin", "-inkey", publicKey, "-rawin"];
    await openssl(...verify, "-in", join(first, "SHA256SUMS"), "-sigfile", join(first, "SHA256SUMS.sig"));
    expect(readFileSync(join(first, "NOTES.md"), "utf8")).toStartWith(`# Berth ${about.version}\n`);
    const version = await run([join(first, `${name}-${TARGET}`), "--version"], first);
    expect(version.out).toStartWith(about.version);
  },
  TEST_LIMIT_MS,
);

test("its bill of materials names every package of the lock file, with version, hash and licence", () => {
  const bill = JSON.parse(
    readFileSync(join(folder.path, "first", `berth-${about.version}.cdx.json`), "utf8"),
  );
  expect(bill).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: { component: { name: "berth", version: about.version } },
  });
  const lock = readFileSync(join(ROOT, "bun.lock"), "utf8");
  const [, integrity = ""] = /"kysely": \["kysely@[^"]+", .*"sha512-([^"]+)"\]/.exec(lock) ?? [];
  const kysely = bill.components.find(({ name }: { name: string }) => name === "kysely");
  expect(kysely).toMatchObject({
    hashes: [{ alg: "SHA-512", content: Buffer.from(integrity, "base64").toString("hex") }],
    licenses: [{ expression: "MIT" }],
  });
  const locked = new Set([...lock.matchAll(/: \["((?:@[^"@]+)?[^"@]+@\d[^"]*)"/g)].map(([, id]) => id));
  expect(
    new Set(bill.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`)),
  ).toEqual(locked);
});

test("a wrong target, an unknown option and a key of another kind are refused", async () => {
  const target = await release("--dirty", "--target", "amiga");
  expect([target.code, target.err]).toEqual([1, expect.stringContaining('no target "amiga"')]);
  const option = await release("--sign");
  expect([option.code, option.err]).toEqual([1, expect.stringContaining("--sign")]);
  const other = join(folder.path, "other.pem");
  mkdirSync(folder.path, { recursive: true });
  writeFileSync(other, "no key");
  const key = await release(
    "--dirty",
    "--target",
    TARGET,
    "--out",
    join(folder.path, "third"),
    "--key",
    other,
  );
  expect(key.code).toBe(1);
});

async function openssl(...words: string[]): Promise<void> {
  const { code, err } = await run(["openssl", ...words], folder.path);
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
}
