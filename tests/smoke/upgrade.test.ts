import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DATA_MARK, dataMark, processesWith } from "../../server/machine/process-table.ts";
import { commitOf } from "../../server/version.ts";
import { until } from "../e2e/condition.ts";
import { DeploymentApi } from "../e2e/deployment-api.ts";
import { because, testUnless } from "../skips.ts";
import { putExecutable } from "./executable.ts";
import { type Berth, ROOT, run, startBerth, temporaryFolder } from "./program.ts";

const KEY = "a-key-for-upgrades";
const folder = temporaryFolder();
const berth = join(folder.path, "bin", "berth");
const data = join(folder.path, "data");
/** The outlived ones would die with the test's own process otherwise. */
const env = { SERVICE_API_KEY: KEY, LOG_FORMAT: "json", BUN_FEATURE_FLAG_NO_ORPHANS: "0" };

let running: Berth | undefined;
const api = new DeploymentApi(() => running?.url ?? "", KEY);

beforeAll(async () => {
  mkdirSync(join(folder.path, "bin"));
  mkdirSync(data);
  await putExecutable(berth);
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  for (const pid of instances()) process.kill(pid, "SIGKILL");
  folder.remove();
});

const begin = () => startBerth([berth], { cwd: folder.path, env, args: ["--data", data] });

/** Puts another file in the place of the executable, as `install` and `mv` do. */
function replace(write: (path: string) => void): void {
  const next = `${berth}.new`;
  write(next);
  chmodSync(next, 0o755);
  renameSync(next, berth);
}

/** Another version: the same program, and yet not the same file. */
const anotherVersion = (seconds: number) =>
  replace((path) => {
    copyFileSync(join(folder.path, "bin", "kept"), path);
    utimesSync(path, seconds, seconds);
  });

const instances = () =>
  processesWith(DATA_MARK).flatMap(({ pid, marks }) => (marks[DATA_MARK] === dataMark(data) ? [pid] : []));
const held = () => readdirSync(join(data, "runtime"));

type Examined = { findings: { check: string; status: string }[] };

testUnless(because(process.platform !== "linux", "programs are held on Linux"))(
  "what is put in the executable's place runs with the next start, and nothing of it before",
  async () => {
    copyFileSync(berth, join(folder.path, "bin", "kept"));
    running = await begin();
    replace((path) => writeFileSync(path, "#!/bin/sh\nexit 7\n"));

    // Nothing was deployed before.
    const { id, latest_revision_id } = await api.fromTemplate("upgraded");
    expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
    const [first = 0] = instances();
    process.kill(first, "SIGKILL");
    const [second = 0] = await until(
      "another process",
      async () => instances().filter((pid) => pid !== first),
      (pids) => pids.length === 1,
    );
    expect(readlinkSync(`/proc/${second}/exe`)).toStartWith(join(data, "runtime"));
    expect(
      await until("it to answer", () => api.ask<object>("GET", `/d/${id}/info`).catch(() => undefined)),
    ).toMatchObject({ commit: commitOf(ROOT) });

    // What looks at the database, and what makes backups, is of this version, too.
    const { findings } = await api.ask<Examined>("GET", "/v1/system/doctor");
    expect(findings.filter(({ check }) => check === "database")).toMatchObject([{ status: "ok" }]);

    // Killed: what runs goes on as it is, with its own version, while the next one starts.
    const before = held();
    anotherVersion(1_000_000_000);
    await running[Symbol.asyncDispose]();
    running = await begin();
    await until("it to be taken over", () => api.ask("GET", `/d/${id}/info`).catch(() => undefined));
    expect(instances()).toEqual([second]);
    expect(held()).toEqual(expect.arrayContaining(before));

    // Stopped: everything is of the next version, and what nothing runs is gone.
    anotherVersion(1_100_000_000);
    expect(await running.stop()).toBe(0);
    expect(instances()).toEqual([]);
    running = await begin();
    await until("it to serve", () => api.ask("GET", `/d/${id}/info`).catch(() => undefined));
    await until("one version to be left", async () => held().length === 1);
    expect(held()).not.toEqual(before);
    // On one file system it takes no room.
    const [third] = instances();
    expect(statSync(`/proc/${third}/exe`).ino).toBe(statSync(berth).ino);
    expect(await running.stop()).toBe(0);
  },
);

test("the executable tells its version and its commit", async () => {
  const { code, out } = await run([join(folder.path, "bin", "kept"), "--version"], folder.path);
  const of = commitOf(ROOT);
  expect([code, out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+/)]);
  expect(out.includes(`(commit ${of})`)).toBe(of !== null);
});
