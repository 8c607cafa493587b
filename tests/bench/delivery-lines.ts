import { BERTH, less, type Measure, more } from "./line.ts";

/** What webhooks cost. The peer sends none that it would try again; the outbox is in the worker, with a file of its own. */
export const DELIVERIES: Measure[] = [
  {
    on: BERTH,
    job: (bounds) => ({ kind: "backlog", bounds, count: 10_000 }),
    lines: [
      more("outbox.rate", "10,000 deliveries that are due, 8 subscriptions", "1/s", "perSecond"),
      less("outbox.delay", "  the event loop is late meanwhile, p99", "ms", "delayP99", { most: 100 }),
      less("outbox.delay-most", "  at most", "ms", "delayMost"),
      less("outbox.memory", "  memory that it takes", "MB", "growth"),
    ],
  },
  {
    on: BERTH,
    job: (bounds) => ({ kind: "beside-hanging", bounds, count: 1_000 }),
    lines: [
      less("outbox.alone", "1,000 deliveries to one subscription", "ms", "alone"),
      less("outbox.beside", "  while another, with as many, never answers", "ms", "beside"),
      less("outbox.extra", "  beside over alone", "×", "extra", { most: 1.5 }),
    ],
  },
];
