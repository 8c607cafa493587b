import { expect } from "bun:test";
import type { OperationRow, Place } from "./operation-row.ts";

const run = {
  run_id: expect.any(String),
  thread_id: expect.any(String),
  assistant_id: expect.any(String),
  status: expect.any(String),
  metadata: {},
  kwargs: {},
  multitask_strategy: "enqueue",
};
const cron = {
  cron_id: expect.any(String),
  thread_id: expect.any(String),
  schedule: "0 8 * * 1",
  payload: {},
  enabled: true,
  next_run_date: expect.any(String),
};
const input = { messages: [{ role: "human", content: "hello" }] };
const body = { assistant_id: "agent", input };
const unknown = { body: { ...body, assistant_id: "non-existent" } };
const values = { messages: [{ content: "hello" }, { content: "begin" }, {}, { content: "end" }] };
const faults = { status: 422, shape: { detail: [{ loc: expect.any(Array) }] } };
const schedule = { assistant_id: "agent", schedule: "0 8 * * 1" };

const onNewThread =
  (sent: unknown) =>
  async ({ newThread }: Place) => ({ path: { thread_id: await newThread() }, body: sent });

/** A delayed run as the path names it. */
async function delayed({ delayedRun }: Place) {
  const { thread: thread_id, run: run_id } = await delayedRun();
  return { path: { thread_id, run_id } };
}

export const runOperations: OperationRow[] = [
  {
    route: "GET /threads/{thread_id}/runs",
    good: () => ({ query: "?limit=1&status=success" }),
    answers: { status: 200, shape: [{ ...run, status: "success" }] },
  },
  {
    route: "POST /threads/{thread_id}/runs",
    good: onNewThread({ ...body, after_seconds: 3_600 }),
    answers: { status: 200, shape: { ...run, status: "pending" } },
    bad: () => ({ body }),
  },
  {
    route: "POST /threads/{thread_id}/runs/stream",
    good: onNewThread({ ...body, stream_mode: ["updates"] }),
    answers: { status: 200, shape: "event: metadata" },
    bad: () => ({ body }),
  },
  {
    route: "POST /threads/{thread_id}/runs/wait",
    good: onNewThread(body),
    answers: { status: 200, shape: values },
    bad: () => ({ body }),
  },
  { route: "GET /threads/{thread_id}/runs/{run_id}", answers: { status: 200, shape: run } },
  {
    route: "DELETE /threads/{thread_id}/runs/{run_id}",
    good: delayed,
    answers: { status: 204 },
  },
  { route: "GET /threads/{thread_id}/runs/{run_id}/join", answers: { status: 200, shape: {} } },
  {
    route: "GET /threads/{thread_id}/runs/{run_id}/stream",
    good: () => ({ headers: { "last-event-id": "-1" } }),
    answers: { status: 200, shape: "event: metadata" },
  },
  {
    route: "POST /threads/{thread_id}/runs/{run_id}/cancel",
    good: async (place) => ({ ...(await delayed(place)), query: "?wait=1&action=interrupt" }),
    answers: { status: 204 },
  },
  {
    route: "POST /runs/cancel",
    good: async ({ delayedRun }) => {
      const { thread, run } = await delayedRun();
      return { body: { thread_id: thread, run_ids: [run] }, query: "?action=interrupt" };
    },
    answers: { status: 204 },
    bad: ({ thread, run }) => ({ body: { status: "all", thread_id: thread, run_ids: [run] } }),
    refuses: faults,
  },
  {
    route: "POST /runs",
    good: () => ({ body }),
    answers: { status: 200, shape: run },
    bad: () => unknown,
  },
  {
    route: "POST /runs/stream",
    good: () => ({ body: { ...body, stream_mode: "values" } }),
    answers: { status: 200, shape: "event: metadata" },
    bad: () => unknown,
  },
  {
    route: "POST /runs/wait",
    good: () => ({ body }),
    answers: { status: 200, shape: values },
    bad: () => unknown,
  },
  {
    route: "POST /runs/batch",
    good: () => ({ body: [body, { ...body, assistantId: "agent" }] }),
    answers: { status: 200, shape: [run, run] },
    bad: () => ({ body: [body, { ...body, assistant_id: "non-existent" }] }),
  },
  {
    route: "GET /runs/{run_id}/stream",
    good: () => ({ headers: { "last-event-id": "-1" } }),
    answers: { status: 200, shape: "event: metadata" },
  },
];

export const cronOperations: OperationRow[] = [
  {
    route: "POST /threads/{thread_id}/runs/crons",
    good: onNewThread(schedule),
    answers: { status: 200, shape: cron },
    bad: () => ({ body: schedule }),
  },
  {
    route: "POST /runs/crons",
    good: () => ({ body: { ...schedule, timezone: "Europe/Lisbon" } }),
    answers: { status: 200, shape: { ...cron, timezone: "Europe/Lisbon", thread_id: null } },
    bad: () => ({ body: { ...schedule, schedule: "each Monday" } }),
    refuses: faults,
  },
  {
    route: "POST /runs/crons/search",
    good: () => ({ body: { assistant_id: "agent", limit: 1 } }),
    answers: { status: 200, shape: [{ schedule: "0 8 * * 1" }] },
    bad: () => ({ body: { limit: 0 } }),
    refuses: faults,
  },
  {
    route: "POST /runs/crons/count",
    good: () => ({ body: {} }),
    answers: { status: 200, shape: expect.any(Number) },
    bad: () => ({ body: { metadata: [] } }),
    refuses: faults,
  },
  {
    route: "GET /runs/crons/{cron_id}",
    good: async ({ newCron }) => ({ path: { cron_id: await newCron() } }),
    answers: { status: 200, shape: { ...cron, thread_id: null } },
  },
  {
    route: "PATCH /runs/crons/{cron_id}",
    good: async ({ newCron }) => ({ path: { cron_id: await newCron() }, body: { enabled: false } }),
    answers: { status: 200, shape: { enabled: false, next_run_date: null } },
    bad: () => ({ body: {} }),
  },
  {
    route: "DELETE /runs/crons/{cron_id}",
    good: async ({ newCron }) => ({ path: { cron_id: await newCron() } }),
    answers: { status: 204 },
  },
];
