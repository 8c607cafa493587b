import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArrivingBlobs, type Database, PushedImages, RegistrySweep, UploadChunks } from "@berth/store";
import { sharedPlaceFor } from "../../../server/control/files/index.ts";
import { BlobFiles } from "../../../server/control/registry/blob-files.ts";
import { Receiving } from "../../../server/control/registry/receiving.ts";
import { KEY_ID, SECRET, StorageServer } from "../../server/backup/storage-server.ts";
import { everyStore } from "../../store/every-store.ts";

const HOUR_MS = 3_600_000;
/** More than one row of the database, and more than one part of an object has in the tests' storage. */
const LAYER = new Uint8Array(1_500_000).map((_, at) => at % 251);
const digestOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const image = (deploymentId: string) => ({ workspaceId: "w", deploymentId, image: "app" });

let folder: string;
let storage: StorageServer;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-blob-places-"));
  storage = new StorageServer();
});
afterAll(async () => {
  await storage.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a registry is made of, with its bytes at one of the places. */
function registryAt(db: Database, place: "folder" | "database" | "bucket") {
  const clock = { ms: 1_790_000_000_000, now: () => clock.ms };
  const bucket = { endpoint: storage.url, region: "here-1", keyId: KEY_ID, secret: SECRET };
  const settings = {
    ...{ dataDir: folder, bucket, filesUrl: place === "bucket" ? "s3://images/berth" : null },
    databaseFile: place === "folder" ? join(folder, "berth.db") : null,
  };
  const files = new BlobFiles(folder, sharedPlaceFor(settings, new UploadChunks(db), "registry"));
  const arriving = new ArrivingBlobs(db, clock, 1e9);
  const again = () => new Receiving({ arriving, files });
  return {
    clock,
    files,
    arriving,
    again,
    images: new PushedImages(db, clock, 1e9),
    sweep: new RegistrySweep(db, clock),
  };
}

type Registry = ReturnType<typeof registryAt>;

const piece = (bytes: Uint8Array<ArrayBuffer>) =>
  new Request("http://berth.test/", { method: "PATCH", body: bytes });

/** Pushes a blob in two pieces, each of which another process takes; gives what the second made of both. */
async function pushed({ arriving, again }: Registry, deploymentId: string, bytes = LAYER): Promise<string> {
  const repository = image(deploymentId);
  const half = Math.floor(bytes.byteLength / 2);
  const begun = await arriving.begin(repository);
  const first = await again().take(repository, begun, piece(bytes.slice(0, half)));
  const receiving = again();
  const whole = await receiving.take(repository, first, piece(bytes.slice(half)));
  const digest = await receiving.digestOf(whole);
  await receiving.over(whole.id, await arriving.finish(repository, whole, digest));
  return digest;
}

async function read(
  { images, files }: Registry,
  deploymentId: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
) {
  const { pieces } = await images.blob(image(deploymentId), digestOf(LAYER));
  return Buffer.concat(await Array.fromAsync(files.read(pieces, from, to)));
}

async function swept({ sweep, files }: Registry): Promise<void> {
  for (let names = await sweep.once(); names.length > 0; names = await sweep.once()) {
    for (const name of names) await files.remove(name);
    await sweep.forget(names);
  }
}

/** As many bytes as lie at a place. */
type Weigh = (db: Database) => Promise<number>;

function inPlace(open: () => Promise<Database>, place: Parameters<typeof registryAt>[1], weigh: Weigh): void {
  test(`in the ${place}: an upload goes on in another process, and is read whole and in part`, async () => {
    const registry = registryAt(await open(), place);
    expect(await pushed(registry, "one")).toBe(digestOf(LAYER));
    expect((await read(registry, "one")).equals(LAYER)).toBe(true);
    const part = await read(registry, "one", 700_000, 1_000_001);
    expect(part.equals(LAYER.subarray(700_000, 1_000_001))).toBe(true);
  });

  test(`in the ${place}: a piece that is cut off, and bytes of another digest, leave nothing`, async () => {
    const db = await open();
    const registry = registryAt(db, place);
    const repository = image("one");
    const { arriving } = registry;
    const begun = await arriving.begin(repository);
    const receiving = registry.again();
    const short = new Request("http://berth.test/", {
      ...{ method: "PATCH", body: LAYER, headers: { "content-length": String(LAYER.byteLength + 1) } },
    });
    await expect(receiving.take(repository, begun, short)).rejects.toThrow("was cut off");
    expect(await weigh(db)).toBe(0);
    const whole = await receiving.take(repository, begun, piece(LAYER));
    expect(await weigh(db)).toBe(LAYER.byteLength);
    await receiving.over(whole.id, await arriving.cancel(repository, whole.id));
    expect(await weigh(db)).toBe(0);
  });

  test(`in the ${place}: what many deployments push lies there once, and goes with the last of them`, async () => {
    const db = await open();
    const registry = registryAt(db, place);
    const small = new Uint8Array(1_000).fill(5);
    for (let at = 0; at < (place === "folder" ? 100 : 20); at += 1)
      await pushed(registry, `deployment-${at}`, small);
    expect(await weigh(db)).toBe(small.byteLength);
    // None of these deployments is there.
    await swept(registry);
    expect(await weigh(db)).toBe(0);
  });

  test(`in the ${place}: what was on its way when a Berth died is swept a day later`, async () => {
    const db = await open();
    const registry = registryAt(db, place);
    const name = await registry.arriving.announce();
    await registry.files.keep(name, async (file) => (await file.write(LAYER)).bytesWritten);
    expect(await weigh(db)).toBe(LAYER.byteLength);
    await swept(registry);
    expect(await weigh(db)).toBe(LAYER.byteLength);
    registry.clock.ms += 25 * HOUR_MS;
    await swept(registry);
    expect(await weigh(db)).toBe(0);
  });
}

const inFolder: Weigh = async () => {
  const here = join(folder, "registry");
  if (!existsSync(here)) return 0;
  return readdirSync(here).reduce((sum, name) => sum + statSync(join(here, name)).size, 0);
};
const inRows: Weigh = async (db) => {
  const rows = await db.read.selectFrom("upload_chunks").select("bytes").execute();
  return rows.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
};
const inBucket: Weigh = async () =>
  [...storage.objects.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);

everyStore("the blobs of images", (open) => {
  beforeEach(() => {
    storage.objects.clear();
    rmSync(join(folder, "registry"), { recursive: true, force: true });
  });
  inPlace(open, "folder", inFolder);
  inPlace(open, "database", inRows);
  inPlace(open, "bucket", inBucket);
});
