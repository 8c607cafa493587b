import { Invalid, type LogKind, type LogLine, type LogQuery } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { controlPlane } from "../../access/index.ts";
import {
  callOf,
  instantOf,
  json,
  limitField,
  type Operation,
  oneOf,
  operation,
  optional,
  sse,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import { DeploymentLogPage, LEVELS, LogPage, shownLogLine } from "../wire/index.ts";
import { type ControlRoutesDeps, deploymentParams, revisionParams } from "./deps.ts";
import { framesOf, LAST_SEEN, lastSeen } from "./followers.ts";

type Deps = Pick<ControlRoutesDeps, "deployments" | "revisions" | "logs">;

const tag = "Logs";
const gone = "No such deployment, or revision of it";
const NO_CURSOR = "`offset` is not from a page of this log";

/** A day alone is its first moment, as the public API reads it. */
const Moment = Type.String({
  format: "moment",
  description: "ISO 8601. A day without a time means its beginning, in UTC.",
});

const filters = {
  query: optional(Type.String({ description: "Part of the message; upper and lower case are the same." })),
  level: optional(oneOf(LEVELS, { "x-any-case": true })),
  start_time: optional(Moment),
  end_time: optional(Moment),
};
type Filters = { query?: string | null; start_time?: string | null; end_time?: string | null };

const order = () => oneOf(["asc", "desc"], { default: "asc" });
const runId = () => optional(Uuid);

/** What builds and instances said, in the two forms of v2 and the three that released tools call. */
export const logRoutes = (deps: Deps): Operation[] => [
  revisionLogs(deps),
  deploymentLogs(deps),
  projectLogs(deps, "build", "/v1/projects/:project_id/revisions/:revision_id/build_logs"),
  projectLogs(deps, "deploy", "/v1/projects/:project_id/revisions/:revision_id/deploy_logs"),
  allProjectLogs(deps),
];

const revisionLogs = ({ revisions, logs }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/revisions/:revision_id/logs",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Read the log of a revision",
      description:
        "`next_offset` points after the last line, even at the end. To follow the log, send it with the next request.",
      params: revisionParams,
      query: Type.Object({
        type: oneOf(["build", "deploy"]),
        order: order(),
        limit: limitField({ default: 50, maximum: 1_000 }),
        offset: optional(Type.String()),
        ...filters,
        run_id: runId(),
      }),
      answers: {
        200: { description: "The page", schema: LogPage },
        400: NO_CURSOR,
        404: gone,
      },
    },
    async ({ path, query, caller }) => {
      const filter = wanted(query, "query");
      const { deployment_id: deploymentId, revision_id } = path;
      const { id: revisionId } = await revisions.get(workspaceOf(caller), deploymentId, revision_id);
      const { lines, next } = await logs.read({
        ...filter,
        deploymentId,
        revisionId,
        kind: query.type,
        order: query.order,
        limit: query.limit,
        cursor: query.offset ?? undefined,
      });
      return json({ logs: lines.map(shownLogLine), next_offset: next });
    },
  );

const deploymentLogs = ({ deployments, revisions, logs }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/deployment-logs",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Read the log of a deployment",
      query: Type.Object({
        deployment_id: Uuid,
        revision_id: optional(Uuid),
        log_type: oneOf(["BUILD", "DEPLOY"], { default: "DEPLOY" }),
        sort_order: order(),
        page_size: limitField({ default: 20, maximum: 100 }),
        cursor: optional(Type.String()),
        ...filters,
        run_id: runId(),
      }),
      answers: {
        200: { description: "The page", schema: DeploymentLogPage },
        400: NO_CURSOR,
        404: gone,
      },
    },
    async ({ query, caller }) => {
      const filter = wanted(query, "query");
      const { deployment_id: deploymentId, revision_id } = query;
      const workspaceId = workspaceOf(caller);
      if (revision_id) await revisions.get(workspaceId, deploymentId, revision_id);
      else await deployments.get(workspaceId, deploymentId);
      const { lines, next } = await logs.read({
        ...filter,
        deploymentId,
        revisionId: revision_id ?? undefined,
        kind: query.log_type === "BUILD" ? "build" : "deploy",
        order: query.sort_order,
        limit: query.page_size,
        cursor: query.cursor ?? undefined,
      });
      return json({ items: lines.map(shownLogLine), next_cursor: next });
    },
  );

/** Tools send levels as they were typed. */
const inCapitals = (body: unknown): unknown => {
  const level: unknown = Reflect.get(Object(body), "level");
  return typeof level === "string" ? { ...Object(body), level: level.toUpperCase() } : body;
};

const ProjectLogsBody = Type.Optional(
  Type.Object({
    order: order(),
    limit: limitField({ default: 50, maximum: 1_000 }),
    offset: optional(Type.String()),
    ...filters,
  }),
);
type ProjectLogsBody = Static<typeof ProjectLogsBody>;

const projectLogs = ({ revisions, logs }: Deps, kind: LogKind, path: string) =>
  operation(
    {
      method: "POST",
      path,
      access: controlPlane,
      bodyLimit: "process",
      tag,
      summary: `Read the ${kind === "build" ? "build" : "run-time"} log of a revision`,
      description:
        "For released command-line tools. A project is a deployment, and `level` may be in small letters.",
      params: Type.Object({ project_id: Uuid, revision_id: Uuid }),
      body: ProjectLogsBody,
      reword: inCapitals,
      answers: {
        200: { description: "The page", schema: LogPage },
        400: NO_CURSOR,
        404: gone,
      },
    },
    async ({ path: { project_id, revision_id }, body, caller }) => {
      const page = pageOf(body);
      const { id } = await revisions.get(workspaceOf(caller), project_id, revision_id);
      return json(shownPage(await logs.read({ ...page, deploymentId: project_id, revisionId: id, kind })));
    },
  );

