import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import { migrations } from "../../store/migrations/index.ts";
import { databaseOf, migrationFiles } from "./landed.ts";
import { landedDatabase } from "./landed-database.ts";

const NOW = new Date("2026-01-01T00:00:00.000Z");
const newest = readFileSync(databaseOf(migrationFiles().at(-1) ?? ""), "utf8");

const opened = (text: string) => {
  const db = new Database(":memory:");
  db.run(text);
  return db;
};

/** What it finds, it writes; its texts and bytes need quotes. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table notes (id text primary key, workspace_id text not null, bytes bytea, at bigint)`.execute(
    db,
  );
  await sql`create index notes_at on notes (at)`.execute(db);
  await sql`alter table threads add column note text`.execute(db);
  const { rows } = await sql<{ thread_id: string }>`select thread_id from threads`.execute(db);
  for (const { thread_id } of rows)
    await sql`update threads set note = ${`it's ${thread_id};\n"two"`} where thread_id = ${thread_id}`.execute(
      db,
    );
  await sql`insert into notes values ('kept', 'w', ${new Uint8Array([0, 39, 255])}, ${1_790_000_000_000})`.execute(
    db,
  );
  await sql`create trigger notes_gone after delete on notes begin delete from threads; delete from runs; end`.execute(
    db,
  );
}

test("the database of a migration's time is the one before it, with what the migration did and a row of each new table", async () => {
  const { text, faults } = await landedDatabase("9999-notes", up, newest, NOW);
  expect(faults).toEqual([]);
  expect(text).toStartWith("-- What Berth wrote with migration 9999-notes. ");
  expect(text.split("\n").length).toBeGreaterThan(newest.split("\n").length);
  using db = opened(text);
  expect(db.query("select * from notes").values()).toEqual([
    ["kept", "w", new Uint8Array([0, 39, 255]), 1_790_000_000_000],
    ['{"of":"notes.id"}', "00000000-0000-4000-8000-000000000001", new Uint8Array([0, 255]), 1],
  ]);
  const [thread] = db.query<{ thread_id: string; note: string }, []>("select * from threads").all();
  expect(thread?.note).toBe(`it's ${thread?.thread_id};\n"two"`);
  expect(db.query("select timestamp from berth_migrations where name = '9999-notes'").values()).toEqual([
    [NOW.toISOString()],
  ]);
});

test("where no row of a new table can be made, it says so", async () => {
  const strict = (db: Kysely<unknown>) =>
    sql`create table odd (kind text not null check (kind = 'odd'))`.execute(db).then(() => undefined);
  const { text, faults } = await landedDatabase("9999-odd", strict, newest, NOW);
  expect(faults).toEqual([expect.stringContaining("no row of odd could be made")]);
  using db = opened(text);
  expect(db.query("select * from odd").values()).toEqual([]);
});

/** Both engines have their own statements there, a virtual table among them. */
test.each(["0030-trace-words", "0033-registry", "0036-thread-words"])(
  "it is the one that was kept for %s",
  async (name) => {
    const before = migrationFiles()[migrationFiles().indexOf(name) - 1] ?? "";
    const migrate = migrations[name]?.up;
    if (!migrate) throw new Error(`no ${name}`);
    const { text } = await landedDatabase(name, migrate, readFileSync(databaseOf(before), "utf8"), NOW);
    using made = opened(text);
    using kept = opened(readFileSync(databaseOf(name), "utf8"));
    expect(shapeOf(made)).toEqual(shapeOf(kept));
  },
);

function shapeOf(db: Database): unknown[] {
  return db
    .query("select type, name, tbl_name from sqlite_master where name not like 'sqlite_%' order by name")
    .values();
}
