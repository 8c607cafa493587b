import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes what processes left in a folder that were killed on their way.
 * @param named their names; the first group is the number of the process
 */
export function removeLeftOvers(folder: string, named: RegExp): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = named.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Whether a process of this number is there: then what it has begun is not left over. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
