import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyDatabase, HalfCopied, markFilling, openDatabase, tablesOf } from "@berth/store";
import { makeBackup } from "../../../server/backup/backup.ts";
import { restoreBackup } from "../../../server/backup/restore.ts";
import { inFile } from "../../../server/settings/database-place.ts";
import { dropDatabase, execute, newDatabase, withoutPostgres } from "../../postgres/server.ts";
import { because, describeUnless } from "../../skips.ts";
import { filledFile } from "../../store/copy/filled-file.ts";

const noPrograms = because(Bun.which("pg_dump") === null, "no pg_dump is here");
const UPLOAD = "01999999-0000-7000-8000-000000000009";
let folder: string;
let source: string;
const made: string[] = [];

const settingsAt = (dataDir: string, databaseUrl: string) => ({
  ...{ dataDir, databaseUrl, databaseFile: null },
  secretsKey: "a key of the tests only",
});

async function emptyDatabase(): Promise<string> {
  const url = await newDatabase();
  made.push(url);
  return url;
}

/** A text that is the same where a table has the same rows. */
async function contents(url: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const table of await tablesOf(url)) {
    const [row] = await execute(
      url,
      `select count(*)::int as rows, md5(string_agg(t::text, '|' order by t::text collate "C")) as all from ${table} t`,
    );
    found[table] = row;
  }
  return found;
}

describeUnless(withoutPostgres() ?? noPrograms)("a backup of a database on a server", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "berth-backup-"));
    source = await emptyDatabase();
    const file = await filledFile(join(folder, "filled.db"));
    await copyDatabase({
      from: { url: `sqlite:${file}`, name: "file" },
      to: { url: source, name: "server" },
    });
    const step = JSON.stringify({ kind: "build", child: { pid: 1 } });
    await execute(source, `update revisions set step = '${step}'`);
    mkdirSync(join(folder, "data", "uploads"), { recursive: true });
    writeFileSync(join(folder, "data", "uploads", UPLOAD), "an upload");
  });
  afterAll(async () => {
    for (const url of made) await dropDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  });

  const backUp = (to: string) =>
    makeBackup({
      environment: process.env,
      settings: settingsAt(join(folder, "data"), source),
      to: join(folder, to),
      withSecrets: true,
    });

  test.each(["a.tar.gz", "a-folder"])(
    "%s is restored into an empty one, and nothing is missing",
    async (to) => {
      const { manifest } = await backUp(to);
      expect(manifest).toMatchObject({ version: 2, with_secrets: false });
      const url = await emptyDatabase();
      const dataDir = join(folder, `from-${to}`);
      await restoreBackup({
        environment: process.env,
        settings: settingsAt(dataDir, url),
        from: join(folder, to),
      });
      expect(readFileSync(join(dataDir, "uploads", UPLOAD), "utf8")).toBe("an upload");
      // What a process held is nobody's there; a start goes on with it.
      const { runs, instances, revisions, control_lease, engine_runs, deliveries, members, ...restored } =
        await contents(url);
      expect(await contents(source)).toMatchObject(restored);
      expect(await execute(url, "select * from control_lease")).toHaveLength(0);
      const [revision] = await execute(url, "select step from revisions");
      expect(JSON.parse(String(revision?.step))).toEqual({ kind: "build", child: null });
      await (await openDatabase(url)).close();
    },
  );

  test("says which databases of deployments it leaves out, and how to keep them", async () => {
    const [deployment] = await execute(source, "select id from deployments limit 1");
    const name = `berth_${String(deployment?.id).replaceAll("-", "")}`;
    expect((await backUp("none.tar.gz")).notes).toEqual([]);
    await execute(source, `create database ${name}`);
    try {
      const { notes } = await backUp("left-out.tar.gz");
      expect(notes).toEqual([
        expect.stringMatching(new RegExp(`not in it: ${name}.*pg_dump --format=custom`)),
      ]);
    } finally {
      await execute(source, `drop database ${name}`);
    }
  });

  test("refuses a database that is not empty, one that a restore was cut short in, and one of a file", async () => {
    await backUp("refused.tar.gz");
    const from = join(folder, "refused.tar.gz");
    const restored = (url: string) =>
      restoreBackup({ environment: process.env, settings: settingsAt(join(folder, "refused"), url), from });
    await expect(restored(source)).rejects.toThrow("is not empty");
    const url = await emptyDatabase();
    await markFilling(url);
    await expect(restored(url)).rejects.toThrow("is not empty (berth_copy)");
    expect(await openDatabase(url).catch((error) => error)).toBeInstanceOf(HalfCopied);
    const file = {
      ...settingsAt(join(folder, "refused"), ""),
      ...inFile(join(folder, "refused", "berth.db")),
    };
    await expect(restoreBackup({ environment: process.env, settings: file, from })).rejects.toThrow(
      "on a Postgres server",
    );
    await makeBackup({
      environment: process.env,
      settings: { ...settingsAt(join(folder, "data"), ""), ...inFile(join(folder, "filled.db")) },
      ...{ to: join(folder, "of-a-file.tar.gz"), withSecrets: false },
    });
    const other = restoreBackup({
      environment: process.env,
      settings: settingsAt(join(folder, "refused"), await emptyDatabase()),
      from: join(folder, "of-a-file.tar.gz"),
    });
    await expect(other).rejects.toThrow("of a database file");
    expect(existsSync(join(folder, "refused"))).toBe(false);
  });

  test("leaves an empty database behind where it fails", async () => {
    await backUp("damaged");
    const dump = join(folder, "damaged", "databases", "berth.pgdump");
    const bytes = readFileSync(dump);
    bytes[bytes.length - 5_000] = 255 - (bytes[bytes.length - 5_000] ?? 0);
    writeFileSync(dump, bytes);
    const url = await emptyDatabase();
    const dataDir = join(folder, "from-damaged");
    const restored = () =>
      restoreBackup({
        environment: process.env,
        settings: settingsAt(dataDir, url),
        from: join(folder, "damaged"),
      });
    await expect(restored()).rejects.toThrow("the backup is damaged");
    // Also where it was damaged before its checksum was taken.
    const manifest = JSON.parse(readFileSync(join(folder, "damaged", "manifest.json"), "utf8"));
    for (const one of manifest.files)
      if (one.path.endsWith("pgdump")) {
        one.sha256 = new Bun.CryptoHasher("sha256").update(readFileSync(dump)).digest("hex");
        one.rows.threads += 1;
      }
    writeFileSync(join(folder, "damaged", "manifest.json"), JSON.stringify(manifest));
    await expect(restored()).rejects.toThrow();
    expect([await tablesOf(url), existsSync(dataDir)]).toEqual([[], false]);
  });

  test("leaves nothing of itself in the data folder", () => {
    expect(readdirSync(join(folder, "data"))).toEqual(["uploads"]);
  });
});
