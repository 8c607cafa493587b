import { accessSync, constants, existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isOpen } from "@berth/store";
import { isOpenFolder, sizeText } from "../data-folder/index.ts";
import { type DoctorVerdict, failure, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** `statfs` names file systems by numbers; on these, SQLite's way of sharing a file does not work. */
const NETWORKED: Record<number, string> = {
  26985: "NFS",
  20859: "SMB",
  4283649346: "CIFS",
  4266872130: "SMB2",
};
const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;
const LEAST_FREE = 256 * 2 ** 20;
const SMALL_FREE = 2 ** 30;
const SMALL_SHARE = 0.05;

/** Whether the data folder can be used, and by Berth alone. */
export function checkFolder({ settings }: Patient): DoctorVerdict {
  const { dataDir } = settings;
  if (!existsSync(dataDir)) {
    const above = firstThere(dataDir);
    if (mayWrite(above)) return ok(`${dataDir} is not there yet; the first start makes it`);
    return failure(`${dataDir} is not there, and this user may not make it`, `let it write in ${above}`);
  }
  if (!canWriteIn(dataDir))
    return failure(
      `this user may not write in ${dataDir}`,
      "start Berth as its owner, or name another --data",
    );
  const kind = NETWORKED[statfsSync(dataDir).type];
  if (kind !== undefined)
    return failure(`${dataDir} is on a network file system (${kind})`, "put it on a disk of this machine");
  const { mode } = statSync(dataDir);
  if ((mode & OTHERS_MAY_WRITE) !== 0 && (mode & STICKY) === 0)
    return warning(`everybody on this machine may write in ${dataDir}`, `chmod o-w ${dataDir}`);
  const open = openTo(settings);
  if (open !== undefined)
    return failure(
      `other users of this machine can read ${open}`,
      "start Berth as its owner, which closes it; or close it with chmod",
    );
  return ok(`${dataDir} can be written`);
}

/** Tries it: rights alone do not say whether a file system takes a file. */
export function canWriteIn(folder: string): boolean {
  const trial = join(folder, `.doctor-${process.pid}`);
  try {
    writeFileSync(trial, "");
    rmSync(trial);
    return true;
  } catch {
    return false;
  }
}

/** What others could read: conversations are in it. */
function openTo({ dataDir, databaseFile }: Patient["settings"]): string | undefined {
  if (databaseFile !== null && existsSync(databaseFile) && isOpen(databaseFile)) return databaseFile;
  return isOpenFolder(dataDir) ? dataDir : undefined;
}

/** Whether there is room to go on. */
export function checkDisk({ settings }: Patient): DoctorVerdict {
  return roomAt(firstThere(settings.dataDir));
}

/** Whether the disk of a folder has room. */
export function roomAt(path: string): DoctorVerdict {
  const { bavail, blocks, bsize } = statfsSync(path);
  const free = bavail * bsize;
  const total = blocks * bsize;
  const text = `${sizeText(free)} of ${sizeText(total)} free`;
  const advice = "make room, or keep less: docs/operations.md says what takes it";
  if (free < LEAST_FREE) return failure(text, advice);
  return free < SMALL_FREE || free < total * SMALL_SHARE ? warning(text, advice) : ok(text);
}

function firstThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : firstThere(dirname(path));
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
