import { tickAfter } from "@berth/agent";
import { type BackupStatus, backupStatus } from "@berth/store";
import { sizeText } from "../data-folder/index.ts";
import { type DoctorVerdict, failure, ok, warning } from "./finding.ts";
import { nowOf, type Patient } from "./patient.ts";

/** A backup that is later than its next time by this (ms) is overdue: it may still be running until then. */
const OVERDUE_MS = 6 * 3_600_000;
const ADVICE =
  "make the place of BACKUP_DIR writable, with room for twice what a backup holds, and try it: berth backup FILE";

/** Whether scheduled backups succeed. */
export async function checkBackups(patient: Patient): Promise<DoctorVerdict> {
  const { databaseUrl, backup } = patient.settings;
  if (backup.schedule === null)
    return ok("no schedule (BACKUP_SCHEDULE): make backups by hand, or by a job of yours");
  return judgeBackups(await backupStatus(databaseUrl), backup.schedule, nowOf(patient));
}

/** @param schedule of backups, in UTC */
export function judgeBackups(status: BackupStatus, schedule: string, now: number): DoctorVerdict {
  const { success_at, success_bytes, success_left_out, failing_since, failure_reason } = status;
  const last =
    success_at === null ? "no backup was made yet" : `the last one was made at ${isoOf(success_at)}`;
  if (failing_since !== null)
    return failure(`backups fail since ${isoOf(failing_since)}: ${failure_reason}; ${last}`, ADVICE);
  if (success_at === null) return ok(`${last}: the schedule is ${schedule} (UTC)`);
  const text = `${last}, with ${sizeText(success_bytes ?? 0)}`;
  const due = tickAfter({ schedule, timezone: null }, success_at);
  if (due !== null && now > due + OVERDUE_MS)
    return warning(`${text}; one was due at ${isoOf(due)}`, "see whether a Berth with BACKUP_SCHEDULE leads");
  if ((success_left_out ?? 0) > 0)
    return warning(
      `${text}; ${success_left_out} files are not in it`,
      "see backup.incomplete in the log, or left_out in its manifest.json",
    );
  return ok(text);
}

const isoOf = (at: number): string => new Date(at).toISOString();
