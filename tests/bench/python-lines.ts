import { BERTH, type Line, less, type Measure, more } from "./line.ts";

const lines: Line[] = [
  more("python.stateless", "Python: stateless runs, 16 clients, one worker", "runs/s", "stateless"),
  more("python.stateless-bare", "  in one process without a server", "runs/s", "statelessBare"),
  more("python.stateless-ratio", "  of bare", "×", "statelessRatio", { least: 0.7 }),
  more("python.stateless-two", "  of bare, with two workers", "×", "statelessTwo", { least: 1.5 }),
  more("python.threads", "Python: runs on threads, 16 clients", "runs/s", "threads"),
  more("python.threads-ratio", "  of bare with a saver in memory", "×", "threadsRatio", { least: 0.5 }),
  more("python.tokens", "Python: 200 tokens, 8 clients", "events/s", "tokens"),
  more("python.tokens-ratio", "  of bare", "×", "tokensRatio", { least: 0.5 }),
  less("python.first", "Python: first event, one client, more than bare", "ms", "firstExtra", { most: 5 }),
  less("python.start", "Python: a worker's start to its loaded graphs", "ms", "start"),
  less("python.import", "  of that, importing LangGraph", "ms", "import"),
];

/** Berth with graphs in Python, and the same graphs in one Python process. */
export const PYTHON_LINES: Measure[] = [{ on: BERTH, job: (bounds) => ({ kind: "python", bounds }), lines }];
