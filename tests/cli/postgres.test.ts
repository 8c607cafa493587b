import { Database as Sqlite } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  copyDatabase,
  DEFAULT_WORKSPACE,
  openDatabase,
  openSecretBox,
  Subscriptions,
  Threads,
} from "@berth/store";
import { start } from "../e2e/berth-process.ts";
import { berthCommand, type Finished } from "../e2e/command.ts";
import { until } from "../e2e/condition.ts";
import { dropDatabase, execute, newDatabase, withoutPostgres } from "../postgres/server.ts";
import { because, describeUnless, testUnless } from "../skips.ts";
import { berthProgram } from "../smoke/program.ts";
import { filledFile } from "../store/copy/filled-file.ts";
import { manyThreads } from "../store/copy/many-threads.ts";

const SECRETS_KEY = "a key for the secrets of the tests only";
const noPrograms = because(Bun.which("pg_dump") === null, "no pg_dump is here");
let folder: string;
let url: string;

const env = () => ({ SERVICE_API_KEY: "", PUBLIC_URL: "", HOST: "", DATABASE_URL: url, SECRETS_KEY });
const berth = (args: string[], more: Record<string, string> = {}): Promise<Finished> =>
  berthCommand([...args, "--data", join(folder, "data")], { cwd: folder, env: { ...env(), ...more } });
const done = async (args: string[], more: Record<string, string> = {}): Promise<string> => {
  const { code, stdout, stderr } = await berth(args, more);
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  return stdout;
};

const opening = () => {
  folder = mkdtempSync(join(tmpdir(), "berth-postgres-cli-"));
  mkdirSync(join(folder, "data"));
};
const made: string[] = [];
const database = async () => {
  const found = await newDatabase();
  made.push(found);
  return found;
};
const closing = async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const one of made.splice(0)) await dropDatabase(one);
};

