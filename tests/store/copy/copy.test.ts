import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { copyDatabase, HalfCopied, openDatabase, Threads, UnusableDatabase } from "@berth/store";
import { connectAlone, lockForCopy } from "../../../store/database/postgres/alone.ts";
import { databaseOn, dropDatabase, execute, newDatabase, withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import { standingClock, temporaryFolder } from "../every-store.ts";
import { tablesOf } from "../made-row.ts";
import { countOf, filledFile } from "./filled-file.ts";

let folder: string;
let server: string;
const place = (url: string) => ({ url, name: url.replace(/^.*[/]/, "") });
const inFile = (name: string) => place(`sqlite:${join(folder, name)}`);

describeUnless(withoutPostgres())("a copy of a database", () => {
  beforeEach(async () => {
    folder = temporaryFolder();
    server = await newDatabase();
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await dropDatabase(server);
  });

  /** Every row of every table of a file, as SQLite has it. */
  function contents(name: string): Record<string, unknown[]> {
    const db = new Sqlite(join(folder, name));
    const rows = (table: string) =>
      db
        .query(`select * from ${table}`)
        .values()
        .map((row) => JSON.stringify(row))
        .sort();
    const all = Object.fromEntries(tablesOf(db).map((table) => [table, rows(table)]));
    db.close();
    return all;
  }

  const refused = async (copy: Promise<unknown>): Promise<string> => {
    const error = await copy.catch((found) => found);
    expect(error).toMatchObject({ name: "CopyRefused" });
    return String(error);
  };

  test("has every row of every table, on the server and in a file again", async () => {
    await filledFile(join(folder, "source.db"));
    await (await openDatabase(server)).close();
    // As pgvector has it: made of the others, and nothing that a file has.
    await execute(server, "create table item_embeddings (seq bigint references item_vectors (seq))");
    const there = await copyDatabase({ from: inFile("source.db"), to: place(server) });
    const back = await copyDatabase({ from: place(server), to: inFile("back.db") });
    expect(back).toEqual(there);
    const source = contents("source.db");
    expect(contents("back.db")).toEqual(source);
    for (const [table, rows] of Object.entries(source)) {
      expect([table, rows.length > 0]).toEqual([table, true]);
      expect([table, there.get(table)?.rows]).toEqual([table, rows.length]);
    }
    // Nothing says any more that it was a copy, and what it holds can be used.
    const db = await openDatabase(server);
    expect((await new Threads(db, standingClock()).get("odd-1")).metadata).toMatchObject({ nul: "\0" });
    await db.close();
  });

  test("says of U+0000 in a text what Postgres takes instead", async () => {
    await filledFile(join(folder, "source.db"));
    const db = new Sqlite(join(folder, "source.db"));
    db.run("update threads set title = 'a' || char(0) || 'b' where thread_id = 'odd-1'");
    db.close();
    await copyDatabase({ from: inFile("source.db"), to: place(server) });
    const [thread] = await execute(server, "select title from threads where thread_id = 'odd-1'");
    expect(thread).toEqual({ title: "a\ufffdb" });
  });

  test("refuses a number that is none of those that both keep", async () => {
    await filledFile(join(folder, "source.db"));
    const db = new Sqlite(join(folder, "source.db"));
    db.run("update threads set created_at = 1.5 where thread_id = 'odd-1'");
    db.close();
    const copy = copyDatabase({ from: inFile("source.db"), to: place(server) });
    expect(await copy.catch((error) => error)).toMatchObject({
      name: "NotCopyable",
      message: expect.stringContaining("threads.created_at"),
    });
    // What is half there is started by nobody.
    expect(await openDatabase(server).catch((error) => error)).toBeInstanceOf(HalfCopied);
  });

  test("goes on where the one before was cut short; what changed since is copied again", async () => {
    await filledFile(join(folder, "source.db"));
    const stop = new Error("cut short");
    const first = copyDatabase({
      ...{ from: inFile("source.db"), to: place(server) },
      say: (news) => {
        if (news.kind === "copied" && news.table === "runs") throw stop;
      },
    });
    expect(await first.catch((error) => error)).toBe(stop);
    const told: string[] = [];
    const say = (news: { kind: string; how?: string }) => {
      if (news.kind === "begun") told.push(news.how ?? "");
    };
    await filledFile(join(folder, "other.db"));
    const other = copyDatabase({ from: inFile("other.db"), to: place(server) });
    expect(await refused(other)).toContain("holds a part of source.db");
    const db = new Sqlite(join(folder, "source.db"));
    db.run("update workspaces set name = 'renamed'");
    db.close();
    const digests = await copyDatabase({ from: inFile("source.db"), to: place(server), say });
    expect(told).toEqual(["resumed", "again"]);
    await copyDatabase({ from: place(server), to: inFile("back.db") });
    expect(contents("back.db")).toEqual(contents("source.db"));
    expect(digests.get("runs")?.rows).toBe(contents("source.db").runs?.length);
  });

  test("refuses while a Berth has one of the two open, and a Berth starts on neither meanwhile", async () => {
    await filledFile(join(folder, "source.db"));
    const [from, to] = [inFile("source.db"), place(server)];
    const onFile = await openDatabase(from.url);
    expect(await refused(copyDatabase({ from, to }))).toContain("source.db open");
    await onFile.close();
    const onServer = await openDatabase(server);
    expect(await refused(copyDatabase({ from, to }))).toContain("a Berth runs on");
    await onServer.close();
    await copyDatabase({ from, to });
    const pool = connectAlone(server, "berth-copy");
    expect(await lockForCopy(await pool.reserve())).toBeUndefined();
    const opened = await openDatabase(server).catch((error) => error);
    expect(opened).toBeInstanceOf(UnusableDatabase);
    expect(opened.message).toContain("is being copied");
    expect(await refused(copyDatabase({ from: to, to: inFile("back.db") }))).toContain("another copy");
    await pool.close({ timeout: 0 });
  });

  test("refuses a place with data, one of something else, and a schema that is not this program's", async () => {
    await filledFile(join(folder, "source.db"));
    const [from, to] = [inFile("source.db"), place(server)];
    expect(await refused(copyDatabase({ from, to: inFile("same.db") }))).toContain("same engine");
    await execute(server, "create table somebodys (id text)");
    expect(await refused(copyDatabase({ from, to }))).toContain("somebodys");
    await execute(server, "drop table somebodys");
    const db = await openDatabase(server);
    await new Threads(db, standingClock()).create({});
    await db.close();
    expect(await refused(copyDatabase({ from, to }))).toContain("data of its own (threads)");
    await execute(server, "delete from threads");
    await execute(server, "delete from berth_migrations where name like '0023%'");
    expect(await refused(copyDatabase({ from, to }))).toContain("0023-instance-replicas not done");
    await execute(server, "insert into berth_migrations values ('9999-later', 'now')");
    expect(await refused(copyDatabase({ from: to, to: inFile("back.db") }))).toContain("9999-later");
    const gone = copyDatabase({ from, to: place(databaseOn(server, "not_there")) });
    expect(await gone.catch((error) => error)).toBeInstanceOf(UnusableDatabase);
  });
});

test("a database file that was closed is nobody's", async () => {
  const path = join(temporaryFolder(), "berth.db");
  await (await openDatabase(`sqlite:${path}`)).close();
  const db = new Sqlite(path);
  db.run("pragma locking_mode = exclusive");
  db.run("begin exclusive");
  db.run("rollback");
  expect(countOf(db, "workspaces")).toBe(1);
  db.close();
  rmSync(join(path, ".."), { recursive: true });
});
