import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFile } from "../postgres/for-data.ts";
import { because, describeUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";

const disk = mkdtempSync(join(tmpdir(), "berth-full-disk-"));
const BLOCK = new Uint8Array(65_536);

/** A disk of its own, so small that a test can fill it. */
const mounted =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", disk]).exitCode === 0;

afterAll(() => {
  if (mounted) Bun.spawnSync(["umount", "-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const size of [BLOCK.length, 4_096, 1])
      for (;;)
        try {
          writeSync(file, BLOCK, 0, size);
        } catch {
          break;
        }
  } finally {
    closeSync(file);
  }
}

describeUnless(noFile ?? because(!mounted, "a small file system cannot be mounted here"))(
  "a disk that is full",
  () => {
    let berth: BerthProcess;
    beforeAll(async () => {
      berth = await start({ data: join(disk, "data"), env: { LOG_LEVEL: "warning" } });
    });
    afterAll(() => berth?.stop());

    const ok = async (query = "") => {
      const answer = await fetch(`${berth.url}/ok${query}`);
      return [answer.status, await answer.json()];
    };
    const write = () =>
      fetch(`${berth.url}/threads`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ metadata: { text: "x".repeat(30_000) } }),
      });

    test("is told by /ok?check_db, once a minute by the log, and is over when there is room", async () => {
      expect(await ok("?check_db=1")).toEqual([200, { ok: true }]);
      const ballast = join(disk, "ballast");
      fill(ballast);
      // The log has room of its own for a while.
      await until("writes to fail", async () => (await write()).status === 503);
      const reason = { detail: "There is no room on the server's disk" };
      for (let asked = 0; asked < 5; asked += 1) expect(await ok("?check_db=1")).toEqual([503, reason]);
      expect(await ok()).toEqual([200, { ok: true }]);
      for (let asked = 0; asked < 5; asked += 1) expect((await write()).status).toBe(503);
      const errors = berth
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line))
        .filter(({ error }) => error !== undefined)
        .map(
          ({ area, message, error }) =>
            `${area} ${message} ${error.name} ${error.message} ${error.cause?.message}`,
        );
      expect(errors.length).toBeGreaterThan(0);
      expect(errors).toEqual([...new Set(errors)]);
      rmSync(ballast);
      await until("it to be well again", async () => (await ok("?check_db=1"))[0] === 200);
      expect((await write()).status).toBe(200);
    });
  },
);
