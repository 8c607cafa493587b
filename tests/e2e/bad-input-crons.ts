import {
  noBoolean,
  noLimit,
  noList,
  noObject,
  noOffset,
  noText,
  noUuid,
  noWord,
  type RouteRow,
  repeatedRun,
} from "./bad-input-wrong.ts";

const noSchedule = [
  ...noText,
  "",
  "* * * *",
  "* * * * * *",
  "60 * * * *",
  "0 22-2 * * *",
  "0 0 30 2 *",
  "@daily",
  "* ".repeat(200),
  "0 0 * * \u0000",
];
const cronTimes = {
  schedule: noSchedule,
  timezone: [...noText, "Mars/Base", "+02:00", ""],
  end_time: [
    ...noText,
    "soon",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-01-01",
    "Thu, 01 Jan 2026",
  ],
  enabled: noBoolean,
};
const cron = { ...repeatedRun, ...cronTimes, multitask_strategy: noWord };
const cronFilter = { assistant_id: noText, thread_id: noUuid, metadata: noObject };

/** The rows of the crons. */
export const CRON_ROUTES: RouteRow[] = [
  {
    route: "POST /threads/{thread_id}/runs/crons",
    body: { assistant_id: "no such", schedule: "* * * * *" },
    wrong: cron,
    known: 404,
  },
  {
    route: "POST /runs/crons",
    body: { assistant_id: "no such", schedule: "* * * * *" },
    wrong: { ...cron, on_run_completed: noWord },
    known: 404,
  },
  {
    route: "POST /runs/crons/search",
    body: {},
    wrong: {
      ...cronFilter,
      enabled: noBoolean,
      limit: noLimit,
      offset: noOffset,
      sort_by: [...noWord, "next_run_at"],
      sort_order: noWord,
      select: [...noList, ["secret"]],
    },
    known: 200,
  },
  { route: "POST /runs/crons/count", body: {}, wrong: cronFilter, known: 200 },
  { route: "GET /runs/crons/{cron_id}", known: 404 },
  {
    route: "PATCH /runs/crons/{cron_id}",
    body: { enabled: false },
    wrong: { ...cron, assistant_id: [], on_run_completed: noWord },
    known: 404,
  },
  { route: "DELETE /runs/crons/{cron_id}", known: 404 },
];
