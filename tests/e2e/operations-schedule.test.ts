import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFile } from "../postgres/for-data.ts";
import { StorageServer } from "../server/backup/storage-server.ts";
import { testUnless } from "../skips.ts";
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

testUnless(noFile)(
  "a backup that is due is made by itself, old ones go, and the restored one serves what served",
  async () => {
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
  },
);

testUnless(noFile)("with all builds they come along, and one can go back after a restore", async () => {
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
      cwd: root,
      env: { BACKUP_SCHEDULE },
    });
    expect(code).toBe(1);
    expect(stderr).toContain("BACKUP_SCHEDULE");
  }
});

describe("S3-like storage", () => {
  const storage = new StorageServer();
  afterAll(() => storage.stop());
  const inStorage = () => [...storage.objects.keys()].sort();
  const store = (name: string) =>
    storage.objects.set(`backups/${name}`, { bytes: Buffer.from("old"), at: new Date("2020-01-01") });

  testUnless(noFile)(
    "gets the backups of a schedule, keeps a number of them, and gives one back",
    async () => {
      for (const name of ["nightly/berth-20200101-030000.tar.gz", "nightly/of-somebody-else", OLD])
        store(name);
      const place = { BACKUP_SCHEDULE: "0 3 * * *", BACKUP_DIR: "s3://backups/nightly/", BACKUP_KEEP: "1" };
      berth = await start({ data, env: { ...env, ...storage.env, ...place } });
      try {
        await until("another backup in the place of the old one", async () => {
          return !storage.objects.has("backups/nightly/berth-20200101-030000.tar.gz");
        });
      } finally {
        await berth.stop();
      }
      const [other, file = "", ...more] = inStorage();
      expect([other, more]).toEqual([`backups/${OLD}`, ["backups/nightly/of-somebody-else"]]);
      expect(readdirSync(data).filter((name) => name.startsWith(".upload"))).toEqual([]);

      const elsewhere = join(root, "from-storage");
      const restored = await berthCommand(["restore", `s3://${file}`, "--data", elsewhere], {
        env: storage.env,
      });
      expect([restored.code, restored.stderr]).toEqual([0, ""]);
      expect(readdirSync(join(elsewhere, "builds"))).toHaveLength(1);
    },
  );

  testUnless(noFile)("takes a backup by hand once under a name, and whole", async () => {
    const order = ["backup", "s3://backups/before.tar.gz", "--data", data];
    const first = await berthCommand(order, { env: storage.env });
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toContain("s3://backups/before.tar.gz: ");
    const second = await berthCommand(order, { env: storage.env });
    expect([second.code, second.stderr]).toEqual([1, "berth: s3://backups/before.tar.gz is there already\n"]);
  });

  test("that cannot be used ends the start, or the command, with a line that says why", async () => {
    const place = ["--data", join(root, "wrong"), "--port", "0"];
    const started = await berthCommand(["start", ...place], {
      cwd: root,
      env: { BACKUP_SCHEDULE: "0 3 * * *", BACKUP_DIR: "s3://backups/x" },
    });
    expect([started.code, started.stderr]).toEqual([1, expect.stringContaining("set S3_KEY_ID")]);
    const wrong = { ...storage.env, BACKUP_S3_SECRET: "somebody-else's" };
    const restored = await berthCommand(["restore", "s3://backups/before.tar.gz", ...place.slice(0, 2)], {
      env: wrong,
    });
    expect(restored.code).toBe(1);
    expect(restored.stderr).toContain("looking for before.tar.gz: SignatureDoesNotMatch");
    const missing = await berthCommand(["restore", "s3://backups/none.tar.gz", ...place.slice(0, 2)], {
      env: storage.env,
    });
    expect([missing.code, missing.stderr]).toEqual([1, "berth: there is no s3://backups/none.tar.gz\n"]);
  });
});