const allProjectLogs = ({ deployments, logs }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/projects/:project_id/deploy_logs",
      access: controlPlane,
      bodyLimit: "process",
      tag,
      summary: "Read the run-time log of all revisions",
      description:
        "For released command-line tools. A project is a deployment, and `level` may be in small letters.",
      params: Type.Object({ project_id: Uuid }),
      body: ProjectLogsBody,
      reword: inCapitals,
      answers: {
        200: { description: "The page", schema: LogPage },
        400: NO_CURSOR,
        404: gone,
      },
    },
    async ({ path, body, caller }) => {
      const page = pageOf(body);
      const { id: deploymentId } = await deployments.get(workspaceOf(caller), path.project_id);
      return json(shownPage(await logs.read({ ...page, deploymentId, kind: "deploy" })));
    },
  );

/** @throws Invalid a time is none */
function pageOf(body: ProjectLogsBody | undefined) {
  return {
    ...wanted(body ?? {}, "body"),
    order: body?.order ?? ("asc" as const),
    limit: body?.limit ?? 50,
    cursor: body?.offset ?? undefined,
  };
}

const shownPage = ({ lines, next }: { lines: LogLine[]; next: string }): LogPage => ({
  logs: lines.map(shownLogLine),
  next_offset: next,
});

type Given = Filters & { level?: LogQuery["level"] | null; run_id?: string | null };

/**
 * The filters of a request.
 * @throws Invalid a time is none
 */
function wanted(given: Given, place: "query" | "body"): Pick<LogQuery, "text" | "level" | "from" | "to"> {
  return {
    // A line says which run it is about by naming it.
    text: given.query ?? given.run_id ?? undefined,
    level: given.level ?? undefined,
    from: timeOf(given.start_time, [place, "start_time"]),
    to: timeOf(given.end_time, [place, "end_time"]),
  };
}

function timeOf(text: string | null | undefined, loc: string[]): number | undefined {
  if (text === null || text === undefined) return undefined;
  const instant = instantOf(/^[\d-]{10}$/.test(text) ? `${text}T00:00Z` : text);
  if (instant !== undefined) return instant;
  throw new Invalid([
    { loc, msg: "Input should be a valid datetime", type: "datetime_parsing", input: text },
  ]);
}

type FollowDeps = Pick<ControlRoutesDeps, "deployments" | "revisions" | "logs" | "logTail">;

/** How many are read at once. */
const PAGE = 500;

/** The log of a deployment as it is written. */
export const logFollowRoutes = (deps: FollowDeps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/logs",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Logs",
      summary: "Follow the log of a deployment",
      description:
        "Server-sent events, one `line` for each line, with the line's id. The stream begins with the oldest stored line. With `since` or `Last-Event-ID`, it begins after the line with that id.",
      params: deploymentParams,
      query: Type.Object({
        type: oneOf(["build", "deploy"], { default: "deploy" }),
        revision_id: optional(Uuid),
        query: optional(
          Type.String({ description: "Part of the message; upper and lower case are the same." }),
        ),
        level: optional(oneOf(LEVELS, { "x-any-case": true })),
        since: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      }),
      headers: LAST_SEEN,
      answers: {
        200: { description: "The lines", mediaType: "text/event-stream" },
        404: "No such deployment, or revision of it",
      },
    },
    async (input) => {
      const { path, query, caller, request } = input;
      const filter = wanted({ query: query.query, level: query.level }, "query");
      const workspaceId = workspaceOf(caller);
      const { id: deploymentId } = await deps.deployments.get(workspaceId, path.deployment_id);
      const { revision_id } = query;
      const revisionId = revision_id
        ? (await deps.revisions.get(workspaceId, deploymentId, revision_id)).id
        : undefined;
      const since = lastSeen(request) ?? query.since ?? 0;
      const { admit } = callOf(request);
      const asked: Asked = { ...filter, deploymentId, revisionId, kind: query.type };
      const read = linesBehind(deps, asked);
      return sse(input, (abort) => framesOf(deps.logTail, { since, abort, admit }, read));
    },
  ),
];

type Asked = Omit<LogQuery, "order" | "limit" | "cursor">;
/** Reads a page of the lines that were asked for. */
const linesBehind =
  ({ logs }: FollowDeps, asked: Asked) =>
  async (after: number) => {
    const newest = await logs.newest();
    const { lines, next } = await logs.read({ ...asked, order: "asc", limit: PAGE, cursor: String(after) });
    const isAll = lines.length < PAGE;
    // Where few lines match, those that do not are looked through once, not at each arrival again.
    const upTo = isAll ? Math.max(Number(next), newest) : Number(next);
    return { items: lines.map((line) => ({ seq: Number(line.id), text: frameOf(line) })), upTo, isAll };
  };

const frameOf = (line: LogLine): string =>
  `id: ${line.id}\nevent: line\ndata: ${JSON.stringify(shownLogLine(line))}\n\n`;
