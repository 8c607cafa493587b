import { readdirSync, readFileSync } from "node:fs";

/** USER_HZ and the page size, which Linux fixes for every architecture that Bun runs on but a few arm64 kernels. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

type Process = { pid: number; parent: number; cpuMs: number; rssBytes: number };

/** A process with all its descendants; CPU ms include children that have ended. */
export type ProcessTree = { pids: number[]; cpuMs: number; rssBytes: number; largestRssBytes: number };

/** Reads /proc (proc(5), "stat"); undefined where there is none, or when the process is gone. */
export function processTree(root: number): ProcessTree | undefined {
  const first = readProcess(root);
  if (!first) return undefined;
  const all = listProcesses();
  const tree = [first];
  for (const member of tree) tree.push(...all.filter(({ parent }) => parent === member.pid));
  return {
    pids: tree.map(({ pid }) => pid),
    cpuMs: tree.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    rssBytes: tree.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
    largestRssBytes: Math.max(...tree.map(({ rssBytes }) => rssBytes)),
  };
}

/** Sends a signal to a process and all its descendants; those already gone are passed over. */
export function signalTree(root: number, signal: NodeJS.Signals): void {
  for (const pid of processTree(root)?.pids ?? [root]) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

function listProcesses(): Process[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readProcess(Number(pid)) ?? []);
}

function readProcess(pid: number): Process | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name in parentheses may hold spaces; behind it fields count from the third, the state.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const field = (number: number) => Number(fields[number - 3]);
  const ticks = field(14) + field(15) + field(16) + field(17);
  return {
    pid,
    parent: field(4),
    cpuMs: (ticks / TICKS_PER_SECOND) * 1000,
    rssBytes: field(24) * PAGE_BYTES,
  };
}
