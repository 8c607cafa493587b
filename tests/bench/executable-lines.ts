import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { putExecutable } from "../smoke/executable.ts";
import { type Line, less } from "./line.ts";
import type { Options } from "./options.ts";
import { startServer } from "./servers.ts";
import { median } from "./worker/drive.ts";
import type { Figures } from "./worker/job.ts";

/** Lines of the executable at rest. */
export const EXECUTABLE_LINES: Line[] = [
  less("rest.executable-start", "cold start to /ok, the executable", "ms", "start"),
  less("rest.executable-memory", "memory at rest, the executable", "MB", "process"),
];

type ExecutableRow = { line: Line; values: { berth?: number | undefined } };

/** As the sources are measured at rest: a median of several starts, and memory two seconds after the last. */
export async function executableAtRest({ quick }: Options): Promise<ExecutableRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "berth-bench-executable-"));
  try {
    const program = join(folder, "berth");
    await putExecutable(program);
    const starts: number[] = [];
    const rounds = quick ? 2 : 5;
    let figures: Figures = {};
    for (let round = 1; round <= rounds; round += 1) {
      const server = await startServer("berth", {}, [program]);
      starts.push(server.startMs);
      if (round === rounds) {
        await Bun.sleep(2000);
        figures = { start: median(starts), ...server.memory() };
      }
      await server.stop();
    }
    return EXECUTABLE_LINES.map((line) => ({ line, values: { berth: figures[line.figure] } }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
