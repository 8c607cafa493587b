import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFile } from "../postgres/for-data.ts";
import { describeUnless, notRoot, testUnless } from "../skips.ts";
import { start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";

const root = mkdtempSync(join(tmpdir(), "berth-private-"));
chmodSync(root, 0o755);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const NOBODY = 65_534;
const modeOf = (path: string) => statSync(path).mode & 0o777;
const databasesIn = (data: string) => readdirSync(data).filter((name) => name.includes(".db"));

/** Berth on that folder, with a umask that closes nothing. */
async function served(data: string) {
  const before = process.umask(0);
  try {
    return await start({ data });
  } finally {
    process.umask(before);
  }
}

async function folderFinding(data: string) {
  const { stdout } = await berthCommand(["doctor", "--data", data, "--json"]);
  const { findings }: { findings: { check: string; status: string; message: string }[] } = JSON.parse(stdout);
  return findings.find(({ check }) => check === "folder");
}

describeUnless(noFile)("conversations are nobody else's to read", () => {
  test("in a new data folder, whatever the umask", async () => {
    const data = join(root, "new");
    const berth = await served(data);
    try {
      await fetch(`${berth.url}/threads`, { method: "POST", body: "{}" });
      // Users of deployments may pass through it.
      expect(modeOf(data) & 0o066).toBe(0);
      expect(databasesIn(data).toSorted()).toContain("berth.db-wal");
      for (const name of databasesIn(data)) expect([name, modeOf(join(data, name))]).toEqual([name, 0o600]);
    } finally {
      await berth.stop();
    }
  });

  test("in an older data folder, which doctor names and the next start puts right", async () => {
    const data = join(root, "old");
    mkdirSync(data);
    await (await served(data)).kill9();
    chmodSync(data, 0o755);
    // A kill leaves the files beside the databases, too.
    // Nobody opens this one again.
    writeFileSync(join(data, "copy.db-wal"), "");
    for (const name of databasesIn(data)) chmodSync(join(data, name), 0o644);
    expect(databasesIn(data).toSorted()).toContain("berth.db-shm");
    expect(await folderFinding(data)).toMatchObject({
      status: "failure",
      message: expect.stringContaining("other users of this machine can read"),
    });
    const berth = await served(data);
    try {
      expect(modeOf(data) & 0o066).toBe(0);
      for (const name of databasesIn(data)) expect([name, modeOf(join(data, name))]).toEqual([name, 0o600]);
    } finally {
      await berth.stop();
    }
    expect(await folderFinding(data)).toMatchObject({ status: "ok" });
  });

  testUnless(notRoot)("another user of the machine gets nothing", async () => {
    const data = join(root, "stranger");
    const berth = await served(data);
    try {
      const as = { uid: NOBODY, gid: NOBODY, stdio: ["ignore", "pipe", "pipe"] as const };
      const listed = Bun.spawnSync(["ls", data], { ...as, stdio: ["ignore", "pipe", "pipe"] });
      const read = Bun.spawnSync(["cat", join(data, "berth.db")], {
        ...as,
        stdio: ["ignore", "pipe", "pipe"],
      });
      expect([listed.exitCode, read.exitCode]).not.toContain(0);
      expect(listed.stdout.length + read.stdout.length).toBe(0);
    } finally {
      await berth.stop();
    }
  });
});
