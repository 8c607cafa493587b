import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@berth/store";
import { berthCommand } from "../e2e/command.ts";

let data: string;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "berth-operations-"));
  await (await openDatabase(`sqlite:${join(data, "berth.db")}`)).close();
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const env = { SERVICE_API_KEY: "", PUBLIC_URL: "", HOST: "" };
const berth = (...args: string[]) => berthCommand([...args, "--data", data], { cwd: data, env });

test("doctor says what is, and ends with 1 only on a failure", async () => {
  const well = await berth("doctor", "--only", "database,migrations,keys");
  expect([well.code, well.stderr]).toEqual([0, ""]);
  expect(well.stdout).toContain("All is well.");
  const open = await berth("doctor", "--json", "--only", "keys", "--host", "0.0.0.0");
  expect(open.code).toBe(1);
  expect(JSON.parse(open.stdout)).toMatchObject({
    status: "failure",
    findings: [{ check: "keys", status: "failure", advice: expect.stringContaining("berth keys create") }],
  });
  const unknown = await berth("doctor", "--only", "moon");
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("there is no check moon")]);
});

test("migrate tells what is pending, and does it when it is told to", async () => {
  const done = await berth("migrate", "--check");
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("Nothing is pending.")]);
  // As an older Berth would have left it.
  const last = undoLast();
  const pending = await berth("migrate", "--check", "--json");
  expect([pending.code, JSON.parse(pending.stdout).pending]).toEqual([1, [last]]);
  const raw = new Database(join(data, "berth.db"));
  raw.run("insert into berth_migrations values ('9999-later', '2030-01-01T00:00:00.000Z')");
  raw.close();
  const newer = await berth("migrate");
  expect([newer.code, newer.stdout]).toEqual([1, expect.stringContaining("A newer Berth has written it")]);
});

/** Takes the last migration off the list; what it did stays. */
function undoLast(): string {
  const raw = new Database(join(data, "berth.db"));
  const row = raw
    .query<{ name: string }, []>(
      "delete from berth_migrations where name = (select max(name) from berth_migrations) returning name",
    )
    .get();
  raw.close();
  return row?.name ?? "";
}

test("migrate --apply brings an empty database up to date without a start", async () => {
  const folder = join(data, "fresh");
  const raw = new Database(join(data, "fresh.db"), { create: true });
  raw.close();
  const at = { DATABASE_URL: `sqlite:${join(data, "fresh.db")}` };
  const call = (...args: string[]) =>
    berthCommand(["migrate", ...args, "--data", folder], { cwd: data, env: { ...env, ...at } });
  const applied = await call("--apply");
  expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining("Nothing is pending.")]);
});
