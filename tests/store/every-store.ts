import { afterEach, beforeAll, describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, type Database, openDatabase, openPostgres } from "@berth/store";
import { PGlite } from "@electric-sql/pglite";
import { SQL } from "bun";
import { PGliteDialect } from "kysely";
import { execute, newDatabase, withoutPostgres } from "../postgres/server.ts";
import { describeUnless } from "../skips.ts";
import { keptOpen, type Row, toEmpty } from "./emptied.ts";

/** Opens an empty database. It is closed and removed behind the test, or, on a server, emptied before the next one. */
export type Open = () => Promise<Database>;

/** It takes two seconds to start: one for all test files of a worker, which takes it along when it ends. */
let postgres: Promise<PGlite> | undefined;
/** Makes every table what it was right after the migrations, which take longer than most tests. */
let emptied: string | undefined;

/** Postgres in this process takes as long as both others together: for long runs, and where no server is here. */
const IN_THIS_PROCESS = process.env.BERTH_LONG === "1" || withoutPostgres() !== undefined;

/**
 * Runs the same tests over SQLite and over a real Postgres server by Berth's own driver, and maybe over Postgres in
 * this process (PGlite); on Postgres in one schema that is emptied for each test. A test opens one database at a time.
 */
export function everyStore(name: string, tests: (open: Open) => void): void {
  describe(`${name} on sqlite`, () => {
    const closers: (() => Promise<void>)[] = [];
    closeAfterEach(closers);
    tests(async () => {
      const folder = temporaryFolder();
      const database = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
      closers.push(async () => {
        await database.close();
        rmSync(folder, { recursive: true, force: true });
      });
      return database;
    });
  });

  if (IN_THIS_PROCESS) onPostgresHere(name, tests);
  onPostgresServer(name, tests);
}

function onPostgresHere(name: string, tests: (open: Open) => void): void {
  describe(`${name} on postgres`, () => {
    const closers: (() => Promise<void>)[] = [];
    let pglite: PGlite;
    beforeAll(async () => {
      postgres ??= PGlite.create();
      pglite = await postgres;
    });
    closeAfterEach(closers);
    tests(async () => {
      if (emptied === undefined) await pglite.exec("create schema test; set search_path to test");
      else await pglite.exec(emptied);
      const database = await openPostgres(new PGliteDialect({ pglite: keptOpen(pglite) }));
      emptied ??= await toEmpty("test", async (statement) => (await pglite.query<Row>(statement)).rows);
      closers.push(() => database.close());
      return database;
    });
  });
}

/** One database on a real server, for all test files of a worker. */
let onServer: Promise<{ database: Database; empty: () => Promise<unknown> }> | undefined;

/** It stays open: a server starts a process for each connection. */
async function openedOnServer() {
  const url = await newDatabase();
  const database = await openDatabase(url);
  const emptied = await toEmpty("public", (statement) => execute(url, statement));
  const kept = new SQL(url, { max: 1 });
  const close = async () => {
    onServer = undefined;
    await kept.close();
    await database.close();
  };
  return {
    // A test that closes it leaves the next one a new one.
    database: Object.create(database, { close: { value: close } }) as Database,
    empty: async () => await kept.unsafe(emptied),
  };
}

function onPostgresServer(name: string, tests: (open: Open) => void): void {
  describeUnless(withoutPostgres())(`${name} on a postgres server`, () => {
    tests(async () => {
      onServer ??= openedOnServer();
      const { database, empty } = await onServer;
      await empty();
      return database;
    });
  });
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "berth-store-"));

/** A clock that stands still until it is turned. */
export function standingClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

function closeAfterEach(closers: (() => Promise<void>)[]): void {
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
}
