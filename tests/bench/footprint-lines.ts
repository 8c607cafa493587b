import { BERTH, less, type Measure } from "./line.ts";

/** Half of what it was before logs were folded and packed (commit c7125315). */
const HALF = { stateless: 1_330, turn: 7_070, token: 520 };

/** What runs leave on the disk. */
export const DISK: Measure[] = [
  {
    on: BERTH,
    job: (bounds) => ({ kind: "disk", bounds }),
    lines: [
      less("disk.run", "a stateless run leaves, trace and all", "bytes", "stateless", {
        most: HALF.stateless,
      }),
      less("disk.turn", "a turn on a thread, turns 1-20", "bytes", "turn", { most: HALF.turn }),
      less("disk.last", "  turns 181-200", "bytes", "last"),
      less("disk.growth", "  181-200 over 1-20", "×", "growth", { most: 1.3 }),
      less("disk.token", "a token of a run with 200, 5 ms each", "bytes", "token", { most: HALF.token }),
    ],
  },
];

/** What a server keeps in memory after a load: on a server of its own, which has done nothing else. */
export const LOADED: Measure[] = [
  {
    on: BERTH,
    job: (bounds) => ({ kind: "load-memory", bounds, runs: 2_000, restMs: 60_000 }),
    lines: [
      less("memory.loaded", "memory after 4,000 runs and 64 streams", "MB", "loaded"),
      less("memory.rested", "  a minute later", "MB", "rested", { most: 130 }),
    ],
  },
];
