import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { tickAfter } from "@berth/agent";
import type { BackupStatus } from "@berth/store";
import { isBucketAddress } from "../bucket/index.ts";
import { CHECK_NAMES, type DoctorFinding, LEVELS } from "../doctor/index.ts";
import type { Family, Reading } from "../readings/index.ts";
import type { OperationsDeps } from "./deps.ts";

/** How long (ms) the findings of the doctor are shown before the next scrape has the checks run again. */
const DOCTOR_MS = 600_000;
/** Reads every database through, which is too much for a metric; `/v1/system/doctor` runs it. */
const NOT_MEASURED = "database";
/** Checks whose results are a metric. */
export const MEASURED_CHECKS = CHECK_NAMES.filter((name) => name !== NOT_MEASURED);

type ReadingDeps = Pick<OperationsDeps, "settings" | "leads"> & {
  backups: { read(): Promise<BackupStatus> };
  /** Runs the checks of {@link MEASURED_CHECKS}. */
  examine(): Promise<readonly DoctorFinding[]>;
};

/** What an operator alerts on, for `/metrics`: leadership, disks, backups and the checks of the doctor. */
export function operationsReadings(deps: ReadingDeps): Reading[] {
  return [
    {
      name: "berth_leader",
      help: "Whether this process does the work that only one process of a database may do",
      read: () => Number(deps.leads()),
    },
    ...diskReadings(deps.settings),
    ...backupReadings(deps),
    ...doctorReadings(deps.examine),
  ];
}

const gauge = (
  name: string,
  help: string,
  labels: readonly string[],
  samples: Family["samples"],
): Family => ({ name, help, type: "gauge", labels, samples });

function diskReadings({ dataDir, databaseFile, backup }: OperationsDeps["settings"]): Reading[] {
  const folders: Record<string, string> = { data: dataDir };
  if (databaseFile !== null) folders.database = dirname(databaseFile);
  if (backup.schedule !== null && !isBucketAddress(backup.place)) folders.backups = backup.place;
  const samples = (bytesOf: (about: ReturnType<typeof statfsSync>) => number) => () =>
    Object.entries(folders).flatMap(([folder, path]) => {
      try {
        return [{ labels: { folder }, value: bytesOf(statfsSync(path)) }];
      } catch {
        // The folder of backups is made with the first one.
        return [];
      }
    });
  return [
    gauge(
      "berth_disk_free_bytes",
      "Free space on the disk of a folder",
      ["folder"],
      samples(({ bavail, bsize }) => Number(bavail) * Number(bsize)),
    ),
    gauge(
      "berth_disk_total_bytes",
      "Size of the disk of a folder",
      ["folder"],
      samples(({ blocks, bsize }) => Number(blocks) * Number(bsize)),
    ),
  ];
}

function backupReadings({ settings, backups }: Pick<ReadingDeps, "settings" | "backups">): Reading[] {
  const { schedule } = settings.backup;
  const reading = (name: string, help: string, measure: (status: BackupStatus) => number | null) =>
    gauge(`berth_backup_${name}`, help, [], async () => {
      const value = schedule === null ? null : measure(await backups.read());
      return value === null ? [] : [{ labels: {}, value }];
    });
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1_000);
  const nextDue = ({ success_at }: BackupStatus) =>
    schedule === null || success_at === null ? null : tickAfter({ schedule, timezone: null }, success_at);
  return [
    reading("failing", "Whether the last scheduled backup failed", ({ failing_since }) =>
      Number(failing_since !== null),
    ),
    reading("last_success_timestamp_seconds", "When the last scheduled backup was made", ({ success_at }) =>
      seconds(success_at),
    ),
    reading("last_success_bytes", "Size of the last scheduled backup", ({ success_bytes }) => success_bytes),
    reading(
      "left_out_files",
      "Files that the last scheduled backup lacks",
      ({ success_left_out }) => success_left_out,
    ),
    reading("last_failure_timestamp_seconds", "When a scheduled backup last failed", ({ failure_at }) =>
      seconds(failure_at),
    ),
    reading("next_due_timestamp_seconds", "When the backup after the last one is due", (status) =>
      seconds(nextDue(status)),
    ),
  ];
}

/** Runs the checks in the background after a scrape that finds them old, because they take seconds. */
function doctorReadings(examine: ReadingDeps["examine"]): Reading[] {
  let findings: readonly DoctorFinding[] = [];
  let examinedAt = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  const refresh = async () => {
    isRunning = true;
    // A check that throws is a finding; whatever else fails leaves the old findings.
    findings = await examine().catch(() => findings);
    examinedAt = performance.now();
    isRunning = false;
  };
  const samples = () => {
    if (!isRunning && performance.now() - examinedAt >= DOCTOR_MS) void refresh();
    return findings.map(({ check, status }) => ({ labels: { check }, value: LEVELS.indexOf(status) }));
  };
  return [
    gauge("berth_doctor_check", "Checks of the doctor: 0 well, 1 warning, 2 failure", ["check"], samples),
  ];
}
