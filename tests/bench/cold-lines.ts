import { labour } from "./labour.ts";
import { BERTH_AND_BARE, less, type OwnMeasure, type Samples, type TargetName } from "./line.ts";
import { startServer } from "./servers.ts";
import type { Figures } from "./worker/job.ts";

const LOADS = { stateless: 0, threads: 20 } as const;
const ROUNDS = 5;

/** What people mostly meet: a process that has just started. The peer would need minutes, and has no such lines. */
export const COLD: OwnMeasure = {
  section: "Cold",
  lines: [
    less("cold.stateless", "CPU of the first 50 stateless runs of a process, each", "ms", "statelessFirst"),
    less("cold.stateless-next", "  of the 750 after them", "ms", "statelessNext"),
    less("cold.stateless-ratio", "  first over next", "×", "statelessRatio", { most: 2 }),
    less("cold.threads", "CPU of the first 50 runs on threads, each", "ms", "threadsFirst"),
    less("cold.threads-next", "  of the 750 after them", "ms", "threadsNext"),
    less("cold.threads-ratio", "  first over next", "×", "threadsRatio", { most: 2 }),
  ],
  // Each round starts every target anew, one after the other, so that a machine that gets slower hits all of them.
  async take({ quick, names, rootOf }) {
    const samples: Samples = new Map();
    for (let round = 0; round < (quick ? 2 : ROUNDS); round += 1)
      for (const name of names(BERTH_AND_BARE))
        samples.set(name, [...(samples.get(name) ?? []), await oneRound(name, rootOf(name))]);
    return samples;
  },
};

async function oneRound(name: TargetName, root: string | undefined): Promise<Figures> {
  const figures: Figures = {};
  for (const [load, turnsPerThread] of Object.entries(LOADS)) {
    // Bare runs in the worker itself, which is a new process each time.
    const server = name === "bare" ? undefined : await startServer(name, { root });
    try {
      const { first, next } = await labour(
        server ? { url: server.url, pid: server.pid, data: server.data } : { bare: true },
        { kind: "cold", first: 50, next: 750, clients: 16, turnsPerThread },
      );
      const ratio = first === undefined || next === undefined ? undefined : first / next;
      Object.assign(figures, { [`${load}First`]: first, [`${load}Next`]: next, [`${load}Ratio`]: ratio });
    } finally {
      await server?.stop();
    }
  }
  return figures;
}
