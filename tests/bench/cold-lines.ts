import { chosen, labour } from "./labour.ts";
import { type Line, less, type Row, type TargetName } from "./line.ts";
import type { Options } from "./options.ts";
import { startServer } from "./servers.ts";
import { median } from "./worker/drive.ts";
import type { Figures } from "./worker/job.ts";

/** What people mostly meet: a process that has just started. The peer would need minutes, and has no such lines. */
export const COLD_LINES: Line[] = [
  less("cold.stateless", "CPU of the first 50 stateless runs of a process, each", "ms", "statelessFirst"),
  less("cold.stateless-next", "  of the 750 after them", "ms", "statelessNext"),
  less("cold.stateless-ratio", "  first over next", "×", "statelessRatio", { most: 2 }),
  less("cold.threads", "CPU of the first 50 runs on threads, each", "ms", "threadsFirst"),
  less("cold.threads-next", "  of the 750 after them", "ms", "threadsNext"),
  less("cold.threads-ratio", "  first over next", "×", "threadsRatio", { most: 2 }),
];

const ON: readonly TargetName[] = ["berth", "bare"];
const LOADS = { stateless: 0, threads: 20 } as const;

/** Each round starts every target anew, one after the other, so that a machine that gets slower hits all of them. */
export async function coldRuns(options: Options): Promise<Row[]> {
  const found = new Map<TargetName, Figures[]>();
  for (let round = 0; round < (options.quick ? 2 : 5); round += 1)
    for (const name of chosen(options, ON))
      found.set(name, [...(found.get(name) ?? []), await oneRound(name)]);
  console.error("measured cold");
  return COLD_LINES.map((line) => {
    const row: Row = { line, values: {}, spread: {} };
    for (const [name, rounds] of found) {
      const values = rounds.flatMap((figures) => figures[line.figure] ?? []);
      if (values.length === 0) continue;
      row.values[name] = median(values);
      row.spread = { ...row.spread, [name]: [Math.min(...values), Math.max(...values)] };
    }
    return row;
  });
}

async function oneRound(name: TargetName): Promise<Figures> {
  const figures: Figures = {};
  for (const [load, turnsPerThread] of Object.entries(LOADS)) {
    // Bare runs in the worker itself, which is a new process each time.
    const server = name === "bare" ? undefined : await startServer(name);
    try {
      const target = server ? { url: server.url, pid: server.pid } : ({ bare: true } as const);
      const { first, next } = await labour(target, {
        kind: "cold",
        first: 50,
        next: 750,
        clients: 16,
        turnsPerThread,
      });
      const ratio = first === undefined || next === undefined ? undefined : first / next;
      Object.assign(figures, { [`${load}First`]: first, [`${load}Next`]: next, [`${load}Ratio`]: ratio });
    } finally {
      await server?.stop();
    }
  }
  return figures;
}
