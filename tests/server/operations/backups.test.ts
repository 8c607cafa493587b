import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BackupStatuses, DEFAULT_WORKSPACE } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import { chatText } from "../../../server/delivery/chat.ts";
import { judgeBackups } from "../../../server/doctor/backup.ts";
import { ownProgram } from "../../../server/machine/executable.ts";
import { backupJobs } from "../../../server/operations/scheduled-backups.ts";
import type { Family } from "../../../server/readings/index.ts";
import { temporaryFolder } from "../../smoke/program.ts";
import { type OperationsRig, openOperationsRig } from "./rig.ts";

const HOUR = 3_600_000;
const place = temporaryFolder();
/** A file at first, so that it cannot be a folder of backups. */
const backups = join(place.path, "backups");
let rig: OperationsRig;

beforeAll(async () => {
  writeFileSync(backups, "in the way");
  rig = await openOperationsRig({ env: { BACKUP_SCHEDULE: "* * * * *", BACKUP_DIR: backups } });
  const types = { event_types: ["backup.failed", "backup.recovered"], severity_threshold: 3 };
  const url = "https://receiver.example";
  await rig.subscriptions.create(DEFAULT_WORKSPACE.id, { url, ...types });
  const { workspaceId } = await rig.stranger("theirs");
  await rig.subscriptions.create(workspaceId, { url, ...types });
});
afterAll(async () => {
  await rig.close();
  place.remove();
});

const system = async () => (await rig.ask("/v1/system")).body as { backup: Record<string, unknown> };
const doctor = async () => {
  const { findings } = (await rig.ask("/v1/system/doctor")).body as { findings: Record<string, string>[] };
  return findings.find(({ check }) => check === "backup");
};

async function metric(name: string): Promise<number | undefined> {
  const family = rig.readings.find(
    (reading): reading is Family => reading.name === name && "samples" in reading,
  );
  const [first] = (await family?.samples()) ?? [];
  return first?.value;
}

const events = () =>
  rig.db.read
    .selectFrom("deliveries")
    .select(["type", "body", "workspace_id"])
    .where("type", "in", ["backup.failed", "backup.recovered"])
    .orderBy("created_at")
    .execute();

test("a backup that fails is in the metrics, /v1/system and the doctor, and subscribers get one event", async () => {
  expect((await system()).backup).toMatchObject({ failing_since: null, last_success: null });
  expect([await metric("berth_backup_failing"), (await doctor())?.status]).toEqual([0, "ok"]);
  for (let look = 0; look < 3; look += 1) await rig.look();
  const { backup } = await system();
  expect(backup).toMatchObject({
    schedule: "* * * * *",
    place: backups,
    failing_since: expect.any(String),
    last_success: null,
    last_failure: { reason: expect.stringMatching(/EEXIST|ENOTDIR/) },
  });
  expect(await metric("berth_backup_failing")).toBe(1);
  expect(await metric("berth_backup_last_success_timestamp_seconds")).toBeUndefined();
  expect(await doctor()).toMatchObject({
    status: "failure",
    message: expect.stringContaining("backups fail since"),
  });
  const sent = await events();
  expect(sent.map(({ type, workspace_id }) => [type, workspace_id])).toEqual([
    ["backup.failed", DEFAULT_WORKSPACE.id],
  ]);
  const text = chatText([sent[0]?.body ?? ""]);
  expect(text).toStartWith("Scheduled backups fail since ");
  expect(text).toContain("none was made yet");
});

test("a backup that succeeds again is reported everywhere, with size and age", async () => {
  rmSync(backups);
  mkdirSync(backups);
  // The first look finds the next time, the second one is after it.
  await rig.look();
  rig.clock.ms += 61_000;
  await rig.look();
  const [name = ""] = readdirSync(backups);
  expect(name).toStartWith("berth-");
  rig.clock.ms += 5_000;
  const { backup } = await system();
  // Read first, because Bun's matchers take the place of what they match.
  const { bytes, age_s } = backup.last_success as { bytes: number; age_s: number };
  expect(backup).toMatchObject({
    failing_since: null,
    last_success: {
      file: join(backups, name),
      left_out: 0,
      bytes: expect.any(Number),
      age_s: expect.any(Number),
    },
    last_failure: { reason: expect.any(String) },
  });
  expect([bytes > 1_000, age_s >= 5 && age_s < 60]).toEqual([true, true]);
  expect(await metric("berth_backup_failing")).toBe(0);
  expect(await metric("berth_backup_last_success_bytes")).toBe(bytes);
  expect((await metric("berth_backup_next_due_timestamp_seconds")) ?? 0).toBeGreaterThan(
    rig.clock.ms / 1_000 - 120,
  );
  // The doctor has the time of the machine, which is months later.
  expect((await doctor())?.message).toMatch(
    /^the last one was made at 2026-01-01T.*; one was due at 2026-01-01T/,
  );
  expect((await events()).map(({ type }) => type)).toEqual(["backup.failed", "backup.recovered"]);
});

test("a place that cannot be read is in the log at most once a minute, and is an event at most once an hour", async () => {
  const logged: string[] = [];
  const logger = { error: (message: string) => logged.push(message), warn: () => {}, info: () => {} };
  const clock = { ms: rig.clock.now(), now: () => clock.ms };
  const blocked = join(place.path, "blocked");
  writeFileSync(blocked, "in the way");
  const before = (await events()).length;
  const [job] = backupJobs({
    settings: { ...rig.settings, backup: { ...rig.settings.backup, place: blocked } },
    environment: {},
    program: ownProgram(),
    statuses: new BackupStatuses(rig.db, clock, rig.outbox),
    now: clock.now,
    logger: logger as unknown as Logger,
  });
  for (; clock.ms < rig.clock.ms + HOUR - 1; clock.ms += 15_000) await job?.once(clock.ms);
  expect(logged).toHaveLength(60);
  expect((await events()).length).toBe(before + 1);
  clock.ms += 60_000;
  await job?.once(clock.ms);
  expect((await events()).length).toBe(before + 2);
});

test("the doctor judges backups by their schedule", () => {
  const made = {
    ...{ success_at: 0, success_file: "a", success_bytes: 1, success_left_out: 0 },
    ...{ failure_at: null, failure_reason: null, failing_since: null },
  };
  const verdict = (status: object, hours: number) =>
    judgeBackups({ ...made, ...status }, "0 3 * * *", hours * HOUR).status;
  expect(verdict({}, 8)).toBe("ok");
  expect(verdict({}, 10)).toBe("warning");
  expect(verdict({ success_left_out: 1 }, 1)).toBe("warning");
  expect(verdict({ failing_since: 1, failure_reason: "no room" }, 1)).toBe("failure");
  expect(verdict({ success_at: null }, 100)).toBe("ok");
});

test("disks and leadership are metrics", async () => {
  expect(await metric("berth_disk_free_bytes")).toBeGreaterThan(0);
  const leader = rig.readings.find(({ name }) => name === "berth_leader");
  expect(leader && "read" in leader && (await leader.read())).toBe(1);
});

test("the checks of the doctor are metrics soon after they were first asked for", async () => {
  const family = rig.readings.find(({ name }) => name === "berth_doctor_check") as Family;
  expect(await family.samples()).toEqual([]);
  let samples = await family.samples();
  while (samples.length === 0) {
    await Bun.sleep(20);
    samples = await family.samples();
  }
  // The test before this one has left backups that fail.
  expect(samples.find(({ labels }) => labels.check === "backup")?.value).toBe(2);
  expect(samples.some(({ labels }) => labels.check === "database")).toBe(false);
});
