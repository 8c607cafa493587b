import { type CronRequest, type CronService, meantAssistant, type Project } from "@berth/agent";
import { type CronFilter, type CronSort, Invalid } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { cronRules } from "../authorization/index.ts";
import {
  type Caller,
  Count,
  empty,
  instantOf,
  json,
  jsonList,
  type Operation,
  operation,
  pageHeaders,
  selected,
  Uuid,
} from "../http/index.ts";
import {
  CronBody,
  CronFilters,
  CronPatch,
  CronSearchBody,
  type cronSorts,
  ThreadCronBody,
} from "./cron-schemas.ts";
import { ShownCron, shownCron } from "./wire/index.ts";

type CronRoutesDeps = {
  crons: CronService;
  project: Pick<Project, "graphs">;
};

const tag = "Crons";
const params = Type.Object({ cron_id: Uuid });
const theCron = { description: "The cron", schema: ShownCron };
const gone = "No such cron";

/** `/runs/crons`, `/threads/{thread_id}/runs/crons`: runs on a schedule (`agent-server.md` §7). */
export const cronRoutes = (deps: CronRoutesDeps): Operation[] => [
  createThreadCron(deps),
  createCron(deps),
  searchCrons(deps),
  countCrons(deps),
  getCron(deps),
  patchCron(deps),
  deleteCron(deps),
];

const createThreadCron = ({ crons }: CronRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads/:thread_id/runs/crons",
      access: agentServer(cronRules.create),
      bodyLimit: "process",
      tag,
      summary: "Create a cron on a thread",
      description: "Each run continues the thread; while the thread is busy, runs wait by default.",
      params: Type.Object({ thread_id: Uuid }),
      body: ThreadCronBody,
      answers: { 200: theCron, 404: "No such assistant, graph or thread" },
    },
    async ({ path, body, caller }) => {
      const wanted = { ...requestOf(body, caller), thread_id: path.thread_id, on_run_completed: null };
      return json(shownCron(await crons.create(wanted)));
    },
  );

const createCron = ({ crons }: CronRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/runs/crons",
      access: agentServer(cronRules.create),
      bodyLimit: "process",
      tag,
      summary: "Create a cron",
      description: "Each run has its own thread; by default, Berth deletes the thread after the run.",
      body: CronBody,
      answers: { 200: theCron, 404: "No such assistant or graph" },
    },
    async ({ body, caller }) => {
      const on_run_completed = body.on_run_completed ?? "delete";
      return json(
        shownCron(await crons.create({ ...requestOf(body, caller), thread_id: null, on_run_completed })),
      );
    },
  );

const searchCrons = ({ crons, project }: CronRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/runs/crons/search",
      access: agentServer(cronRules.search),
      bodyLimit: "small",
      tag,
      summary: "Search crons",
      description: "One page, newest first by default; `X-Pagination-*` headers describe the other pages.",
      body: CronSearchBody,
      answers: { 200: { description: "The page", schema: Type.Array(ShownCron) } },
    },
    async (input) => {
      const { limit, offset, sort_by, sort_order, select, enabled, ...filter } = input.body;
      const { groups, total } = await crons.search({
        ...filterOf(project, filter),
        enabled: enabled ?? undefined,
        permitted: input.permit.seen,
        sort_by: sort_by ? columnOf(sort_by) : undefined,
        sort_order: sort_order ?? undefined,
        limit,
        offset,
      });
      return jsonList(input, groups, (cron) => JSON.stringify(selected(shownCron(cron), select)), {
        headers: pageHeaders({ total, offset, limit }),
      });
    },
  );

const countCrons = ({ crons, project }: CronRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/runs/crons/count",
      access: agentServer(cronRules.search),
      bodyLimit: "small",
      tag,
      summary: "Count crons",
      body: CronFilters,
      answers: { 200: { description: "How many match", schema: Count } },
    },
    async ({ body, permit }) =>
      json(await crons.count({ ...filterOf(project, body), permitted: permit.seen })),
  );

