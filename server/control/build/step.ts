import type { Child, SpawnOrder, Users } from "../../machine/index.ts";
import { BuildAborted, type BuildOrder } from "./order.ts";

/** One program that a build runs and waits for. */
export type Step = Omit<SpawnOrder, "stdout" | "stderr"> & {
  limitSeconds: number;
  /** Maximum number of lines that are read completely. Of further output, only the end of each read is. */
  maxLines?: number;
  /** Gets each line as it is printed; what it throws ends the program and the step. */
  onLine(line: string, from: "stdout" | "stderr"): void;
};

export type StepEnd = {
  code: number;
  outOfTime: boolean;
  /** Output beyond `maxLines` that was not read, in bytes. */
  skippedBytes: number;
};

/** What a build's programs need of its order. */
type StepWatch = Pick<BuildOrder, "signal" | "onChild">;

/** A longer line is cut here. */
const MAX_LINE_LENGTH = 4_096;
/** A chunk of a pipe is as large as what is in it; one part of it is made into lines at once. */
const PART_BYTES = 16_384;
/** Of a part beyond `maxLines`, only so many bytes at its end are read. */
const SKIMMED_BYTES = 2_048;
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
  const { limitSeconds, maxLines = Number.POSITIVE_INFINITY, onLine, ...spawned } = step;
  const child = users.spawnAs({ ...spawned, stdout: "pipe", stderr: "pipe" });
  const kill = () => child.kill("SIGKILL");
  const end: StepEnd = { code: 0, outOfTime: false, skippedBytes: 0 };
  const limit = setTimeout(() => {
    end.outOfTime = true;
    kill();
  }, limitSeconds * 1_000);
  signal.addEventListener("abort", kill);
  const output = new StepOutput(maxLines);
  const heard = listen(child, output, onLine, kill);
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
  return { ...end, skippedBytes: output.skippedBytes };
}

async function listen(
  child: Child,
  output: StepOutput,
  onLine: Step["onLine"],
  kill: () => void,
): Promise<void> {
  const faults: unknown[] = [];
  const follow = async (stream: Child["stdout"], from: "stdout" | "stderr") => {
    if (!stream) return;
    for await (const lines of output.read(stream)) {
      if (faults.length > 0) continue;
      try {
        for (const line of lines) onLine(line, from);
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

/** The output of a program, read in parts. */
class StepOutput {
  skippedBytes = 0;
  #lines = 0;

  constructor(private readonly maxLines: number) {}

  /** Yields the lines of each part, without colours and control characters. */
  async *read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string[]> {
    let decoder = new TextDecoder();
    let rest = "";
    let busyMs = 0;
    for await (const chunk of stream) {
      for (let at = 0; at < chunk.length; at += PART_BYTES) {
        const since = performance.now();
        let part = chunk.subarray(at, at + PART_BYTES);
        if (this.#lines >= this.maxLines && part.length > SKIMMED_BYTES) {
          this.skippedBytes += part.length - SKIMMED_BYTES;
          part = part.subarray(-SKIMMED_BYTES);
          decoder = new TextDecoder();
          rest = "";
        }
        const text = rest + decoder.decode(part, { stream: true });
        const end = 1 + Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
        // The length is limited, because a line may never end.
        rest = text.slice(end, end + MAX_LINE_LENGTH);
        if (end > 0) yield this.#linesOf(text.slice(0, end));
        busyMs += performance.now() - since;
        if (busyMs < READ_MS) continue;
        await Bun.sleep(busyMs * PAUSE_FACTOR);
        busyMs = 0;
      }
    }
    if (rest !== "") yield this.#linesOf(`${rest}\n`);
  }

  /** @param text ends with the end of a line */
  #linesOf(text: string): string[] {
    const lines = plain(text)
      .split(/\r\n|\n|\r/)
      .slice(0, -1);
    this.#lines += lines.length;
    return lines.map((line) => (line.length > MAX_LINE_LENGTH ? line.slice(0, MAX_LINE_LENGTH) : line));
  }
}

function plain(text: string): string {
  return Bun.stripANSI(text).replace(/[^\P{Cc}\t\n\r]/gu, "");
}
