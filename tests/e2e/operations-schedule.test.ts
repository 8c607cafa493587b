import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { DeploymentApi, type Revision } from "./deployment-api.ts";
import { tinyAgent } from "./tiny-agent.ts";

const KEY = "a-key-for-schedules";
const root = mkdtempSync(join(tmpdir(), "berth-schedule-"));
const data = join(root, "data");
const backups = join(root, "backups");
const OLD = "berth-20200101-030000.tar.gz";
afterAll(() => rmSync(root, { recursive: true, force: true }));

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);
const env = { SERVICE_API_KEY: KEY, ENGINE_INTERVAL: "0" };
const made = () => readdirSync(backups).filter((name) => name.startsWith("berth-"));

async function deployedTwice(): Promise<{ id: string; first: string; second: string }> {
  const { id } = await api.fromSource("twice");
  const first = await api.push(id, await tinyAgent("one"));
  expect((await api.settled(id, first)).status).toBe("DEPLOYED");
  const second = await api.push(id, await tinyAgent("two"));
  expect((await api.settled(id, second)).status).toBe("DEPLOYED");
  return { id, first, second };
}

test("a backup that is due is made by itself, old ones go, and the restored one serves what served", async () => {
  berth = await start({ data, env });
  const { id, first, second } = await deployedTwice();
  expect(readdirSync(join(data, "builds")).sort()).toEqual([first, second].sort());
  await berth.stop();
  mkdirSync(backups);
  writeFileSync(join(backups, OLD), "the one of long ago");
  writeFileSync(join(backups, "of-somebody-else.tar.gz"), "");
  utimesSync(join(backups, OLD), new Date("2020-01-01"), new Date("2020-01-01"));

  const schedule = { BACKUP_SCHEDULE: "0 3 * * *", BACKUP_DIR: backups, BACKUP_KEEP: "1" };
  berth = await start({ data, env: { ...env, ...schedule } });
  try {
    await until("another backup in the place of the old one", async () => !made().includes(OLD));
  } finally {
    await berth.stop();
  }
  const [file = "", ...more] = made();
  expect([more, statSync(join(backups, file)).mode & 0o777]).toEqual([[], 0o600]);
  expect(readdirSync(backups).toSorted()).toEqual([file, "of-somebody-else.tar.gz"]);

  const elsewhere = join(root, "elsewhere");
  const restored = await berthCommand(["restore", join(backups, file), "--data", elsewhere]);
  expect([restored.code, restored.stderr]).toEqual([0, ""]);
  // Of what could only be gone back to, nothing came along.
  expect(readdirSync(join(elsewhere, "builds"))).toEqual([second]);
  berth = await start({ data: elsewhere, env });
  try {
    const revision = (of: string) => api.ask<Revision>("GET", `/v2/deployments/${id}/revisions/${of}`);
    expect((await revision(first)).build_kept).toBe(false);
    expect((await revision(second)).build_kept).toBe(true);
    await until("the agent to answer again", async () => {
      const answer = await fetch(`${berth.url}/d/${id}/info`, { headers: { "x-api-key": KEY } });
      return answer.status === 200;
    });
  } finally {
    await berth.stop();
  }
});

test("with all builds they come along, and one can go back after a restore", async () => {
  const file = join(root, "all.tar.gz");
  const backup = await berthCommand(["backup", file, "--data", data, "--all-builds"]);
  expect([backup.code, backup.stderr]).toEqual([0, ""]);
  const elsewhere = join(root, "all");
  expect((await berthCommand(["restore", file, "--data", elsewhere])).code).toBe(0);
  expect(readdirSync(join(elsewhere, "builds"))).toHaveLength(2);
});

test("a schedule that is none ends the start with a line that names the setting", async () => {
  const place = ["--data", join(root, "wrong"), "--port", "0"];
  for (const BACKUP_SCHEDULE of ["often", "0 3 30 2 *"]) {
    const { code, stderr } = await berthCommand(["start", ...place], {
      cwd: backups,
      env: { BACKUP_SCHEDULE },
    });
    expect(code).toBe(1);
    expect(stderr).toContain("BACKUP_SCHEDULE");
  }
});