describeUnless(withoutPostgres())("commands on a database on a server", () => {
  beforeAll(async () => {
    opening();
    url = await database();
    await (await openDatabase(url)).close();
  });
  afterAll(closing);

  test("migrate shows what was applied, says what is pending, and applies it", async () => {
    const shown = await done(["migrate"]);
    expect(shown).toContain("postgres://berth:***@");
    expect(shown).toContain("Nothing is pending.");
    const [last] = await execute(
      url,
      "delete from berth_migrations where name = (select max(name) from berth_migrations) returning name, timestamp",
    );
    const pending = await berth(["migrate", "--check", "--json"]);
    expect([pending.code, JSON.parse(pending.stdout).pending]).toEqual([1, [last?.name]]);
    await execute(url, `insert into berth_migrations values ('${last?.name}', '${last?.timestamp}')`);
    await execute(url, "insert into berth_migrations values ('9999-later', '2030-01-01T00:00:00.000Z')");
    const newer = await berth(["migrate"]);
    expect([newer.code, newer.stdout]).toEqual([1, expect.stringContaining("A newer Berth has written it")]);
    await execute(url, "delete from berth_migrations where name = '9999-later'");
    const fresh = { DATABASE_URL: await database() };
    expect((await berth(["migrate", "--check"], fresh)).code).toBe(1);
    expect(await done(["migrate", "--apply"], fresh)).toContain("Nothing is pending.");
    const nobody = await berth(["migrate"], { DATABASE_URL: "postgres://a:b@127.0.0.1:1/c" });
    expect([nobody.code, nobody.stderr.split("\n").length]).toEqual([1, 2]);
  });

  test("keys are made, listed and deleted", async () => {
    const [secret = "", about = ""] = (await done(["keys", "create", "--name", "ci"])).split("\n");
    expect(about).toContain("postgres://berth:***@");
    expect(await done(["keys", "list"])).toContain("ci");
    const id = about.split(" ")[1] ?? "";
    expect(await done(["keys", "delete", id])).toContain(`Deleted ${id}`);
    expect(await done(["keys", "list"])).not.toContain(secret.slice(0, 12));
  });

  test("export writes what is kept of a thread, and forget erases it", async () => {
    const db = await openDatabase(url);
    const { thread_id } = await new Threads(db, db.clock).create({ metadata: { owner: "ada" } });
    await db.close();
    for (const by of [
      ["--thread", thread_id],
      ["--user", "ada"],
    ])
      expect(JSON.parse((await done(["export", ...by])).split("\n")[0] ?? "")).toMatchObject({
        kind: "thread",
        thread_id,
      });
    const erased = JSON.parse(await done(["forget", "--user", "ada", "--json"]));
    expect(erased).toMatchObject({ threads: 1, crons: 0, items: 0 });
    expect((await berth(["export", "--user", "ada"])).code).toBe(1);
    expect((await berth(["export", "--thread", thread_id])).code).toBe(1);
    const nothing = await berth(["export", "--user", "nobody"]);
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining("postgres://berth:***@")]);
  });

  test("the key of the secrets is rotated, and given up where it is lost", async () => {
    const db = await openDatabase(url);
    const box = await openSecretBox(db, { dataDir: join(folder, "data"), secretsKey: SECRETS_KEY });
    await new Subscriptions(db, db.clock, box).create(DEFAULT_WORKSPACE.id, {
      ...{ session_id: null, url: "https://example.com/", severity_threshold: 3 },
      ...{ event_types: ["issue.created"], headers: { "X-Team": "a" } },
    });
    await db.close();
    const next = (await done(["secrets", "rotate"])).trim();
    expect(next).toMatch(/^\S{20,}$/);
    expect(await done(["doctor", "--only", "secrets"], { SECRETS_KEY: next })).toContain("restart Berth");
    expect(await done(["secrets", "forget", "--yes"], { SECRETS_KEY: "another one" })).toContain(
      "webhook subscriptions are disabled",
    );
  });

  test("config and doctor show where the database is, without its password", async () => {
    expect(await done(["config", "--changed"])).toContain("postgres://***@");
    const report = await done(["doctor", "--only", "database,clock,migrations"]);
    expect(report).toContain("Postgres");
    expect(report).not.toContain("berth:berth@");
  });

  testUnless(noPrograms)("backup and restore", async () => {
    const file = join(folder, "a.tar.gz");
    const told = await done(["backup", file]);
    expect(told).toContain("read back and well");
    expect(told).toContain("SECRETS_KEY is not in it");
    const elsewhere = { DATABASE_URL: await database() };
    const to = join(folder, "elsewhere");
    const restored = await berthCommand(["restore", file, "--data", to], {
      cwd: folder,
      env: { ...env(), ...elsewhere },
    });
    expect([restored.code, restored.stderr]).toEqual([0, ""]);
    expect(await done(["migrate", "--check"], elsewhere)).toContain("Nothing is pending.");
  });

  test("a backup without pg_dump says what to do", async () => {
    const { code, stderr } = await berth(["backup", "b.tar.gz"], { PATH: dirname(process.execPath) });
    expect([code, stderr]).toEqual([1, expect.stringContaining("install the client programs of PostgreSQL")]);
    expect(existsSync(join(folder, "b.tar.gz"))).toBe(false);
  });

  testUnless(noPrograms)("a backup that is due is made by itself", async () => {
    const backups = join(folder, "backups");
    const old = join(backups, "berth-20200101-030000.tar.gz");
    mkdirSync(backups);
    writeFileSync(old, "the one of long ago");
    utimesSync(old, new Date("2020-01-01"), new Date("2020-01-01"));
    const schedule = { BACKUP_SCHEDULE: "0 3 * * *", BACKUP_DIR: backups, BACKUP_KEEP: "1" };
    const running = await start({
      data: join(folder, "data"),
      env: { ...env(), ...schedule, DATABASE_URL: await database() },
    });
    try {
      await until("another backup in the place of the old one", async () => !existsSync(old));
    } finally {
      await running.stop();
    }
    const [made = ""] = readdirSync(backups);
    const to = { DATABASE_URL: await database() };
    const args = ["restore", join(backups, made), "--data", join(folder, "from-schedule")];
    const restored = await berthCommand(args, { cwd: folder, env: { ...env(), ...to } });
    expect([restored.code, restored.stderr]).toEqual([0, ""]);
  });
});

