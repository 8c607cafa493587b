import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeBackup } from "../../../server/backup/backup.ts";
import { restoreBackup } from "../../../server/backup/restore.ts";
import { inFile } from "../../../server/settings/database-place.ts";
import { notRoot, testUnless } from "../../skips.ts";
import { newDeployment } from "./new-deployment.ts";

const UID = 40_000;

const settingsAt = (dataDir: string) => ({
  dataDir,
  ...inFile(join(dataDir, "berth.db")),
  secretsKey: null,
});

testUnless(notRoot)(
  "a restored folder, in which deployments have users of their own, can be backed up at once",
  async () => {
    // Where the users of deployments can pass, unlike the folders that a runner may have in TMPDIR.
    const folder = mkdtempSync(join(tmpdir(), "berth-restored-"));
    chmodSync(folder, 0o711);
    try {
      const data = join(folder, "data");
      const deployment = await newDeployment(data, UID);
      const roots = [data, join(data, "deployments"), join(data, "deployments", deployment)];
      const own = join(data, "deployments", deployment, "data");
      mkdirSync(own, { recursive: true });
      for (const path of roots) chmodSync(path, 0o711);
      const kept = new Database(join(own, "notes.sqlite"), { create: true });
      kept.run("create table notes (text text)");
      kept.run("insert into notes values ('kept')");
      kept.close();
      for (const path of [own, join(own, "notes.sqlite")]) chownSync(path, UID, UID);

      for (const [from, to] of [
        [data, join(folder, "restored")],
        [join(folder, "restored"), join(folder, "again")],
      ] as const) {
        const backup = `${to}.tar.gz`;
        const order = { environment: process.env, settings: settingsAt(from), to: backup, withSecrets: true };
        const { notes, manifest } = await makeBackup(order);
        expect([from, notes]).toEqual([from, []]);
        const file = manifest.files.find(({ path }) => path.endsWith("notes.sqlite"));
        expect(file).toMatchObject({ uid: UID, rows: { notes: 1 } });
        await restoreBackup({ environment: process.env, settings: settingsAt(to), from: backup });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test("a database of zero bytes beside a key is not backed up, because its backup would replace those with content", async () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-emptied-"));
  try {
    writeFileSync(join(folder, "berth.db"), "");
    writeFileSync(join(folder, "secrets.key"), "key");
    const to = join(folder, "a.tar.gz");
    const made = makeBackup({
      environment: process.env,
      settings: settingsAt(folder),
      to,
      withSecrets: true,
    });
    await expect(made).rejects.toThrow("is empty (0 bytes)");
    expect(existsSync(to)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
