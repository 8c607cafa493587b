import { BERTH, less, type Measure, more } from "./line.ts";

/** What looking at traces costs, which the peer does not. */
export const ENGINE: Measure[] = [
  {
    on: BERTH,
    job: (bounds) => ({ kind: "engine-scan", bounds, traces: 100_000 }),
    lines: [
      less("engine.scan", "scan of 100,000 traces of 4 spans, 10 % failed", "s", "seconds", { most: 5 }),
      more("engine.rate", "  rate", "traces/s", "perSecond"),
      less("engine.memory", "  memory that it takes", "MB", "memory", { most: 300 }),
      less("engine.late", "  `/ok` is late by at most", "ms", "late", { most: 20 }),
      more("engine.opened", "  issues opened, for 10,000 texts of one kind", "issues", "opened", {
        least: 1,
        most: 1,
      }),
      less("engine.words", "first search of them for a word that none has, all pages", "s", "wordsSeconds"),
      less("engine.words-page", "  the longest page", "ms", "wordsPage"),
      less("engine.words-late", "  `/ok` is late by at most", "ms", "wordsLate", { most: 20 }),
      less("engine.words-again", "  a second search", "ms", "wordsAgain"),
    ],
  },
];
