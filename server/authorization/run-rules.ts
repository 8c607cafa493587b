import { type Cron, NotFound } from "@berth/store";
import type { Guard, RunWork } from "./guard.ts";
import type { HandlerValues } from "./handler-values.ts";
import { type Ask, type GuardedRequest, rule } from "./permit.ts";

const onRun =
  (action: string, more: (asked: GuardedRequest) => HandlerValues = () => ({})): Ask =>
  async (guard, asked) => {
    const { run_id = "", thread_id } = asked.path;
    await guard.run(run_id, action, thread_id, more(asked));
    return {};
  };

const read = onRun("read");
const cancel = onRun("update", ({ query }) => ({ action: query.action ?? "interrupt" }));

/** Puts the members of a run's work back into the body that they came from. */
function putWork(body: HandlerValues, work: HandlerValues): void {
  for (const name of ["input", "command", "config", "context"] as const)
    if (work[name] !== body[name]) body[name] = work[name];
}

/** The bodies of runs, whichever route creates them; gives the run's id. */
async function permitRun(guard: Guard, body: HandlerValues, threadId: string | undefined): Promise<string> {
  const { assistant_id: assistantId, metadata, multitask_strategy, if_not_exists, after_seconds } = body;
  const permit = await guard.newRun({
    threadId,
    assistantId,
    metadata,
    work: body,
    about: { prevent_insert_if_inflight: multitask_strategy === "reject" },
    more: { multitask_strategy, if_not_exists, after_seconds },
  });
  Object.assign(body, permit.more);
  putWork(body, permit.work);
  body.metadata = permit.metadata;
  return permit.runId;
}

const create: Ask = async (guard, { path, body }) => ({
  runIds: [await permitRun(guard, body, path.thread_id)],
});

/** Each of a batch by itself; the body is a list. A `thread_id` in it has no effect, because the runs are stateless. */
const createBatch: Ask = async (guard, { body }) => {
  const runIds: string[] = [];
  for (const one of Object.values(body) as HandlerValues[])
    runIds.push(await permitRun(guard, one, undefined));
  return { runIds };
};

/** Without the names of runs, those on threads that may be changed. */
const cancelMany: Ask = async (guard, { query, body }) => {
  const about = { action: query.action ?? "interrupt" };
  const { thread_id } = body;
  if (typeof thread_id !== "string")
    return { seen: (await guard.decide("threads", "update", { about })).seen };
  const { access } = await guard.threadAccess(thread_id.toLowerCase(), "update", { about });
  // In the words of the route, which looks for the runs.
  if (access !== "permitted") throw new NotFound("Run not found");
  return {};
};

const list: Ask = async (guard, { path, query }) => {
  const threadId = path.thread_id ?? "";
  Object.assign(query, await guard.thread(threadId, "search", { fields: { ...query } }));
  await guard.thread(threadId, "read");
  return {};
};

/** Members of a cron's payload that handlers see as the `kwargs` of its runs. */
const CRON_WORK = ["input", "config", "context"] as const;

const createCron: Ask = async (guard, { path, body }) => {
  const { thread_id } = path;
  const { assistant_id: assistantId, ...fields } = body;
  const about = { thread_id, assistant_id: assistantId };
  const decision = await guard.decide("crons", "create", {
    about,
    fields: { metadata: undefined, ...fields },
  });
  Object.assign(body, decision.fields);
  // Its runs are the user's: what may not be run now may not be run later.
  const { metadata } = body;
  const permit = await guard.newRun({ threadId: thread_id, assistantId, metadata, work: body });
  putWork(body, permit.work);
  body.metadata = permit.metadata;
  return {};
};

const searchCrons: Ask = async (guard, { body }) => {
  const { seen, fields } = await guard.decide("crons", "search", {
    fields: { metadata: undefined, ...body },
  });
  Object.assign(body, fields);
  return { seen };
};

const onCron =
  (action: string): Ask =>
  async (guard, { path }) => {
    await guard.cron(path.cron_id ?? "", action);
    return {};
  };

const updateCron: Ask = async (guard, { path, body }) => {
  const onlyDisables = body.enabled === false && Object.keys(body).length === 1;
  const asked = { metadata: undefined, ...body };
  const { cron, fields } = await guard.cron(path.cron_id ?? "", "update", asked);
  Object.assign(body, fields);
  // A user who may not start runs any longer can still stop a cron.
  if (!onlyDisables) await permitCronRuns(guard, body, cron);
  return {};
};

/**
 * Asks about the runs of a cron as they will be after a change: the change may combine with what is stored to
 * something that the handler refuses. Every member that the handler saw is written, also an unchanged one, because a
 * concurrent change of another member was not part of the question.
 */
async function permitCronRuns(guard: Guard, body: HandlerValues, cron: Cron): Promise<void> {
  const { thread_id, assistant_id: assistantId, payload } = cron;
  const work: RunWork = {};
  for (const name of CRON_WORK)
    work[name] = (body[name] === undefined ? payload[name] : body[name]) ?? undefined;
  const metadata = { ...cron.metadata, ...(body.metadata as HandlerValues | null | undefined) };
  const permit = await guard.newRun({ threadId: thread_id ?? undefined, assistantId, metadata, work });
  for (const name of CRON_WORK) body[name] = permit.work[name] ?? null;
  body.metadata = permit.metadata;
}

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
  update: rule("crons", "update", updateCron),
  remove: rule("crons", "delete", onCron("delete")),
};
