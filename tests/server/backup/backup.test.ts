import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  copyDatabaseFile,
  EngineRuns,
  inspectDatabaseFile,
  Outbox,
  openDatabase,
  openSecretBox,
  systemClock,
} from "@berth/store";
import { makeBackup } from "../../../server/backup/backup.ts";
import { restoreBackup } from "../../../server/backup/restore.ts";
import { inFile } from "../../../server/settings/database-place.ts";
import { leaveOldEngine, OLD_SCAN } from "../../e2e/issues/old-engine.ts";

const ID = "01999999-0000-7000-8000-000000000001";
let folder: string;
const settingsAt = (dataDir: string) => ({
  dataDir,
  ...inFile(join(dataDir, "berth.db")),
  secretsKey: null,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "berth-backup-"));
  const db = await openDatabase(`sqlite:${join(folder, "data", "berth.db")}`);
  const now = Date.now();
  await db.write(async (tx) => {
    await tx
      .insertInto("deployments")
      .values({
        ...{
          id: ID,
          workspace_id: "00000000-0000-4000-8000-000000000001",
          name: "a",
          source: "internal_template",
        },
        ...{
          source_config: "{}",
          secret_names: "[]",
          secrets: "",
          push_secret: "",
          uid: 40_000,
          status: "READY",
        },
        ...{ created_at: now, updated_at: now },
      })
      .execute();
    const instance = {
      deployment_id: ID,
      revision_id: ID,
      driver: "process" as const,
      token: "",
      restarts: 0,
      replica: 0,
    };
    const place = {
      pid: process.pid,
      pid_started: "now",
      port: 1,
      log_offset: 9,
      created_at: now,
      updated_at: now,
    };
    await tx
      .insertInto("instances")
      .values({ ...instance, ...place, id: "serving", state: "serving" })
      .execute();
    await tx
      .insertInto("instances")
      .values({ ...instance, ...place, id: "ready", state: "ready" })
      .execute();
    const until = now + 60_000;
    await tx.insertInto("control_lease").values({ id: 1, holder: "h", host: "h", pid: 1, until }).execute();
  });
  await db.close();
  agentFiles(join(folder, "data", "deployments", ID));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What an agent may leave: a database in use, links to anywhere, names of all kinds, caches. */
function agentFiles(own: string): void {
  for (const name of ["data/deep/er", "home/.bun", "tmp"]) mkdirSync(join(own, name), { recursive: true });
  const notes = new Database(join(own, "data", "notes.sqlite"), { create: true });
  notes.run("pragma journal_mode = wal");
  notes.run("create table notes (text text)");
  notes.run("insert into notes values ('kept')");
  symlinkSync("/etc/hostname", join(own, "data", "link"));
  symlinkSync("/etc", join(own, "data", "deep", "folder"));
  writeFileSync(join(own, "data", "deep", "er", 'a\\b "c"\n'), "odd name", { mode: 0o640 });
  writeFileSync(join(own, "data", "no.sqlite"), "SQLite format 3\0 but nothing that is one");
  writeFileSync(join(own, "home", ".bun", "cached"), "gone");
  writeFileSync(join(own, "tmp", "temporary"), "gone");
}

test.each(["a.tar.gz", "a-folder"])("%s holds what agents keep, and follows no link", async (name) => {
  const to = join(folder, name);
  const { notes } = await makeBackup({
    environment: process.env,
    settings: settingsAt(join(folder, "data")),
    to,
    withSecrets: true,
  });
  expect(notes).toEqual([expect.stringContaining("no.sqlite was copied byte by byte")]);
  const place = join(folder, `from-${name}`);
  await restoreBackup({ environment: process.env, settings: settingsAt(place), from: to });
  const own = join(place, "deployments", ID);
  const kept = new Database(join(own, "data", "notes.sqlite"));
  expect(kept.query("select * from notes").all()).toEqual([{ text: "kept" }]);
  kept.close();
  expect(readFileSync(join(own, "data", "deep", "er", 'a\\b "c"\n'), "utf8")).toBe("odd name");
  expect(readlinkSync(join(own, "data", "link"))).toBe("/etc/hostname");
  expect(readlinkSync(join(own, "data", "deep", "folder"))).toBe("/etc");
  expect([existsSync(join(own, "home", ".bun")), existsSync(join(own, "tmp"))]).toEqual([false, false]);
  expect(existsSync(join(folder, "data", `.backup-${process.pid}`))).toBe(false);
});

test("what a process held is nobody's in the copy, and still its in the original", async () => {
  const read = (place: string) => {
    const db = new Database(join(folder, place, "berth.db"), { readonly: true });
    const instances = db.query("select id, state, pid, port from instances order by id").all();
    const leases = db.query("select holder from control_lease").all();
    db.close();
    return { instances, leases };
  };
  expect(read("from-a.tar.gz")).toEqual({
    instances: [
      { id: "ready", state: "gone", pid: null, port: null },
      { id: "serving", state: "serving", pid: null, port: null },
    ],
    leases: [],
  });
  expect(read("data").leases).toEqual([{ holder: "h" }]);
});

test("a backup of 0.1.0, with a database of the engine's, is restored: its scan goes on at the next start", async () => {
  const old = join(folder, "old");
  mkdirSync(old);
  leaveOldEngine(old);
  const to = join(folder, "backup-of-old");
  const { manifest } = await makeBackup({
    environment: process.env,
    settings: settingsAt(old),
    to,
    withSecrets: false,
  });
  const path = "databases/berth-engine.db";
  expect(manifest.files.map((file) => file.path)).toEqual(["databases/berth.db"]);
  copyDatabaseFile(join(old, "berth-engine.db"), join(to, path));
  const bytes = readFileSync(join(to, path));
  const { rows } = inspectDatabaseFile(join(to, path));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const files = [...manifest.files, { ...manifest.files[0], path, bytes: bytes.length, sha256, rows }];
  writeFileSync(join(to, "manifest.json"), JSON.stringify({ ...manifest, files }));

  const place = join(folder, "from-old");
  await restoreBackup({ environment: process.env, settings: settingsAt(place), from: to });
  expect(readdirSync(place)).toEqual(["berth.db"]);
  const db = await openDatabase(`sqlite:${join(place, "berth.db")}`);
  const box = await openSecretBox(db, { dataDir: place, secretsKey: "landed" });
  const outbox = new Outbox(db, systemClock, box, {
    publicUrl: "http://berth.example",
    backoff: () => 1_000,
  });
  const runs = new EngineRuns(db, systemClock, outbox);
  const [sessionId = ""] = await runs.lapsed();
  const scan = await runs.claim(sessionId, { owner: "p", until: Date.now() + 1_000 });
  expect(scan?.run).toMatchObject(OLD_SCAN);
  await db.close();
});

test("a backup that names something outside of itself is refused", async () => {
  const to = join(folder, "hostile");
  await makeBackup({
    environment: process.env,
    settings: settingsAt(join(folder, "data")),
    to,
    withSecrets: false,
  });
  const file = join(to, "manifest.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.links.push({ path: "data/../../escaped", target: "/etc", uid: 0, gid: 0 });
  writeFileSync(file, JSON.stringify(manifest));
  const place = join(folder, "from-hostile", "and", "deeper");
  await expect(
    restoreBackup({ environment: process.env, settings: settingsAt(place), from: to }),
  ).rejects.toThrow("outside of itself");
  // Nothing is left of it, also not the folders above that it made.
  expect(existsSync(join(folder, "from-hostile"))).toBe(false);
});
