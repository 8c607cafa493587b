import { Database } from "bun:sqlite";
import { afterAll, expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompactionRefused, compactDatabaseFile, openDatabase } from "@berth/store";
import { because, testUnless } from "../../skips.ts";

const disk = mkdtempSync(join(tmpdir(), "berth-compaction-"));
/** A disk of its own: what one test fills, nobody else needs. */
const mounted =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk]).exitCode === 0;
afterAll(() => {
  if (mounted) Bun.spawnSync(["umount", "-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

const notMounted = because(!mounted, "a small file system cannot be mounted here");

testUnless(notMounted)(
  "compacting needs room for what the file holds, not for what is free in it",
  async () => {
    const file = join(disk, "berth.db");
    await (await openDatabase(`sqlite:${file}`)).close();
    const change = (...statements: string[]) => {
      const db = new Database(file);
      for (const statement of statements) db.run(statement);
      db.query("pragma wal_checkpoint(truncate)").all();
      db.close();
    };
    const rows = "with recursive s (x) as (select 1 union all select x + 1 from s where x < 100)";
    change("create table ballast (a)", `${rows} insert into ballast select randomblob(81920) from s`);
    const before = readFileSync(file);
    let begun = false;
    const compact = () => compactDatabaseFile(file, () => (begun = true));
    expect(compact).toThrow(CompactionRefused);
    expect([begun, readFileSync(file).equals(before)]).toEqual([false, true]);

    change("delete from ballast");
    const { before: bytes, after } = compact();
    expect(bytes).toBeGreaterThan(8 * 2 ** 20);
    expect(after).toBeLessThan(2 * 2 ** 20);
    expect(statSync(file).size).toBe(after);
  },
);