describeUnless(withoutPostgres())("berth migrate --to", () => {
  beforeEach(async () => {
    opening();
    url = await database();
  });
  afterEach(closing);

  const data = () => join(folder, "data");
  const onFile = { DATABASE_URL: "", SECRETS_KEY: "" };

  test("copies a file to a server and back, and says what to set", async () => {
    await filledFile(join(data(), "berth.db"));
    writeFileSync(join(data(), "secrets.key"), "of the file");
    const there = await done(["migrate", "--to", url], onFile);
    expect(there).toContain("counts and checksums are the same on both sides");
    expect(there).toContain(`Set SECRETS_KEY to the content of ${join(data(), "secrets.key")}`);
    expect(there).toContain("DEPLOYMENT_DATABASES=file");
    expect(there).not.toContain("berth:berth@");
    const back = `sqlite:${join(folder, "back.db")}`;
    const report = JSON.parse(await done(["migrate", "--to", back, "--json"]));
    expect(report).toMatchObject({
      to: join(folder, "back.db"),
      tables: { threads: { rows: expect.any(Number) } },
    });
    const again = await berth(["migrate", "--to", url], onFile);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("data of its own")]);
    const mixed = await berth(["migrate", "--to", url, "--check"], onFile);
    expect([mixed.code, mixed.stderr]).toEqual([1, expect.stringContaining("does not go together")]);
  });

  test("refuses while a Berth runs, and a Berth refuses what is half there", async () => {
    await manyThreads(join(data(), "berth.db"), 10);
    const running = await start({
      data: data(),
      env: { ...env(), DATABASE_URL: `sqlite:${join(data(), "berth.db")}` },
    });
    const refused = await berth(["migrate", "--to", url], onFile);
    await running.stop();
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("stop it first")]);
    await copyDatabase({
      ...{ from: { url: `sqlite:${join(data(), "berth.db")}`, name: "a" }, to: { url, name: "b" } },
      say: ({ kind }) => {
        if (kind === "compared") throw new Error("cut short");
      },
    }).catch(() => undefined);
    const half = await berth(["start", "--port", "0"]);
    expect([half.code, half.stderr]).toEqual([1, expect.stringContaining("is not whole")]);
  });

  /** Copies until it says that it has copied this table, and is killed then. */
  async function killedAt(table: string, args: string[], more: Record<string, string>): Promise<void> {
    const child = Bun.spawn([...berthProgram(), "migrate", ...args, "--data", data()], {
      ...{ cwd: folder, env: { ...process.env, ...env(), ...more } },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) {
      said += decoder.decode(bytes);
      if (!new RegExp(`^copied +${table} `, "m").test(said)) continue;
      child.kill("SIGKILL");
      break;
    }
    await child.exited;
    expect(said).not.toContain("compared");
  }

  test("goes on after kill -9 in the middle, in both directions", async () => {
    await manyThreads(join(data(), "berth.db"), 3_000);
    await killedAt("events", ["--to", url], onFile);
    const [half] = await execute(url, "select count(*)::int as tables from berth_copy where is_done = 1");
    expect(half?.tables).toBeGreaterThan(1);
    const there = await done(["migrate", "--to", url], onFile);
    expect(there).toContain("An earlier copy was cut short");
    expect(there).not.toMatch(/^copied +events /m);
    const back = join(folder, "back.db");
    await killedAt("events", ["--to", `sqlite:${back}`], {});
    expect(await done(["migrate", "--to", `sqlite:${back}`])).toContain("An earlier copy was cut short");
    const counts = [join(data(), "berth.db"), back].map((file) => {
      const db = new Sqlite(file);
      const events = db.query("select count(*) as count, sum(length(body)) as chars from events").get();
      const left = db.query("select name from sqlite_master where name = 'berth_copy'").get();
      db.close();
      return { events, left };
    });
    expect(counts[1]).toEqual({ events: counts[0]?.events, left: null });
  });
});
