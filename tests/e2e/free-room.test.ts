import { Database } from "bun:sqlite";
import { afterAll, expect } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFile } from "../postgres/for-data.ts";
import { testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";

const MIB = 2 ** 20;
const env = { ENGINE_INTERVAL: "0", TRACING: "false", RESUMABLE_STREAM_TTL_SECONDS: "1" };
const folder = mkdtempSync(join(tmpdir(), "berth-free-room-"));
const running: BerthProcess[] = [];
afterAll(async () => {
  for (const berth of running) await berth.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fileIn = (data: string) => join(data, "berth.db");
const sizeIn = (data: string) => statSync(fileIn(data)).size;
const theTest = testUnless(noFile);

async function started(name: string): Promise<BerthProcess> {
  const berth = await start({ env, data: join(folder, name) });
  running.push(berth);
  return berth;
}

async function stopped(berth: BerthProcess): Promise<void> {
  running.splice(running.indexOf(berth), 1);
  expect(await berth.stop()).toBe(0);
}

async function call<T>(berth: BerthProcess, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${berth.url}${path}`, {
    ...{ method, headers: { "content-type": "application/json" } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? (undefined as T) : JSON.parse(text);
}

const noise = (bytes: number): string => crypto.getRandomValues(Buffer.alloc(bytes)).toString("base64");

/** A thread on which much was said; what nobody can make smaller. */
async function longThread(berth: BerthProcess): Promise<string> {
  const { thread_id } = await call<{ thread_id: string }>(berth, "POST", "/threads", {});
  for (let turn = 0; turn < 5; turn += 1) {
    const content = Array.from({ length: 48 }, () => noise(49_152)).join("");
    const input = { messages: [{ role: "human", content }] };
    await call(berth, "POST", `/threads/${thread_id}/runs/wait`, { assistant_id: "agent", input });
  }
  return thread_id;
}

/** The mode of a file, and what is wrong with it. */
function looked(data: string) {
  const db = new Database(fileIn(data), { readonly: true });
  const of = (pragma: string) => Object.values(db.query<object, []>(`pragma ${pragma}`).get() ?? {})[0];
  const found = { mode: of("auto_vacuum"), integrity: of("integrity_check") };
  db.close();
  return found;
}

theTest("a new file gives the disk back what a deleted thread took, while Berth runs", async () => {
  const berth = await started("new");
  const thread = await longThread(berth);
  const other = await call<{ thread_id: string }>(berth, "POST", "/threads", {});
  expect(sizeIn(berth.data)).toBeGreaterThan(24 * MIB);
  await call(berth, "DELETE", `/threads/${thread}`);
  await until(
    "the file to be small",
    async () => sizeIn(berth.data),
    (size) => size < 12 * MIB,
  );
  expect(await call(berth, "GET", `/threads/${other.thread_id}`)).toMatchObject(other);
  const copy = join(folder, "copy");
  expect((await berthCommand(["backup", copy, "--data", berth.data], { env })).code).toBe(0);
  await stopped(berth);
  expect(looked(berth.data)).toEqual({ mode: 2, integrity: "ok" });
  const restored = join(folder, "restored");
  const restore = await berthCommand(["restore", copy, "--data", restored], { env });
  expect([restore.code, restore.stderr]).toEqual([0, ""]);
  expect(looked(restored)).toEqual({ mode: 2, integrity: "ok" });
});

theTest("an old file is made smaller by berth compact, and gives back by itself from then on", async () => {
  const data = mkdtempSync(join(folder, "old-"));
  const old = new Database(fileIn(data), { create: true });
  // Its first page is written, and says that it keeps all of them: as those of 0.1.0 do.
  old.run("pragma user_version = 1");
  old.close();
  const compact = (...more: string[]) => berthCommand(["compact", "--data", data, ...more], { env });
  const doctor = () => berthCommand(["doctor", "--only", "free_room", "--data", data, "--json"], { env });

  const berth = await start({ env, data });
  running.push(berth);
  const other = await call<{ thread_id: string }>(berth, "POST", "/threads", {});
  await call(berth, "DELETE", `/threads/${await longThread(berth)}`);
  const refused = await compact();
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain("berth.db open: stop it first");
  await stopped(berth);
  // Nothing of what was deleted went back.
  expect(sizeIn(data)).toBeGreaterThan(24 * MIB);
  expect(JSON.parse((await doctor()).stdout).findings[0]).toMatchObject({
    ...{ check: "free_room", status: "warning", message: expect.stringContaining("are free") },
    advice: expect.stringContaining("berth compact"),
  });

  const told = await compact("--json");
  expect([told.code, told.stderr]).toEqual([0, ""]);
  const { bytes_before, bytes_after } = JSON.parse(told.stdout);
  expect(bytes_before).toBeGreaterThan(24 * MIB);
  expect(bytes_after).toBe(sizeIn(data));
  expect(bytes_after).toBeLessThan(4 * MIB);
  expect(looked(data)).toEqual({ mode: 2, integrity: "ok" });
  const again = await compact();
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("now.")]);
  expect(JSON.parse((await doctor()).stdout).findings[0]).toMatchObject({ status: "ok" });

  const next = await start({ env, data });
  running.push(next);
  expect(await call(next, "GET", `/threads/${other.thread_id}`)).toMatchObject(other);
});

theTest("berth compact refuses what it cannot compact, and changes nothing", async () => {
  const data = mkdtempSync(join(folder, "none-"));
  const compact = (more: Record<string, string> = {}) =>
    berthCommand(["compact", "--data", data], { env: { ...env, ...more } });
  expect(await compact()).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no database") });
  const server = await compact({ DATABASE_URL: "postgres://nobody:nothing@127.0.0.1:1/none" });
  expect(server).toMatchObject({ code: 1, stderr: expect.stringContaining("vacuum full") });
  const strange = new Database(fileIn(data), { create: true });
  strange.run("create table somebodys (id text)");
  strange.close();
  expect(await compact()).toMatchObject({ code: 1, stderr: expect.stringContaining("no database of Berth") });
  expect(looked(data)).toEqual({ mode: 0, integrity: "ok" });
});
