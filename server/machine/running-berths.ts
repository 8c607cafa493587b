import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, startTimeOf } from "./process-table.ts";

const FOLDER = "run";

/**
 * Writes down that this process runs a Berth on a data folder: a file that is named after its pid and holds its start
 * time.
 * @returns removes the file
 */
export function registerBerth(dataDir: string): () => void {
  const folder = join(dataDir, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, String(process.pid));
  writeFileSync(file, startTimeOf(process.pid) ?? "", { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Returns the pids of the Berths that run on a data folder here, and removes the files of those that were killed. */
export function runningBerths(dataDir: string): number[] {
  const folder = join(dataDir, FOLDER);
  return pidsIn(folder).filter((pid) => {
    const file = join(folder, String(pid));
    const isThere = isRunning(pid, textOf(file));
    if (!isThere) rmSync(file, { force: true });
    return isThere;
  });
}

function pidsIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    // No Berth has run here.
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The inode of the first pid namespace of a Linux kernel (PROC_PID_INIT_INO of linux/proc_ns.h). */
const FIRST_PID_NAMESPACE = "pid:[4026531836]";

/**
 * Whether what this process has started goes on when it ends. In a container it does not where this process is the
 * first one, or its parent is (`docker run --init`): with the first process, the kernel kills all others.
 */
export function isOutlived(
  own: { pid: number; ppid: number } = process,
  pidNamespace: string | undefined = ownPidNamespace(),
): boolean {
  if (own.pid === 1) return false;
  const isInContainer = pidNamespace !== undefined && pidNamespace !== FIRST_PID_NAMESPACE;
  return !(isInContainer && own.ppid === 1);
}

function ownPidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // There are none outside Linux.
    return undefined;
  }
}
