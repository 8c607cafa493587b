import { closeSync, constants, openSync, readFileSync, writeFileSync } from "node:fs";
import { startTimeOf } from "./process-table.ts";

/** So much more readily than Berth the kernel ends what Berth starts, of 1,000: a deployment is back in seconds. */
export const OOM_SCORE = 500;
const MOST = 1_000;

/** Has the kernel choose this process, and what it starts, before Berth when memory runs out; Linux only. */
function offerToKernel(pid: number): void {
  if (process.platform !== "linux") return;
  try {
    const own = Number(readFileSync("/proc/self/oom_score_adj", "utf8"));
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(Math.min(MOST, own + OOM_SCORE)));
  } catch {
    // It has ended already, or the system keeps this to itself: then it is chosen by its size.
  }
}

/** Where a program's output goes: added to a file, to us, or nowhere. */
type Sink = { file: string } | "pipe" | "ignore";

export type ChildOrder = {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  uid: number | null;
  stdout: Sink;
  stderr: Sink;
  /** What stands in front of the command. */
  prefix?: readonly string[];
};

/** A program that we started; it leads a process group and a session of its own. */
export type Child = {
  pid: number;
  /** With the pid it names this very process, also after the pid has been given to another one. */
  started: string;
  /** Its exit code; 128 and the signal's number where a signal ended it. */
  exited: Promise<number>;
  stdout: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  stderr: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Sends a signal to it and to whatever it started in its group. */
  kill(signal: NodeJS.Signals): void;
};

/** Starts a program that outlives us: nothing of ours is inherited but what the order names. */
export function startChild({ command, env, cwd, uid, stdout, stderr, prefix = [] }: ChildOrder): Child {
  const files: number[] = [];
  const open = (sink: Sink) => {
    if (typeof sink === "string") return sink;
    const file = openSync(sink.file, APPENDING, 0o600);
    files.push(file);
    return file;
  };
  // The only way to hand a mask on: nothing else runs between the two changes.
  const umask = process.umask(0o077);
  try {
    const child = Bun.spawn([...prefix, ...command], {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ["ignore", open(stdout), open(stderr)],
      ...(uid !== null && { uid, gid: uid }),
    });
    // Berth may end while it runs on.
    child.unref();
    offerToKernel(child.pid);
    return {
      pid: child.pid,
      started: startTimeOf(child.pid) ?? "",
      exited: child.exited,
      stdout: child.stdout instanceof ReadableStream ? child.stdout : null,
      stderr: child.stderr instanceof ReadableStream ? child.stderr : null,
      kill: (signal) => signalGroup(child.pid, signal),
    };
  } finally {
    process.umask(umask);
    for (const file of files) closeSync(file);
  }
}

/** Sends a signal to a process group; one that is gone needs none. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

export const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ESRCH";

// A link in the place of a log would have us write into somebody else's file.
const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
