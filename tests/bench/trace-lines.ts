import { less, type Measure } from "./line.ts";

type Graph = "echo" | "tokens" | "steps";

const cost = (graph: Graph, title: string, clients: number): Measure => ({
  on: ["berth"],
  job: (bounds) => ({ kind: "tracing", bounds, graph, clients }),
  lines: [
    less(`tracing.${graph}`, `${title}, CPU per run with traces`, "ms", "on"),
    less(`tracing.${graph}-off`, "  without", "ms", "off"),
    less(`tracing.${graph}-extra`, "  what traces add", "%", "extra", { most: 5 }),
  ],
});

/** What it costs that every run leaves a trace. */
export const TRACES: Measure[] = [
  cost("echo", "stateless runs/wait", 16),
  cost("tokens", "200 tokens without pause", 8),
  cost("steps", "20 supersteps on a new thread", 8),
];
