import { scheduleFault, tickAfter } from "@berth/agent";
import type { BackupStatuses } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import { type KeptBackups, keptBackups, stamp } from "../backup/index.ts";
import type { Job } from "../clock/index.ts";
import { executableOf, type Program } from "../machine/index.ts";
import { ownName, SettingError, type Settings, type Texts } from "../settings/index.ts";

type ScheduledBackupDeps = {
  settings: Pick<Settings, "dataDir" | "databaseUrl" | "backup">;
  /** Berth's own environment: the key of the secrets may be in it. */
  environment: Texts;
  program: Program;
  /** Where it is stored how backups went, so that every process of the database can show it. */
  statuses: Pick<BackupStatuses, "noteSuccess" | "noteFailure">;
  now(): number;
  logger: Logger;
};

const LOOK_MS = 15_000;
const MINUTE_MS = 60_000;
/** Minimum time (ms) between two log lines about failures: a place that cannot be read fails at every look. */
const LOG_INTERVAL_MS = 60_000;
/** Line of `berth backup` that names something that is missing or incomplete. */
const NOTE = /^note: (.*)$/gm;

/** A job of the timer loop, where backups are made by themselves. @throws SettingError */
export function backupJobs(deps: ScheduledBackupDeps): Job[] {
  const { schedule, place } = deps.settings.backup;
  if (schedule === null) return [];
  const fault = scheduleFault(schedule, deps.now());
  if (fault !== undefined) throw new SettingError("BACKUP_SCHEDULE", schedule, `is no schedule: ${fault}`);
  try {
    const backups = new ScheduledBackups(deps, schedule, keptBackups(deps.settings.backup));
    return [{ name: "backup", everyMs: LOOK_MS, once: () => backups.once(), byLeader: true }];
  } catch (error) {
    throw new SettingError("BACKUP_DIR", place, `cannot be used (${reasonOf(error)})`);
  }
}

/** Backups at the times of a schedule (UTC), of which a number is kept. */
class ScheduledBackups {
  readonly #deps: ScheduledBackupDeps;
  readonly #schedule: string;
  readonly #kept: KeptBackups;
  /** Undefined until it is known when the last one was made; null where the schedule has no further time. */
  #next: number | null | undefined;
  #loggedAt: number | undefined;

  constructor(deps: ScheduledBackupDeps, schedule: string, kept: KeptBackups) {
    this.#deps = deps;
    this.#schedule = schedule;
    this.#kept = kept;
  }

  /** Makes a backup if it is time for one. */
  async once(): Promise<void> {
    try {
      await this.#once();
    } catch (error) {
      await this.#failed(this.#deps.settings.backup.place, reasonOf(error));
    }
  }

  async #once(): Promise<void> {
    const { now, logger } = this.#deps;
    // Not `??=`: a schedule without a further time would ask the storage at every look.
    if (this.#next === undefined) this.#next = await this.#first();
    if (this.#next === null || now() < this.#next) return;
    this.#next = this.#after(now());
    // By the minute that it is, also where it is made up for: each of several processes comes to the same name.
    const minute = new Date(Math.floor(now() / MINUTE_MS) * MINUTE_MS);
    const name = `berth-${stamp(minute)}.tar.gz`;
    // Another process on this database was first.
    if ((await this.#kept.list()).some((one) => one.name === name)) return;
    const file = this.#kept.address(name);
    const { fault, notes } = await this.#make(file);
    if (fault !== undefined) return this.#failed(file, fault);
    const made = await this.#kept.list();
    const bytes = made.find((one) => one.name === name)?.bytes ?? 0;
    logger.info("backup.made", { file, bytes });
    if (notes.length > 0) logger.warn("backup.incomplete", { file, notes });
    this.#loggedAt = undefined;
    await this.#store((statuses) => statuses.noteSuccess({ file, bytes, leftOut: leftOutIn(notes) }));
    for (const old of made.slice(0, -this.#deps.settings.backup.keep)) await this.#kept.remove(old.name);
  }

  /** A time at which Berth was not running is made up for, once. */
  async #first(): Promise<number | null> {
    const now = this.#deps.now();
    const newest = (await this.#kept.list()).at(-1);
    return this.#after(Math.min(newest?.writtenAt ?? now, now));
  }

  async #failed(file: string, reason: string): Promise<void> {
    const { now, logger } = this.#deps;
    const isDue = this.#loggedAt === undefined || now() - this.#loggedAt >= LOG_INTERVAL_MS;
    if (isDue) {
      this.#loggedAt = now();
      logger.error("backup.failed", { file, reason });
      await this.#store((statuses) => statuses.noteFailure(file, reason));
    }
  }

  /** The log has said how the backup went, so that a database that cannot be written costs no more than the status. */
  async #store(write: (statuses: ScheduledBackupDeps["statuses"]) => Promise<void>): Promise<void> {
    await write(this.#deps.statuses).catch((error) =>
      this.#deps.logger.warn("backup.status_not_stored", { error }),
    );
  }

  /** By a process of its own: copying a large database would keep this one from everything else. */
  async #make(file: string): Promise<{ fault?: string; notes: string[] }> {
    const { settings, environment, program } = this.#deps;
    const { command, env } = executableOf(program).berth(["backup", file, "--data", settings.dataDir]);
    const child = Bun.spawn(command, {
      cwd: "/",
      env: { ...environment, [ownName("DATABASE_URL")]: settings.databaseUrl, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, errors] = await Promise.all(
      [child.stdout, child.stderr].map((pipe) => new Response(pipe).text()),
    );
    const notes = [...(output ?? "").matchAll(NOTE)].map(([, note = ""]) => note);
    if ((await child.exited) === 0) return { notes };
    return { notes, fault: errors?.trim().split("\n").at(-1) || "it ended without a reason" };
  }

  #after(moment: number): number | null {
    return tickAfter({ schedule: this.#schedule, timezone: null }, moment);
  }
}

/** How many files the lines of `berth backup` name, or count, as missing. */
const leftOutIn = (notes: readonly string[]): number =>
  notes.reduce((sum, note) => {
    const more = /^(\d+) more files are not in the backup$/.exec(note)?.[1];
    return sum + (more === undefined ? Number(note.includes(" is not in the backup: ")) : Number(more));
  }, 0);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
