import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";

/** The variables by which whatever an instance started is found again, whoever its parent is by now. */
export const INSTANCE_MARK = "BERTH_INSTANCE";
export const DATA_MARK = "BERTH_DATA";
/** The revision that a program is run for while it is built. */
export const BUILD_MARK = "BERTH_BUILD";
export const DEPLOYMENT_MARK = "LANGSMITH_HOST_PROJECT_ID";

/** Stands for a data folder in the marks of what runs for it: several Berths may be on one machine. */
export function dataMark(dataDir: string): string {
  return createHash("sha256").update(realpathSync(dataDir)).digest("hex").slice(0, 16);
}

const hasProc = process.platform === "linux";

/**
 * When a process started, as a text to compare; undefined for one that is gone or only waits to be reaped. A pid
 * alone names nothing for long: the system gives it away again.
 */
export function startTimeOf(pid: number): string | undefined {
  if (!hasProc) return answerOf(["ps", "-o", "lstart=", "-p", String(pid)]);
  const fields = statOf(pid);
  if (fields === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  // Counted from the start of the machine: the same again after the next one would be somebody else.
  return `${fields[19]}@${bootId()}`;
}

let boot: string | undefined;

function bootId(): string {
  boot ??= (textOf("/proc/sys/kernel/random/boot_id") ?? "").trim();
  return boot;
}

/** The fields of `/proc/PID/stat` behind the name, which may hold anything, spaces and brackets too. */
function statOf(pid: number): string[] | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Whether a process is still the one that was started then. */
export const isRunning = (pid: number | null, started: string | null): boolean =>
  pid !== null && started !== null && started !== "" && startTimeOf(pid) === started;

/**
 * Whether a process is known to be over. Where finding that out takes a program, nobody does: this is asked with
 * every request.
 */
export const isKnownOver = (pid: number | null, started: string | null): boolean =>
  hasProc && pid !== null && !isRunning(pid, started);

/** What a process has of the memory for itself, in bytes; shared pages count in part where the system says so. */
export function memoryOf(pid: number): number | null {
  if (!hasProc) return kilobytes(answerOf(["ps", "-o", "rss=", "-p", String(pid)]));
  const shares = textOf(`/proc/${pid}/smaps_rollup`);
  const share = kilobytes(/^Pss:\s+(\d+)/m.exec(shares ?? "")?.[1]);
  return share ?? kilobytes(/^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`) ?? "")?.[1]);
}

/** How often {@link memoryAbove} may be asked: it costs a program where there is no `/proc`. */
export const MEMORY_LOOK_MS = hasProc ? 1_000 : 5_000;
export const BYTES_IN_MB = 2 ** 20;

/**
 * What a process and everything that it started, and that has not been handed to somebody else since, take together,
 * in bytes; undefined where that is not more than `bytes`. Asks cheaply first: shared pages only make it more.
 */
export function memoryAbove(pid: number, bytes: number): number | undefined {
  const tree = hasProc ? procTree(pid) : psTree(pid);
  const total = (of: (process: Member) => number) => tree.reduce((sum, member) => sum + of(member), 0);
  if (total(({ resident }) => resident) <= bytes) return undefined;
  const exact = total((member) => (hasProc ? (memoryOf(member.pid) ?? 0) : member.resident));
  return exact > bytes ? exact : undefined;
}

type Member = { pid: number; resident: number };

function procTree(pid: number): Member[] {
  const status = textOf(`/proc/${pid}/status`);
  const resident = kilobytes(/^VmRSS:\s+(\d+)/m.exec(status ?? "")?.[1]) ?? 0;
  return [{ pid, resident }, ...childrenOf(pid).flatMap(procTree)];
}

function childrenOf(pid: number): number[] {
  return namesIn(`/proc/${pid}/task`).flatMap((task) =>
    (textOf(`/proc/${pid}/task/${task}/children`) ?? "").split(" ").filter(Boolean).map(Number),
  );
}

function psTree(root: number): Member[] {
  const found = [
    ...(answerOf(["ps", "-axo", "pid=,ppid=,rss="]) ?? "").matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)/gm),
  ];
  const all = found.map(([, pid, parent, rss]) => ({
    pid: Number(pid),
    parent: Number(parent),
    resident: kilobytes(rss) ?? 0,
  }));
  const below = (pid: number): Member[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)]);
  return [...all.filter(({ pid }) => pid === root), ...below(root)];
}

/** Whether a process was started by another one, or by what that one started; Linux only. */
export function isDescendant(pid: number, of: number): boolean {
  for (let at = pid; at > 1; ) {
    at = Number(statOf(at)?.[1] ?? 0);
    if (at === of) return true;
  }
  return false;
}

type Marked = { pid: number; marks: Record<string, string> };

/** Every process that was started with all of these variables, and what they were set to. */
export function processesWith(...names: string[]): Marked[] {
  const found: Marked[] = [];
  for (const { pid, environment } of hasProc ? procEnvironments() : psEnvironments()) {
    const marks: Record<string, string> = {};
    for (const variable of environment) {
      const at = variable.indexOf("=");
      const name = variable.slice(0, at);
      if (names.includes(name)) marks[name] = variable.slice(at + 1);
    }
    if (names.every((name) => name in marks)) found.push({ pid, marks });
  }
  return found;
}

/** Every process of a user. */
export function processesOf(uid: number): number[] {
  return pids().filter((pid) => {
    const real = /^Uid:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`) ?? "")?.[1];
    return real === String(uid) && startTimeOf(pid) !== undefined;
  });
}

/** What processes run, by path, as far as we may look; undefined where there is no telling. */
export function executablesInUse(): string[] | undefined {
  if (!hasProc) return undefined;
  return pids().flatMap((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/exe`);
    } catch {
      return [];
    }
  });
}

type Environment = { pid: number; environment: string[] };

function* procEnvironments(): Generator<Environment> {
  for (const pid of pids()) {
    const text = textOf(`/proc/${pid}/environ`);
    if (text) yield { pid, environment: text.split("\0") };
  }
}

/** Only our own user's processes show theirs; where there is no `/proc`, deployments run as that one. */
function* psEnvironments(): Generator<Environment> {
  for (const line of (answerOf(["ps", "-Eww", "-axo", "pid=,command="]) ?? "").split("\n")) {
    const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid !== undefined && command !== undefined)
      yield { pid: Number(pid), environment: command.split(" ") };
  }
}

function pids(): number[] {
  return hasProc
    ? namesIn("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
    : [];
}

/** None in a folder that is not there any more. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Undefined for what is not there any more, or not ours to read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function answerOf(command: string[]): string | undefined {
  const { success, stdout } = Bun.spawnSync(command, { env: { PATH: "/bin:/usr/bin", LC_ALL: "C" } });
  const text = stdout.toString().trim();
  return success && text !== "" ? text : undefined;
}

const kilobytes = (text: string | undefined) => (text === undefined ? null : Number(text) * 1_024);
