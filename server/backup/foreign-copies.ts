import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyDatabaseFile } from "@berth/store";
import { type Isolation, prepareIsolation } from "../machine/index.ts";
import type { Settings } from "../settings/index.ts";
import { shortageIn } from "./backup-room.ts";
import { removeLeftOvers } from "./left-overs.ts";
import { BackupError } from "./manifest.ts";

const FOLDER = /^\.backup-(\d+)$/;
const LIMIT_MS = 600_000;

/** Whose a folder is. */
export type Owner = { uid: number; gid: number };

/**
 * Copies databases that agents keep. SQLite opens them by name, and what is behind a name may change at any moment:
 * where deployments have users of their own, that is done as the agent's user, who reads nothing that is not its own.
 */
export class ForeignCopies {
  readonly #place: Pick<Settings, "dataDir">;
  readonly #folder: string;
  #isolation: Isolation | undefined;
  #count = 0;

  constructor(place: Pick<Settings, "dataDir">) {
    this.#place = place;
    this.#folder = join(place.dataDir, `.backup-${process.pid}`);
  }

  /**
   * Copies a database as it is at one moment, in the name of the owner of the folder that it is in.
   * @returns where the copy is, in a folder that is the owner's: what lies there by now may be something else
   */
  copy(from: string, owner: Owner): string {
    // Its size with holes, because the copy may have none.
    const shortage = shortageIn(this.#place.dataDir, statSync(from).size);
    if (shortage !== undefined) throw new BackupError(shortage);
    this.#count += 1;
    const folder = join(this.#prepared(), String(this.#count));
    mkdirSync(folder, { mode: 0o700 });
    const to = join(folder, "copy.db");
    if (owner.uid === 0 || !this.#isolated()) copyDatabaseFile(from, to);
    else this.#copyAs(owner, from, to);
    return to;
  }

  /** Removes a copy again. */
  remove(copied: string): void {
    rmSync(dirname(copied), { recursive: true, force: true });
  }

  /** Removes what is left of the copies, and of those of a backup that was killed. */
  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
    removeLeftOvers(this.#place.dataDir, FOLDER);
  }

  #copyAs({ uid, gid }: Owner, from: string, to: string): void {
    const { executable } = this.#known();
    chownSync(dirname(to), uid, gid);
    const { command, env } = executable.berth(["copy-database", "--from", from, "--to", to]);
    const { exitCode, stdout } = Bun.spawnSync(command, {
      ...{ cwd: "/", uid, gid, env: { PATH: process.env.PATH, ...env }, timeout: LIMIT_MS },
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (exitCode !== 0) throw new Error(stdout.toString().trim() || "it cannot be copied as its owner");
  }

  #prepared(): string {
    if (existsSync(this.#folder)) return this.#folder;
    mkdirSync(this.#folder);
    // Owners pass to their own copy, and see no other.
    chmodSync(this.#folder, 0o711);
    return this.#folder;
  }

  #isolated(): boolean {
    return process.getuid?.() === 0 && this.#known().users.isolated;
  }

  #known(): Isolation {
    this.#isolation ??= prepareIsolation(this.#place);
    return this.#isolation;
  }
}
