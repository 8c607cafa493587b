import { less, type Measure, more } from "./line.ts";

/** What looking at traces costs. The peer does not; the engine is in the worker, with files of its own. */
export const ENGINE: Measure[] = [
  {
    on: ["berth"],
    job: (bounds) => ({ kind: "engine-scan", bounds, traces: 100_000 }),
    lines: [
      less("engine.scan", "scan of 100,000 traces of 4 spans, 10 % failed", "s", "seconds"),
      more("engine.rate", "  rate", "traces/s", "perSecond"),
      less("engine.memory", "  memory that it takes", "MB", "memory", { most: 300 }),
      less("engine.delay", "  the event loop is late meanwhile, at most", "ms", "loopDelay"),
      more("engine.opened", "  issues opened, for 10,000 texts of one kind", "issues", "opened", {
        least: 1,
        most: 1,
      }),
    ],
  },
];
