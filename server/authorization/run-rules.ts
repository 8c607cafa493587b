import type { Guard, HandlerValues } from "./guard.ts";
import { type Ask, type GuardedRequest, rule } from "./permit.ts";

const onRun =
  (action: string, more: (asked: GuardedRequest) => HandlerValues = () => ({})): Ask =>
  async (guard, asked) => {
    await guard.run(asked.path.run_id ?? "", action, more(asked));
    return {};
  };

const read = onRun("read");
const cancel = onRun("update", ({ query }) => ({ action: query.action ?? "interrupt" }));

/** The bodies of runs, whichever route creates them; gives the run's id. */
async function permitRun(guard: Guard, body: HandlerValues, threadId: string | undefined): Promise<string> {
  const { assistant_id: assistantId, metadata, multitask_strategy, if_not_exists, after_seconds } = body;
  const more = {
    multitask_strategy,
    if_not_exists,
    after_seconds,
    prevent_insert_if_inflight: multitask_strategy === "reject",
  };
  const permit = await guard.newRun({ threadId, assistantId, metadata, work: body, more });
  body.metadata = permit.metadata;
  return permit.runId;
}

const create: Ask = async (guard, { path, body }) => ({
  runIds: [await permitRun(guard, body, path.thread_id)],
});

/** Each of a batch by itself; the body is a list. */
const createBatch: Ask = async (guard, { body }) => {
  const runIds: string[] = [];
  for (const one of Object.values(body) as HandlerValues[]) {
    const threadId = typeof one.thread_id === "string" ? one.thread_id : undefined;
    runIds.push(await permitRun(guard, one, threadId));
  }
  return { runIds };
};

/** Without the names of runs, those on threads that may be changed. */
const cancelMany: Ask = async (guard, { query, body }) => {
  const action = query.action ?? "interrupt";
  const { thread_id } = body;
  if (typeof thread_id === "string") await guard.thread(thread_id, "update", { action });
  return { seen: await guard.ask("threads", "update", { thread_id, action }) };
};

const list: Ask = async (guard, { path, query }) => {
  const threadId = path.thread_id ?? "";
  await guard.thread(threadId, "search", { ...query });
  await guard.thread(threadId, "read");
  return {};
};

const createCron: Ask = async (guard, { path, body }) => {
  const { thread_id } = path;
  const { assistant_id: assistantId } = body;
  const value: HandlerValues = {
    ...body,
    thread_id,
    metadata: { ...(body.metadata as HandlerValues | null | undefined) },
  };
  await guard.ask("crons", "create", value);
  const { metadata } = value;
  // Its runs are the user's: what may not be run now may not be run later.
  await guard.newRun({ threadId: thread_id, assistantId, metadata, work: body });
  body.metadata = metadata;
  return {};
};

const searchCrons: Ask = async (guard, { body }) => {
  const value: HandlerValues = { ...body, metadata: body.metadata ?? {} };
  const seen = await guard.ask("crons", "search", value);
  body.metadata = value.metadata;
  return { seen };
};

const onCron =
  (action: string): Ask =>
  async (guard, { path, body }) => {
    const value = await guard.cron(path.cron_id ?? "", action, action === "update" ? { ...body } : {});
    if (action === "update" && value.metadata !== undefined) body.metadata = value.metadata;
    return {};
  };

/** What operations on runs ask, under a thread and without one. */
export const runRules = {
  create: rule("threads", "create_run", create),
  createBatch: rule("threads", "create_run", createBatch),
  read: rule("threads", "read", read),
  cancel: rule("threads", "update", cancel),
  cancelMany: rule("threads", "update", cancelMany),
  remove: rule("threads", "delete", onRun("delete")),
  list: rule("threads", "search", list),
};

/** What operations on crons ask. */
export const cronRules = {
  create: rule("crons", "create", createCron),
  search: rule("crons", "search", searchCrons),
  read: rule("crons", "read", onCron("read")),
  update: rule("crons", "update", onCron("update")),
  remove: rule("crons", "delete", onCron("delete")),
};
