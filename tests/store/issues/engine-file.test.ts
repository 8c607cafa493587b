import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Database,
  EngineRuns,
  Outbox,
  openDatabase,
  openSecretBox,
  systemClock,
  takeOverEngineFile,
} from "@berth/store";
import { leaveOldEngine, OLD_SCAN } from "../../e2e/issues/old-engine.ts";

let folder: string;
let db: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-engine-file-"));
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

const main = () => join(folder, "berth.db");
const file = () => join(folder, "berth-engine.db");
const SESSION = "01a214e6-7f5a-73a8-bb55-faad0ac41e2b";

/** Opens the database beside such a file, and takes that over. */
async function takenOver(run?: string) {
  leaveOldEngine(folder, run);
  db = await openDatabase(`sqlite:${main()}`);
  const box = await openSecretBox(db, { dataDir: folder, secretsKey: "landed" });
  const outbox = new Outbox(db, systemClock, box, {
    publicUrl: "http://berth.example",
    backoff: () => 1_000,
  });
  expect(await takeOverEngineFile(db, main())).toBe(file());
  expect([file(), `${file()}-wal`, `${file()}-shm`].filter(existsSync)).toEqual([]);
  return new EngineRuns(db, systemClock, outbox);
}

const claim = (runs: EngineRuns) => runs.claim(SESSION, { owner: "p", until: Date.now() + 10_000 });

test.each([
  ["whose process is dead", undefined, 2],
  ["that waits in the queue", "update runs set status = 'pending', attempt = 0, lease_until = null", 1],
])("a scan %s is begun again under its ids", async (_, run, attempt) => {
  const claimed = await claim(await takenOver(run));
  expect(claimed).toMatchObject({ run: OLD_SCAN, hold: { attempt } });
});

test("a scan whose process may be alive waits for the end of its lease", async () => {
  const runs = await takenOver(`update runs set lease_until = ${Date.now() + 60_000}`);
  expect(await claim(runs)).toBeUndefined();
  expect(await runs.lapsed()).toEqual([]);
});

test("a scan that its run was not noted for yet gets it", async () => {
  leaveOldEngine(folder);
  db = await openDatabase(`sqlite:${main()}`);
  await db.write((tx) => tx.updateTable("engine_runs").set({ run_id: null }).execute());
  await takeOverEngineFile(db, main());
  const { run_id } = await db.read.selectFrom("engine_runs").select("run_id").executeTakeFirstOrThrow();
  expect(run_id).toBe(OLD_SCAN.run_id);
});

test("one that was taken up since stays whose it is", async () => {
  const runs = await takenOver();
  const claimed = await claim(runs);
  // As if the file had not gone.
  const other = join(folder, "other");
  mkdirSync(other);
  leaveOldEngine(other);
  expect(await takeOverEngineFile(db, join(other, "berth.db"))).toBeDefined();
  expect(await runs.renew(claimed?.hold ?? { id: "", owner: "", attempt: 0 }, Date.now())).toBe(true);
});

test("a file that nothing is in goes, and one that cannot be read is left alone", async () => {
  db = await openDatabase(`sqlite:${main()}`);
  expect(await takeOverEngineFile(db, main())).toBeUndefined();
  writeFileSync(file(), "");
  expect(await takeOverEngineFile(db, main())).toBe(file());
  expect(existsSync(file())).toBe(false);
  writeFileSync(file(), "no database");
  expect(takeOverEngineFile(db, main())).rejects.toThrow("not a database");
  expect(existsSync(file())).toBe(true);
});
