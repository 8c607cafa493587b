import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Keys, openDatabase, type ServerFacts, serverFacts } from "@berth/store";
import { SQL } from "bun";
import { examine } from "../../../server/doctor/doctor.ts";
import type { DoctorFinding } from "../../../server/doctor/finding.ts";
import type { Patient } from "../../../server/doctor/patient.ts";
import { judgeConnections, judgeDurability, judgeVacuum } from "../../../server/doctor/server.ts";
import { readSettings, type Texts } from "../../../server/settings/config.ts";
import { until } from "../../e2e/condition.ts";
import { databaseOn, execute, PostgresServer, withoutPostgres } from "../../postgres/server.ts";
import { TransactionPooler } from "../../postgres/transaction-pooler.ts";
import { describeUnless } from "../../skips.ts";

const SECRETS_KEY = "a key of the doctor's tests only";
let server: PostgresServer;
let url: string;
let folder: string;

/** What is found out about one thing, with these settings. */
async function finding(
  check: string,
  texts: Texts = {},
  more: Partial<Patient> = {},
): Promise<DoctorFinding> {
  const given = { DATA_DIR: folder, PORT: "0", DATABASE_URL: url, SECRETS_KEY, ...texts };
  const settings = readSettings(given, {}, folder, { isTerminal: false });
  const patient = { settings, environment: { PATH: process.env.PATH }, running: null, ...more };
  const { findings } = await examine({ faultsOf: async () => [], ...patient }, [check]);
  const [one] = findings;
  if (!one) throw new Error(`there is no check ${check}`);
  expect(one.advice === null).toBe(one.status === "ok");
  return one;
}

describeUnless(withoutPostgres())("the doctor of a database on a server", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "berth-doctor-"));
    server = await PostgresServer.start(["max_connections=40", "wal_level=replica"]);
    await execute(server.url(), "create database berth");
    url = server.url("berth");
    const db = await openDatabase(url);
    await new Keys(db, db.clock).create("00000000-0000-4000-8000-000000000001", "a", "workspace", {
      key_id: null,
      name: "test",
    });
    await db.close();
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  type Row = [
    check: string,
    status: DoctorFinding["status"],
    says: string,
    texts?: Texts,
    more?: Partial<Patient>,
  ];
  const ROWS: Row[] = [
    ["database", "ok", "answers at postgres://berth:***@127.0.0.1"],
    ["database", "failure", "does not answer", { DATABASE_URL: "postgres://a:b@127.0.0.1:1/c" }],
    ["migrations", "ok", "are done"],
    ["migrations", "failure", "cannot use the database", { DATABASE_URL: "postgres://a:b@127.0.0.1:1/c" }],
    ["secrets", "ok", "SECRETS_KEY opens"],
    ["clock", "ok", "off the database's"],
    ["clock", "failure", "5.0 s ahead of the database", {}, { now: () => Date.now() + 5_000 }],
    ["clock", "failure", "5.0 s behind the database", {}, { now: () => Date.now() - 5_000 }],
    ["connections", "ok", "of 37 are in use"],
    ["vacuum", "ok", "no old transaction"],
    // As every server of the tests: nobody waits for a disk.
    ["durability", "warning", "fsync of the server: off"],
    ["keys", "ok", "1 stored"],
    ["orphans", "ok", "no process and no folder"],
  ];
  for (const [check, status, says, texts, more] of ROWS)
    test(`${check}: ${status} ${says}`, async () => {
      const found = await finding(check, texts, more);
      expect(found).toMatchObject({ check, status, message: expect.stringContaining(says) });
    });

  test("a missing key is told, with the file that holds it", async () => {
    writeFileSync(join(folder, "secrets.key"), "of the file");
    const found = await finding("secrets", { SECRETS_KEY: undefined });
    expect(found).toMatchObject({ status: "failure", advice: expect.stringContaining("secrets.key") });
    rmSync(join(folder, "secrets.key"));
  });

  test("a database of before is told, and no other check speaks of it", async () => {
    await execute(server.url(), "create database older");
    const found = await finding("migrations", { DATABASE_URL: databaseOn(url, "older") });
    expect(found).toMatchObject({ status: "warning", message: expect.stringContaining("0001-agent-server") });
    expect(await finding("keys", { DATABASE_URL: databaseOn(url, "older") })).toMatchObject({ status: "ok" });
  });

  test("a pooler that gives each transaction another connection is told", async () => {
    const pooler = await TransactionPooler.start(url);
    const found = await finding("database", { DATABASE_URL: pooler.url });
    pooler.stop();
    expect(found).toMatchObject({ status: "failure", message: expect.stringContaining("a pooler") });
  });

  test("what holds old rows and logs is found at the server", async () => {
    const pool = new SQL(url, { max: 1, connection: { application_name: "a report" } });
    const report = await pool.reserve();
    await report.unsafe("begin");
    await execute(url, "select pg_create_physical_replication_slot('left', true)");
    await execute(url, "create table filler as select generate_series(1, 1000) as n");
    const id = "01999999-0000-7000-8000-00000000000";
    await execute(
      url,
      `insert into threads (thread_id, created_at, updated_at, status, metadata, config, interrupts)
        select '${id}' || n, 1, 1, 'idle', '{}', '{}', '{}' from generate_series(1, 9) n`,
    );
    await execute(url, "delete from threads");
    await until("the server to count the dead rows", async () => {
      const threads = (await serverFacts(url, Date.now)).dead.find(({ table }) => table === "threads");
      return threads?.dead === 9;
    });
    const facts = await serverFacts(url, Date.now);
    expect(facts.oldest?.who).toContain("a report, idle in transaction");
    expect(facts.slots).toMatchObject([{ name: "left", active: false }]);
    expect(facts.slots[0]?.bytes).toBeGreaterThan(0);
    await execute(url, "select pg_drop_replication_slot('left')");
    await report.unsafe("rollback");
    await pool.close({ timeout: 0 });
  });

  test("what is found is judged by how bad it is", async () => {
    const well = await serverFacts(url, Date.now);
    const judged = (more: Partial<ServerFacts>) => judgeVacuum({ ...well, oldest: null, ...more });
    expect(judged({}).status).toBe("ok");
    expect(judged({ oldest: { who: "a report", ageMs: 601_000 } }).message).toContain("10 min (a report)");
    expect(judged({ oldest: { who: "a report", ageMs: 599_000 } }).status).toBe("ok");
    const slot = { name: "left", active: false, bytes: 2 ** 31 };
    expect(judged({ slots: [slot] }).advice).toContain("pg_drop_replication_slot('left')");
    expect(judged({ slots: [{ ...slot, active: true }] }).advice).toContain("its reader");
    expect(judged({ dead: [{ table: "runs", live: 10, dead: 20_000 }] }).message).toContain("runs has 20000");
    expect(judged({ dead: [{ table: "runs", live: 30_000, dead: 20_000 }] }).status).toBe("ok");
    const connections = (inUse: number) =>
      judgeConnections({ ...well, connections: { most: 37, inUse } }).status;
    expect([connections(20), connections(30), connections(37)]).toEqual(["ok", "warning", "failure"]);
    expect(judgeDurability({ ...well, unsafe: [] }).status).toBe("ok");
  });
});
