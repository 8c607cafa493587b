import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Database, NewerSchema, openDatabase, Threads, UnusableDatabase } from "@berth/store";
import { because, notRoot, testUnless } from "../../skips.ts";
import { standingClock, temporaryFolder } from "../every-store.ts";

let folder: string;
const opened: Database[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name = "berth.db") => join(folder, name);

async function open(path = file()): Promise<Database> {
  const database = await openDatabase(`sqlite:${path}`);
  opened.push(database);
  return database;
}

/** The answer of a second process that runs `worker` with these arguments. */
function inAnotherProcess(...args: string[]) {
  const worker = join(import.meta.dir, "database-worker.ts");
  return Bun.spawn([process.execPath, worker, ...args], { stdout: "pipe", stderr: "inherit" });
}

describe("opening", () => {
  test("makes the folder and the file, and finds everything there again", async () => {
    const path = file("deep/er/berth.db");
    const first = await open(path);
    const thread = await new Threads(first, standingClock()).create({ metadata: { a: 1 } });
    await first.close();
    opened.pop();
    const second = await open(path);
    expect(await new Threads(second, standingClock()).get(thread.thread_id)).toEqual(thread);
  });

  test("migrates once: a second time changes nothing", async () => {
    const schema = () => {
      const db = new Sqlite(file());
      const tables = db.query("select name, sql from sqlite_master order by name").all();
      const migrations = db.query("select * from berth_migrations").all();
      const workspaces = db.query("select * from workspaces").all();
      db.close();
      return { tables, migrations, workspaces };
    };
    await (await open()).close();
    const before = schema();
    expect(before.migrations.length).toBeGreaterThan(0);
    await (await open()).close();
    opened.splice(0);
    expect(schema()).toEqual(before);
  });

  test("at the same time from two processes works for both", async () => {
    const workers = [inAnotherProcess("open", file()), inAnotherProcess("open", file())];
    expect(await Promise.all(workers.map((worker) => worker.exited))).toEqual([0, 0]);
  });

  test("migrates wholly or not at all", async () => {
    const tables = () => {
      const db = new Sqlite(file());
      const names = db
        .query<{ name: string }, []>("select name from sqlite_master where type = 'table'")
        .all();
      db.close();
      return names.map((table) => table.name).filter((name) => !name.startsWith("berth_migrations"));
    };
    const db = new Sqlite(file());
    db.run("create table events (in_the_way int)");
    db.close();
    await expect(openDatabase(`sqlite:${file()}`)).rejects.toThrow("events already exists");
    expect(tables()).toEqual(["events"]);
  });

  test("refuses a schema from the future, and leaves it as it is", async () => {
    await (await open()).close();
    opened.splice(0);
    const db = new Sqlite(file());
    db.run(
      "insert into berth_migrations (name, timestamp) values ('9999-hovercraft', '2099-01-01T00:00:00Z')",
    );
    db.close();
    const opening = openDatabase(`sqlite:${file()}`);
    await expect(opening).rejects.toThrow(NewerSchema);
    await expect(opening).rejects.toThrow(/newer than this Berth \(it holds 9999-hovercraft\)/);
  });

  test("refuses a database of zero bytes beside a key or a log, and leaves all of it as it is", async () => {
    // Without the two, it is a new one.
    writeFileSync(file(), "");
    await (await open()).close();
    opened.pop();
    for (const [name, content] of [
      ["secrets.key", "key"],
      ["berth.db-wal", "log"],
    ] as const) {
      writeFileSync(file(), "");
      writeFileSync(file(name), content);
      const refusal = await open().catch((error) => error);
      expect(refusal).toBeInstanceOf(UnusableDatabase);
      expect(refusal.message).toStartWith(`${file()} is empty (0 bytes), but ${file(name)} belongs to`);
      expect([readFileSync(file(), "utf8"), readFileSync(file(name), "utf8")]).toEqual(["", content]);
      rmSync(file(name));
    }
  });

  test("says which path cannot be used, and why", async () => {
    writeFileSync(file("plain"), "");
    await expect(openDatabase(`sqlite:${file("plain/berth.db")}`)).rejects.toThrow(UnusableDatabase);
    await expect(openDatabase(`sqlite:${file("plain/berth.db")}`)).rejects.toThrow(file("plain/berth.db"));
    mkdirSync(file("folder.db"));
    await expect(openDatabase(`sqlite:${file("folder.db")}`)).rejects.toThrow(UnusableDatabase);
    await expect(openDatabase("mysql://u:secret@host/db")).rejects.toThrow(
      "DATABASE_URL must be sqlite:PATH, not mysql:…",
    );
  });

  test("says that a file is no database, and leaves it as it is", async () => {
    const letter = "Dear reader, this is a letter and no database. ".repeat(100);
    writeFileSync(file(), letter);
    await expect(openDatabase(`sqlite:${file()}`)).rejects.toThrow(UnusableDatabase);
    expect(readFileSync(file(), "utf8")).toBe(letter);
  });

  testUnless(because(!notRoot, "needs somebody who is not root"))(
    "says that a folder is read-only",
    async () => {
      mkdirSync(file("locked"));
      chmodSync(file("locked"), 0o500);
      await expect(openDatabase(`sqlite:${file("locked/berth.db")}`)).rejects.toThrow(UnusableDatabase);
      chmodSync(file("locked"), 0o700);
    },
  );
});

describe("two processes on one file", () => {
  test("write 2 × 500 transactions at the same time and lose none", async () => {
    const db = await open();
    const workers = ["a", "b"].map((name) => inAnotherProcess("write", file(), name, "500"));
    expect(await Promise.all(workers.map((worker) => worker.exited))).toEqual([0, 0]);
    const rows = await db.read.selectFrom("threads").select("thread_id").execute();
    expect(new Set(rows.map((row) => row.thread_id)).size).toBe(1000);
  });

  test("a foreign commit changes the foreign version, an own one does not", async () => {
    const db = await open();
    const before = db.foreignVersion();
    await new Threads(db, standingClock()).create({});
    await db.read.selectFrom("threads").selectAll().execute();
    expect(db.foreignVersion()).toBe(before);
    expect(await inAnotherProcess("write", file(), "x", "1").exited).toBe(0);
    const after = db.foreignVersion();
    expect(after).not.toBe(before);
    expect(db.foreignVersion()).toBe(after);
  });
});

test("a database that has forgotten the pages of its file reads and writes on", async () => {
  const database = await open();
  const threads = new Threads(database, standingClock());
  const { thread_id } = await threads.create({});
  database.forgetPages?.();
  expect((await threads.get(thread_id)).thread_id).toBe(thread_id);
  await database.write(async (tx) => {
    await tx.updateTable("threads").set({ status: "busy" }).where("thread_id", "=", thread_id).execute();
    database.forgetPages?.();
  });
  expect((await threads.get(thread_id)).status).toBe("busy");
});
