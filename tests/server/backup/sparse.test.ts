import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@berth/store";
import { makeBackup } from "../../../server/backup/backup.ts";
import { restoreBackup } from "../../../server/backup/restore.ts";
import { inFile } from "../../../server/settings/database-place.ts";
import { because, describeUnless, testUnless } from "../../skips.ts";
import { newDeployment } from "./new-deployment.ts";

const GIB = 2 ** 30;
/** More than the disk of the machine has, so that a copy without holes cannot pass. */
const SPARSE_BYTES = 4_000 * GIB;
const MARKS = [0, 17 * GIB + 5, SPARSE_BYTES - 4];
/** Below what any disk stores for three marks. */
const FEW_BYTES = 1 << 20;

const disk = mkdtempSync(join(tmpdir(), "berth-small-disk-"));
const mounted =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", disk]).exitCode === 0;
let folder: string;
let deployment: string;

afterAll(() => {
  if (mounted) Bun.spawnSync(["umount", "-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-sparse-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settingsAt = (dataDir: string) => ({
  dataDir,
  ...inFile(join(dataDir, "berth.db")),
  secretsKey: null,
});

/** A data folder with one deployment; returns the folder that its agent writes to. */
async function dataFolder(dataDir: string): Promise<string> {
  deployment = await newDeployment(dataDir, 40_000);
  const own = join(dataDir, "deployments", deployment, "data");
  mkdirSync(own, { recursive: true });
  return own;
}

function writeSparse(path: string): void {
  const file = openSync(path, "w");
  ftruncateSync(file, SPARSE_BYTES);
  for (const at of MARKS) writeSync(file, "mark", at);
  closeSync(file);
}

function textsAt(path: string, offsets: readonly number[]): string[] {
  const file = openSync(path, "r");
  const texts = offsets.map((at) => {
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, 4, at);
    return bytes.toString();
  });
  closeSync(file);
  return texts;
}

const backUp = (dataDir: string, to: string) =>
  makeBackup({ environment: process.env, settings: settingsAt(dataDir), to, withSecrets: true });

/** Where the file system of the tests has no holes, such a file cannot be made. */
function hasHoles(): boolean {
  const path = join(disk, "probe");
  try {
    writeSparse(path);
    return (statSync(path).blocks ?? 0) * 512 < FEW_BYTES;
  } catch {
    return false;
  } finally {
    rmSync(path, { force: true });
  }
}

const holes = because(!hasHoles(), "the file system here has no sparse files of this size");

for (const name of ["a.tar.gz", "a-folder"])
  testUnless(holes)(
    `${name}: a sparse file takes the room of its data, and has its holes again`,
    async () => {
      const own = await dataFolder(join(folder, "data"));
      writeSparse(join(own, "sparse"));
      writeFileSync(join(own, "dense"), "dense");
      const made = await backUp(join(folder, "data"), join(folder, name));
      expect(made.notes).toEqual([]);
      expect(made.bytes).toBeLessThan(3 * FEW_BYTES);
      const restored = join(folder, "restored");
      await restoreBackup({ environment: process.env, settings: settingsAt(restored), from: made.path });
      const file = join(restored, "deployments", deployment, "data", "sparse");
      const about = statSync(file);
      expect(about.size).toBe(SPARSE_BYTES);
      expect((about.blocks ?? 0) * 512).toBeLessThan(FEW_BYTES);
      expect(textsAt(file, MARKS)).toEqual(["mark", "mark", "mark"]);
      expect(textsAt(file, [4, GIB])).toEqual(["\0\0\0\0", "\0\0\0\0"]);
      expect(readdirSync(join(restored, "deployments", deployment, "data")).sort()).toEqual([
        "dense",
        "sparse",
      ]);
    },
  );

describeUnless(because(!mounted, "a small file system cannot be mounted here"))("on a small disk", () => {
  test("what does not fit is left out and reported, and the rest is in the backup", async () => {
    const data = join(folder, "data");
    const own = await dataFolder(data);
    writeFileSync(join(own, "large"), Buffer.alloc(64 << 20, "x"));
    writeFileSync(join(own, "small"), "small");
    const made = await backUp(data, join(disk, "a.tar.gz"));
    const path = `data/deployments/${deployment}/data/large`;
    expect(made.notes).toEqual([expect.stringContaining(`${path} is not in the backup: a backup needs 1`)]);
    expect(made.manifest.left_out?.map((one) => one.path)).toEqual([path]);
    expect(readdirSync(disk)).toEqual(["a.tar.gz"]);
    const restored = join(folder, "restored");
    const { notes } = await restoreBackup({
      environment: process.env,
      settings: settingsAt(restored),
      from: made.path,
    });
    expect(notes[0]).toStartWith(`${path} is not in the backup`);
    expect(readdirSync(join(restored, "deployments", deployment, "data"))).toEqual(["small"]);
  });

  test("a backup that has no room for Berth's own database says so, and writes nothing", async () => {
    const data = join(folder, "data");
    await dataFolder(data);
    const db = await openDatabase(`sqlite:${join(data, "berth.db")}`);
    await db.write((tx) =>
      tx
        .insertInto("workspaces")
        .values({ id: "large", name: "x".repeat(40 << 20), created_at: 0 })
        .execute(),
    );
    await db.close();
    rmSync(join(disk, "a.tar.gz"), { force: true });
    await expect(backUp(data, join(disk, "a.tar.gz"))).rejects.toThrow("the database does not fit");
    expect(readdirSync(disk)).toEqual([]);
  });
});
