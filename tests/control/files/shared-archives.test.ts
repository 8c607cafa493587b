import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, UploadChunks } from "@berth/store";
import { type Archives, openArchives } from "../../../server/control/files/index.ts";
import { KEY_ID, SECRET, StorageServer } from "../../server/backup/storage-server.ts";
import { everyStore } from "../../store/every-store.ts";

const HOUR_MS = 3_600_000;
const content = Buffer.from(Uint32Array.from({ length: 300_000 }, (_, at) => at).buffer);
const archive = {
  id: "01KH",
  bytes: content.length,
  sha256: createHash("sha256").update(content).digest("hex"),
};

let folders: string[];
beforeEach(() => {
  folders = [];
});
afterEach(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "berth-archives-"));
  folders.push(folder);
  return folder;
}

/** As an upload leaves it, right before it is kept. */
async function keep(archives: Archives, id = archive.id): Promise<void> {
  mkdirSync(archives.folder, { recursive: true });
  writeFileSync(join(archives.folder, `${id}.part`), content);
  await archives.keep(id);
}

function ofSeveralMachines(machine: () => Promise<Archives>): void {
  test("an archive that one machine took is whole at another one, once it is kept", async () => {
    const [one, other] = [await machine(), await machine()];
    expect(await other.fileOf(archive)).toBeUndefined();
    await keep(one);
    rmSync(one.folder, { recursive: true });
    const files = await Promise.all([other.fileOf(archive), other.fileOf(archive)]);
    expect(files).toEqual([join(other.folder, archive.id), join(other.folder, archive.id)]);
    expect(Buffer.compare(readFileSync(files[0] ?? ""), content)).toBe(0);
    expect(readdirSync(other.folder)).toEqual([archive.id]);
  });

  test("what is not what was sent is given to nobody", async () => {
    const [one, other] = [await machine(), await machine()];
    await keep(one);
    await expect(other.fileOf({ ...archive, sha256: "0".repeat(64) })).rejects.toThrow(/not the ones/);
    expect(readdirSync(other.folder)).toEqual([]);
  });

  test("one that is removed is nowhere, and copies that nobody uses go", async () => {
    const [one, other] = [await machine(), await machine()];
    await keep(one);
    await keep(one, "kept");
    const file = (await other.fileOf(archive)) ?? "";
    await one.remove(archive.id);
    await one.remove(archive.id);
    const now = Date.now();
    await other.tidy(now);
    expect(existsSync(file)).toBe(true);
    utimesSync(file, new Date(now - 2 * HOUR_MS), new Date(now - 2 * HOUR_MS));
    await other.tidy(now);
    expect(await other.fileOf(archive)).toBeUndefined();
    expect(await other.fileOf({ ...archive, id: "kept" })).toBeString();
  });
}

everyStore("archives that machines share through the database", (open) => {
  let chunks: UploadChunks | undefined;
  beforeEach(() => {
    chunks = undefined;
  });
  ofSeveralMachines(async () => {
    chunks ??= new UploadChunks(await open());
    return openArchives({ ...settings(), filesUrl: null }, chunks, systemClock);
  });
});

const noBucket = { endpoint: null, region: "here-1", keyId: null, secret: null };
const settings = () => ({ dataDir: newFolder(), databaseFile: null, bucket: noBucket });

let storage: StorageServer;
beforeEach(() => {
  storage = new StorageServer();
  return () => storage.stop();
});
const access = () => ({ endpoint: storage.url, region: "here-1", keyId: KEY_ID, secret: SECRET });
const inStorage = async () =>
  openArchives(
    { ...settings(), bucket: access(), filesUrl: "s3://files/berth" },
    { put: () => Promise.reject(new Error("not in the database")) } as unknown as UploadChunks,
    systemClock,
  );
ofSeveralMachines(inStorage);

test("an archive is in the storage below the prefix", async () => {
  await keep(await inStorage());
  expect([...storage.objects.keys()]).toEqual([`files/berth/uploads/${archive.id}`]);
});

test("with a file for a database, archives stay in the data folder", async () => {
  const dataDir = newFolder();
  const given = { dataDir, databaseFile: join(dataDir, "berth.db"), filesUrl: null, bucket: noBucket };
  const archives = openArchives(given, {} as UploadChunks, systemClock);
  await keep(archives);
  expect(await archives.fileOf(archive)).toBe(join(dataDir, "uploads", archive.id));
});
