import { BERTH, less, type Measure } from "./line.ts";
import type { JobOf } from "./worker/job.ts";

type Load = Pick<JobOf<"tracing">, "graph" | "clients" | "ships">;

const cost = (id: string, title: string, load: Load, most: number): Measure => ({
  on: BERTH,
  rounds: 3,
  job: (bounds) => ({ kind: "tracing", bounds, ...load }),
  lines: [
    less(`tracing.${id}`, `${title}, CPU per run with traces`, "ms", "on"),
    less(`tracing.${id}-off`, "  without", "ms", "off"),
    less(`tracing.${id}-extra`, "  what traces add", "%", "extra", { most }),
  ],
});

/** What it costs that every run leaves a trace. */
export const TRACES: Measure[] = [
  cost("echo", "stateless runs/wait", { graph: "echo", clients: 16 }, 5),
  cost("tools", "a graph that calls four tools", { graph: "tools", clients: 8 }, 3),
  cost(
    "shipped",
    "the same in a deployment, which ships them",
    { graph: "tools", clients: 8, ships: true },
    3,
  ),
];

/** Of other graphs. */
export const MORE_TRACES: Measure[] = [
  cost("tokens", "200 tokens without pause", { graph: "tokens", clients: 8 }, 3),
  cost("steps", "20 supersteps on a new thread", { graph: "steps", clients: 8 }, 3),
];
