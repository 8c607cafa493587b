import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getLogger } from "@logtape/logtape";
import { allocatedBytes, DiskUse } from "../../server/control/disk-use.ts";

const MIB = 2 ** 20;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-disk-use-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(path: string, bytes: number): string {
  const full = join(folder, path);
  mkdirSync(join(full, ".."), { recursive: true });
  writeFileSync(full, Buffer.alloc(bytes, 1));
  return full;
}

/** An environment whose `du` does not end. */
function withEndlessDu(): Record<string, string | undefined> {
  chmodSync(file("bin/du", 1), 0o755);
  writeFileSync(join(folder, "bin/du"), "#!/bin/sh\nexec sleep 600\n");
  return { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}` };
}

const measured = (paths: string[], { limitMs = 60_000, environment = process.env } = {}) =>
  allocatedBytes(paths, {
    folder,
    environment,
    limitMs,
    signal: new AbortController().signal,
  });

async function mibOf(paths: string[]): Promise<number> {
  const bytes = await measured(paths);
  if (typeof bytes !== "number") throw new Error(bytes.reason);
  return Math.round(bytes / MIB);
}

test("a sparse file counts what it uses, a file with several links counts once, a missing folder nothing", async () => {
  truncateSync(file("deployments/a/data/holes", 1), 2 ** 36);
  expect(await mibOf(["deployments/a"])).toBe(0);
  linkSync(file("deployments/a/cache/package", 4 * MIB), join(folder, "deployments/a/data/package"));
  mkdirSync(join(folder, "builds/r"), { recursive: true });
  linkSync(join(folder, "deployments/a/cache/package"), join(folder, "builds/r/package"));
  expect(await mibOf(["deployments/a", "builds/r"])).toBe(4);
  expect(await mibOf(["deployments/gone", "builds/r"])).toBe(4);
  expect(await mibOf(["deployments/gone"])).toBe(0);
});

test("a folder that disappears during the measurement does not end it", async () => {
  file("builds/kept/file", 2 * MIB);
  const names = Array.from({ length: 300 }, (_, at) => `builds/${at}`);
  for (const name of names) file(`${name}/deep/file`, 1);
  const measuring = mibOf([...names, "builds/kept"]);
  for (const name of names.toReversed()) rmSync(join(folder, name), { recursive: true });
  expect(await measuring).toBeGreaterThanOrEqual(2);
});

test("a measurement ends at its time limit", async () => {
  file("builds/a/file", 1);
  expect(await measured(["builds/a"], { limitMs: 50, environment: withEndlessDu() })).toEqual({
    reason: expect.any(String),
    isLate: true,
  });
});

/** A data folder with two workspaces. `owners` names the workspace of each deployment and revision. */
function startDiskUse(owners: Record<string, string>, { limitMs = 60_000, environment = process.env } = {}) {
  const clock = { ms: 0, now: () => clock.ms };
  const sizes = new Map<string, number | null>();
  const use = new DiskUse({
    dataDir: folder,
    environment,
    logger: getLogger(["tests", "disk-use"]),
    clock,
    limitMs,
    quota: {
      maxBytes: 1,
      setFolderBytes: (id, bytes) => void sizes.set(id, bytes),
      retain: (ids) => {
        for (const id of sizes.keys()) if (!ids.has(id)) sizes.delete(id);
      },
      workspacesOf: async (_kind, ids) =>
        new Map(ids.flatMap((id) => (owners[id] ? [[id, owners[id]]] : []))),
    },
  });
  const mib = () => Object.fromEntries([...sizes].map(([id, bytes]) => [id, Math.round((bytes ?? 0) / MIB)]));
  return { clock, sizes, use, mib };
}

test("each workspace is measured every five minutes, and half a minute after a change", async () => {
  const { clock, use, mib } = startDiskUse({ a: "one", b: "two", r: "one" });
  file("deployments/a/data/file", 2 * MIB);
  file("builds/r/file", MIB);
  file("builds/of-no-revision/file", 8 * MIB);
  file("deployments/b/data/file", MIB);
  await use.measure();
  expect(mib()).toEqual({ one: 3, two: 1 });

  for (const id of ["a", "b"]) file(`deployments/${id}/data/more`, 4 * MIB);
  use.changed("one");
  clock.ms += 10_000;
  await use.measure();
  expect(mib()).toEqual({ one: 3, two: 1 });
  clock.ms += 20_000;
  await use.measure();
  expect(mib()).toEqual({ one: 7, two: 1 });
  clock.ms += 270_000;
  await use.measure();
  expect(mib()).toEqual({ one: 7, two: 5 });

  rmSync(join(folder, "deployments/b"), { recursive: true });
  clock.ms += 300_000;
  await use.measure();
  expect(mib()).toEqual({ one: 7 });
});

test("a workspace that cannot be measured in time has no size", async () => {
  const { use, sizes } = startDiskUse({ a: "one" }, { limitMs: 50, environment: withEndlessDu() });
  file("deployments/a/data/file", 1);
  await use.measure();
  expect([...sizes]).toEqual([["one", null]]);
});

test("nothing is measured after the stop", async () => {
  const { use, sizes } = startDiskUse({ a: "one" });
  expect(use.jobs).toHaveLength(1);
  file("deployments/a/data/file", 1);
  use.stop();
  await use.measure();
  expect(sizes.size).toBe(0);
});
