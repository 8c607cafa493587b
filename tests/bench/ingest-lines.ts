import { BERTH, less, type Measure, more } from "./line.ts";

/** How fast traces of a program elsewhere are taken, as the `langsmith` client sends them. */
export const INGEST: Measure[] = [
  {
    on: BERTH,
    job: (bounds) => ({ kind: "ingest", bounds, traces: 2_000 }),
    lines: [
      more("ingest.traces", "traces of 4 runs from the langsmith client", "traces/s", "perSecond"),
      less("ingest.cpu", "  CPU of the server per trace", "ms", "cpu"),
      less("ingest.lost", "  of 2,000, not there afterwards", "traces", "lost", { most: 0 }),
    ],
  },
];
