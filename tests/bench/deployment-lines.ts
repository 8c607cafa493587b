import { BERTH, less, type Measure, more } from "./line.ts";

/** What deploying and the gateway cost; the peer has neither. */
export const DEPLOYMENTS: Measure[] = [
  {
    on: BERTH,
    job: (bounds) => ({ kind: "gateway", bounds }),
    lines: [
      less("deploy.template", "chat template, from the request to the first answer", "ms", "deploy"),
      less("gateway.request", "GET /info, 1 client, median", "ms", "through"),
      less("gateway.request-direct", "  at the instance's own port", "ms", "direct"),
      less("gateway.request-extra", "  what the gateway adds", "ms", "extra", { most: 1 }),
      more("gateway.rate", "GET /info, 16 clients", "1/s", "rateThrough"),
      more("gateway.rate-direct", "  at the instance's own port", "1/s", "rateDirect"),
      less(
        "gateway.event",
        "event, one each 2 ms, from the graph to the reader, median",
        "ms",
        "eventThrough",
      ),
      less("gateway.event-direct", "  at the instance's own port", "ms", "eventDirect"),
      less("gateway.event-extra", "  what the gateway adds", "ms", "eventExtra", { most: 1 }),
      more("gateway.flood", "events as fast as they come", "events/s", "floodThrough"),
      more("gateway.flood-direct", "  at the instance's own port", "events/s", "floodDirect"),
    ],
  },
];

/** What deployments take that nobody calls: each awake, each asleep. */
export const IDLE: Measure[] = [
  {
    on: BERTH,
    job: (bounds) => ({ kind: "idle-deployments", bounds, deployments: 8 }),
    lines: [
      less("idle.memory", "8 idle deployments, memory of each, awake", "MB", "each", { most: 80 }),
      less("idle.asleep", "  asleep", "MB", "asleep", { most: 0 }),
      less("idle.control", "  memory of Berth itself", "MB", "control"),
      less("idle.ready", "  from the first request until the last is deployed", "s", "ready"),
      less("idle.wake", "  from a request to the answer of one that sleeps", "ms", "wake"),
    ],
  },
];
