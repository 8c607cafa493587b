import type { Child, SpawnOrder, Users } from "../../machine/index.ts";
import { BuildAborted, type BuildOrder } from "./order.ts";

/** One program that a build runs and waits for. */
export type Step = Omit<SpawnOrder, "stdout" | "stderr"> & {
  limitSeconds: number;
  /** Gets each line as it is printed; what it throws ends the program and the step. */
  onLine(line: string, from: "stdout" | "stderr"): void;
};

export type StepEnd = { code: number; outOfTime: boolean };

/** What a build's programs need of its order. */
type StepWatch = Pick<BuildOrder, "signal" | "onChild">;

/** A longer line is cut here. */
const LONGEST_LINE = 4_096;
/** A chunk of a pipe is as large as what is in it; one part of it is made into lines at once. */
const PART_BYTES = 16_384;
/** Time that reading output may take before it pauses: the event loop serves requests as well. */
const READ_MS = 8;
/** A pause is this many times as long as the reading before it. The program waits, because its pipe is full. */
const PAUSE_FACTOR = 3;
/** What a program's own children may still print after it has ended. */
const LAST_WORDS_MS = 1_000;

/**
 * Runs a program of a build until it ends, its time is over, or nobody wants the result. Whatever it started in its
 * process group ends with it.
 * @throws BuildAborted | whatever `onLine` throws
 */
export async function runStep(users: Users, { signal, onChild }: StepWatch, step: Step): Promise<StepEnd> {
  if (signal.aborted) throw new BuildAborted();
  const { limitSeconds, onLine, ...spawned } = step;
  const child = users.spawnAs({ ...spawned, stdout: "pipe", stderr: "pipe" });
  const kill = () => child.kill("SIGKILL");
  const end: StepEnd = { code: 0, outOfTime: false };
  const limit = setTimeout(() => {
    end.outOfTime = true;
    kill();
  }, limitSeconds * 1_000);
  signal.addEventListener("abort", kill);
  const heard = listen(child, onLine, kill);
  try {
    await onChild({ pid: child.pid, started: child.started });
    end.code = await child.exited;
  } finally {
    clearTimeout(limit);
    signal.removeEventListener("abort", kill);
    kill();
  }
  await Promise.race([heard, Bun.sleep(LAST_WORDS_MS)]);
  if (signal.aborted) throw new BuildAborted();
  return end;
}

async function listen(child: Child, onLine: Step["onLine"], kill: () => void): Promise<void> {
  const faults: unknown[] = [];
  const follow = async (stream: Child["stdout"], from: "stdout" | "stderr") => {
    if (!stream) return;
    for await (const line of linesOf(stream)) {
      if (faults.length > 0) continue;
      try {
        onLine(line, from);
      } catch (error) {
        faults.push(error);
        kill();
      }
    }
  };
  const ends = await Promise.allSettled([follow(child.stdout, "stdout"), follow(child.stderr, "stderr")]);
  for (const end of ends) if (end.status === "rejected") faults.push(end.reason);
  if (faults.length > 0) throw faults[0];
}

/** Lines without what a terminal would make of them: colours, and texts that overwrite themselves. */
async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let busyMs = 0;
  for await (const chunk of stream) {
    for (let at = 0; at < chunk.length; at += PART_BYTES) {
      let since = performance.now();
      const part = chunk.subarray(at, at + PART_BYTES);
      const lines = (rest + decoder.decode(part, { stream: true })).split(/\r\n|\n|\r/);
      // Without a line's end nothing may grow for ever.
      rest = (lines.pop() ?? "").slice(0, LONGEST_LINE);
      for (const line of lines) {
        yield plain(line);
        const tookMs = busyMs + performance.now() - since;
        if (tookMs < READ_MS) continue;
        await Bun.sleep(tookMs * PAUSE_FACTOR);
        busyMs = 0;
        since = performance.now();
      }
      busyMs += performance.now() - since;
    }
  }
  if (rest !== "") yield plain(rest);
}

function plain(line: string): string {
  return Bun.stripANSI(line.slice(0, LONGEST_LINE)).replace(/(?!\t)\p{Cc}/gu, "");
}