const getCron = ({ crons }: CronRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/runs/crons/:cron_id",
      access: agentServer(cronRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get a cron",
      params,
      answers: { 200: theCron, 404: gone },
    },
    async ({ path }) => json(shownCron(await crons.get(path.cron_id))),
  );

const patchCron = ({ crons }: CronRoutesDeps) =>
  operation(
    {
      method: "PATCH",
      path: "/runs/crons/:cron_id",
      access: agentServer(cronRules.update),
      bodyLimit: "process",
      tag,
      summary: "Change a cron",
      description:
        "Merges `metadata` and replaces every other field that you give; null restores the default.",
      params,
      body: CronPatch,
      answers: { 200: theCron, 404: gone },
    },
    async ({ path, body }) => {
      const { schedule, timezone, end_time, enabled, on_run_completed, metadata, ...rest } = body;
      const change = {
        ...(schedule && { schedule }),
        ...(timezone !== undefined && { timezone }),
        ...(end_time !== undefined && { end_time: endOf(end_time) }),
        ...(typeof enabled === "boolean" && { enabled }),
        ...(on_run_completed !== undefined && { on_run_completed: on_run_completed ?? "delete" }),
        ...(metadata && { metadata }),
        payload: payloadOf(rest),
      };
      return json(shownCron(await crons.change(path.cron_id, change)));
    },
  );

const deleteCron = ({ crons }: CronRoutesDeps) =>
  operation(
    {
      method: "DELETE",
      path: "/runs/crons/:cron_id",
      access: agentServer(cronRules.remove),
      bodyLimit: "none",
      tag,
      summary: "Delete a cron",
      description: "Runs that it has created continue.",
      params,
      answers: { 204: "Deleted", 404: gone },
    },
    async ({ path }) => {
      await crons.delete(path.cron_id);
      return empty();
    },
  );

type Created = Static<typeof CronBody> & Static<typeof ThreadCronBody>;

function requestOf(
  { schedule, assistant_id, timezone, end_time, enabled, metadata, ...rest }: Created,
  caller: Caller | null,
): Omit<CronRequest, "thread_id" | "on_run_completed"> {
  return {
    schedule,
    assistant_id,
    timezone: timezone ?? null,
    end_time: endOf(end_time),
    enabled: enabled ?? true,
    metadata: metadata ?? {},
    payload: payloadOf(rest),
    user_id: caller?.guard?.user.identity ?? null,
    user_permissions: caller?.guard?.user.permissions ?? [],
  };
}

const repeated = [
  "input",
  "config",
  "context",
  "webhook",
  "interrupt_before",
  "interrupt_after",
  "stream_mode",
  "stream_subgraphs",
  "stream_resumable",
  "durability",
  "checkpoint_during",
  "multitask_strategy",
] as const;

/** What is given of what each run is asked to do; undefined for what is to be its default again. */
function payloadOf(given: Partial<Record<(typeof repeated)[number], unknown>>): Record<string, unknown> {
  const named = repeated.filter((name) => given[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, given[name] ?? undefined]));
}

/** @throws Invalid when it names no moment */
function endOf(end_time: string | null | undefined): number | null {
  if (end_time === null || end_time === undefined) return null;
  const end = instantOf(end_time);
  if (end !== undefined) return end;
  throw Invalid.body("end_time", "Input should be a valid datetime", end_time, "datetime_parsing");
}

function filterOf(
  project: Pick<Project, "graphs">,
  { assistant_id, thread_id, metadata }: CronFilters,
): CronFilter {
  return {
    assistant_id: typeof assistant_id === "string" ? meantAssistant(project, assistant_id) : undefined,
    thread_id: thread_id?.toLowerCase(),
    metadata: metadata ?? undefined,
  };
}

function columnOf(sort: (typeof cronSorts)[number]): CronSort {
  return sort === "next_run_date" ? "next_run_at" : sort;
}
