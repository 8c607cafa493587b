import { readdirSync, readFileSync } from "node:fs";

/** Its state, then its parent, and so on; none where the system does not tell, or when it has ended. */
function statOf(pid: number | string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ");
  } catch {
    return undefined;
  }
}

/** The processes that a process has started; none where the system does not tell. */
export function processesBelow(pid: number): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(statOf(name)?.[1]) === pid)
    .map(Number);
}

/** Whether a process has not ended; one that nobody has asked for its end yet has. */
export function isThere(pid: number): boolean {
  const [state] = statOf(pid) ?? [];
  return state !== undefined && state !== "Z";
}

/** What was called to start a process; empty when it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}
