import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keptBackups } from "../../../server/backup/kept-backups.ts";
import { Bucket, placeOf } from "../../../server/bucket/bucket.ts";
import { until } from "../../e2e/condition.ts";
import { KEY_ID, SECRET, StorageServer } from "./storage-server.ts";

let storage: StorageServer;
let folder: string;
const access = () => ({ endpoint: storage.url, region: "here-1", keyId: KEY_ID, secret: SECRET });
const bucket = () => new Bucket("backups", access());

function file(bytes: number): string {
  const path = join(folder, `${bytes}.bin`);
  // Bytes that differ from part to part, so that two parts in the wrong order are seen.
  writeFileSync(path, Buffer.from(Uint32Array.from({ length: bytes / 4 }, (_, at) => at).buffer));
  return path;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-bucket-"));
});
beforeEach(() => {
  storage = new StorageServer();
  return () => storage.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function sizeAndDigest(chunks: AsyncIterable<Uint8Array>) {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, digest: hash.digest("hex") };
}

describe("an object", () => {
  test("of several parts comes back as it was sent", async () => {
    const path = file(40 << 20);
    await bucket().upload(path, "here/big.tar.gz");
    expect(storage.seen.filter((line) => line.includes("partNumber"))).toHaveLength(3);
    expect(await bucket().size("here/big.tar.gz")).toBe(40 << 20);
    const back = await sizeAndDigest(bucket().read("here/big.tar.gz"));
    expect(back).toEqual(await sizeAndDigest(Bun.file(path).stream()));
    expect(storage.parts.size).toBe(0);
  });

  test("is sent again where the storage is busy for a moment", async () => {
    storage.failNext = 2;
    await bucket().upload(file(4_000), "small.tar.gz");
    expect(storage.objects.get("backups/small.tar.gz")?.bytes).toHaveLength(4_000);
  });

  test("that cannot be sent whole leaves no part of it behind", async () => {
    storage.refusesParts = true;
    await expect(bucket().upload(file(40 << 20), "big.tar.gz")).rejects.toThrow(
      /sending big.tar.gz: QuotaExceeded/,
    );
    await until("the parts to go", async () => storage.parts.size === 0);
    expect(storage.objects.size).toBe(0);
  });

  test("that the storage cuts short is no backup", async () => {
    storage.cutsShort = true;
    await expect(bucket().upload(file(4_000), "small.tar.gz")).rejects.toThrow(
      "s3://backups/small.tar.gz has 3999 bytes where 4000 were sent",
    );
  });

  test("that is not there has no size", async () => {
    expect(await bucket().size("nothing")).toBeUndefined();
  });
});

describe("what is refused says where and why", () => {
  test.each([
    [
      "another secret",
      { secret: "not-the-secret" },
      /s3:\/\/backups \(http:.*\), sending x: SignatureDoesNotMatch/,
    ],
    ["no key", { keyId: null }, /set S3_KEY_ID and S3_SECRET/],
    [
      "nobody there",
      { endpoint: "http://127.0.0.1:1" },
      /s3:\/\/backups \(http:\/\/127\.0\.0\.1:1\), sending x: ConnectionRefused/,
    ],
  ])("%s", async (_, wrong, words) => {
    const sent = (async () => new Bucket("backups", { ...access(), ...wrong }).upload(file(4_000), "x"))();
    await expect(sent).rejects.toThrow(words);
    expect(storage.objects.size).toBe(0);
  });

  test.each(["s3://", "s3://UPPER/x", "s3://a/x", "s3:/bucket/x"])("%s is no place", (address) => {
    expect(() => placeOf(address)).toThrow(`${address} is no s3://BUCKET/KEY`);
  });
});

test("of what lies below a prefix only scheduled backups are listed, page by page, and removed", async () => {
  const names = [1, 2, 3, 4, 5].map((day) => `berth-2026010${day}-033000.tar.gz`);
  for (const name of [...names, "berth-before.tar.gz", "of-somebody-else"])
    await bucket().upload(file(4_000), `nightly/${name}`);
  await bucket().upload(file(4_000), "berth-20250101-033000.tar.gz");
  const kept = keptBackups({ schedule: null, place: "s3://backups/nightly", keep: 2, bucket: access() });
  expect((await kept.list()).map(({ name, bytes }) => [name, bytes])).toEqual(
    names.map((name) => [name, 4_000]),
  );
  expect(kept.address(names[0] ?? "")).toBe("s3://backups/nightly/berth-20260101-033000.tar.gz");
  await kept.remove(names[0] ?? "");
  expect((await kept.list()).map(({ name }) => name)).toEqual(names.slice(1));
});
