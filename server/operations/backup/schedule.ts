import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { scheduleFault, tickAfter } from "@berth/agent";
import type { Logger } from "@logtape/logtape";
import type { Job } from "../../clock/loop.ts";
import type { Settings, Texts } from "../../config.ts";
import { executableOf, type Program } from "../../control/run/executable.ts";
import { SettingError } from "../../setting.ts";
import { isAlive } from "./left-overs.ts";

export type ScheduledBackupDeps = {
  settings: Pick<Settings, "dataDir" | "databaseFile" | "backup">;
  /** Berth's own environment: the key of the secrets may be in it. */
  environment: Texts;
  program: Program;
  now(): number;
  logger: Logger;
};

const LOOK_MS = 15_000;
const MINUTE_MS = 60_000;
const NAME = /^berth-\d{8}-\d{6}\.tar\.gz$/;
const DRAFT = /^\.berth-\d{8}-\d{6}\.tar\.gz\.(\d+)\.partial$/;

/** A job of the timer loop, where backups are made by themselves. @throws SettingError */
export function backupJobs(deps: ScheduledBackupDeps): Job[] {
  const { schedule } = deps.settings.backup;
  if (schedule === null) return [];
  const fault = scheduleFault(schedule, deps.now());
  if (fault !== undefined) throw new SettingError("BACKUP_SCHEDULE", schedule, `is no schedule: ${fault}`);
  const backups = new ScheduledBackups(deps, schedule);
  return [{ name: "backup", everyMs: LOOK_MS, once: () => backups.once() }];
}

/** Backups into a folder, at the times of a schedule (UTC), of which a number is kept. */
export class ScheduledBackups {
  readonly #deps: ScheduledBackupDeps;
  readonly #schedule: string;
  #next: number | null;

  constructor(deps: ScheduledBackupDeps, schedule: string) {
    this.#deps = deps;
    this.#schedule = schedule;
    // A time at which Berth was not running is made up for, once.
    const newest = this.#made().at(-1);
    const since = newest === undefined ? deps.now() : statSync(join(this.#folder, newest)).mtimeMs;
    this.#next = this.#after(Math.min(since, deps.now()));
  }

  /** Makes a backup if it is time for one. */
  async once(): Promise<void> {
    const { now, logger } = this.#deps;
    const tick = this.#next;
    if (tick === null || now() < tick) return;
    this.#next = this.#after(now());
    // By the minute that it is, also where it is made up for: each of several processes comes to the same name.
    const minute = new Date(Math.floor(now() / MINUTE_MS) * MINUTE_MS);
    const file = join(this.#folder, `berth-${stamp(minute)}.tar.gz`);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Another process on this database was first.
    if (existsSync(file)) return;
    const fault = await this.#make(file);
    if (fault === undefined) logger.info("backup.made", { file, bytes: statSync(file).size });
    else logger.error("backup.failed", { file, reason: fault });
    if (fault === undefined) this.#removeOld();
  }

  /** By a process of its own: copying a large database would keep this one from everything else. */
  async #make(file: string): Promise<string | undefined> {
    const { settings, environment, program } = this.#deps;
    const { command, env } = executableOf(program).berth(["backup", file, "--data", settings.dataDir]);
    const child = Bun.spawn(command, {
      cwd: "/",
      env: { ...environment, DATABASE_URL: `sqlite:${settings.databaseFile}`, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const words = await new Response(child.stderr).text();
    if ((await child.exited) === 0) return undefined;
    return words.trim().split("\n").at(-1) || "it ended without a reason";
  }

  #removeOld(): void {
    const { keep } = this.#deps.settings.backup;
    for (const name of this.#made().slice(0, -keep)) rmSync(join(this.#folder, name), { force: true });
    for (const name of readdirSync(this.#folder)) {
      const pid = DRAFT.exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid)))
        rmSync(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  /** The oldest first; whatever else lies there is nobody's to remove. */
  #made(): string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => NAME.test(name))
      .sort();
  }

  #after(moment: number): number | null {
    return tickAfter({ schedule: this.#schedule, timezone: null }, moment);
  }

  get #folder(): string {
    return this.#deps.settings.backup.folder;
  }
}

/** `20261122-051458`. */
export const stamp = (now: Date): string =>
  now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
