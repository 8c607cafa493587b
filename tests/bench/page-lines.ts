import { BERTH, type Goal, less, type Measure } from "./line.ts";
import type { PageName } from "./worker/job.ts";

const load = (page: PageName, title: string, goals: { first?: Goal; usable: Goal }): Measure => ({
  on: BERTH,
  job: (bounds) => ({ kind: "page-load", bounds, page, loads: 5 }),
  lines: [
    less(
      `page.${page}`,
      `${title}: from the start of the navigation to its first usable frame`,
      "ms",
      "usable",
      {
        ...goals.usable,
      },
    ),
    less(
      `page.${page}-first`,
      "  first screen: the document and what it names, over the network",
      "KB",
      "first",
      goals.first,
    ),
    less(`page.${page}-size`, "  with what it loads then", "KB", "transferred"),
    less(`page.${page}-embedded`, "  as the executable carries it", "KB", "embedded"),
    less(`page.${page}-requests`, "  requests for it", "requests", "requests"),
  ],
});

const stream = (id: string, title: string, perSecond?: number, goal?: Goal): Measure => ({
  on: BERTH,
  job: (bounds) => ({ kind: "page-stream", bounds, tokens: 10_000, ...(perSecond && { perSecond }) }),
  lines: [
    less(`${id}.longest`, `${title} in the chat, longest task`, "ms", "longest", goal),
    less(`${id}.long`, "  tasks over 50 ms", "tasks", "longTasks"),
    less(`${id}.frame-p99`, "  from frame to frame, p99", "ms", "frameP99"),
    less(`${id}.seconds`, "  from sending to the end of the answer", "s", "seconds"),
    less(`${id}.size`, "  the chat with what it loaded for the answer", "KB", "transferred", { most: 350 }),
    less(`${id}.heap`, "  the page's objects afterwards", "MB", "heap"),
  ],
});

/** What a person gets who opens a page. */
export const PAGES: Measure[] = [
  load("chat", "the chat", { first: { most: 150 }, usable: { most: 200 } }),
  load("console", "the console", { first: { most: 150 }, usable: { most: 200 } }),
  load("docs", "`/docs`", { usable: { most: 1_000 } }),
  {
    on: BERTH,
    job: (bounds) => ({ kind: "runs-scrolled", bounds, runs: 10_000 }),
    lines: [
      less("page-runs.longest", "10,000 runs scrolled in the console, longest task", "ms", "longest", {
        most: 50,
      }),
      less("page-runs.long", "  tasks over 50 ms", "tasks", "longTasks"),
      less("page-runs.loading", "  while the list is loaded, longest task", "ms", "loading"),
      less("page-runs.frame-p99", "  from frame to frame, p99", "ms", "frameP99"),
    ],
  },
  stream("page-paced", "10,000 tokens at 500/s", 500, { most: 50 }),
  stream("page-flood", "10,000 tokens at once"),
];
