import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import {
  authorOf,
  isoTime,
  json,
  type Operation,
  oneOf,
  operation,
  Uuid,
  workspaceOf,
} from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { Part, pageFields } from "./filters.ts";
import {
  FailuresPage,
  ISSUE_STATUSES,
  IssueHistoryPage,
  IssuesPage,
  IssueTracesPage,
  OccurrencesList,
  Severity,
  ShownIssue,
  ShownWholeIssue,
  shownFailure,
  shownHistoryEntry,
  shownIssue,
  shownIssueFigures,
  shownIssueTrace,
} from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "issues" | "publicUrl">;

const tag = "Issues";
const params = Type.Object({ issue_id: Uuid });
const gone = "No such issue";
const ORDERS = ["created_at", "last_seen_at", "severity", "trace_count"] as const;
const theIssue = { description: "The issue", schema: ShownIssue };

export const IssueName = Type.String({ minLength: 1, maxLength: 500, format: "unicode" });
export const IssueDescription = Type.String({ maxLength: 100_000, format: "unicode" });

/** `/v1/issues`: what keeps going wrong. */
export const issueRoutes = (deps: Deps): Operation[] => [
  listIssues(deps),
  getIssue(deps),
  patchIssue(deps),
  listIssueTraces(deps),
  listHistory(deps),
  listOccurrences(deps),
];

const listIssues = ({ issues, publicUrl }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/issues",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "List issues",
      description:
        "Newest first by default. With `order`: the most severe, the most frequent, or the last seen first. With `trend`, each issue says how many of its traces began in each of the last 48 hours or 30 days.",
      query: Type.Object({
        session_id: Type.Optional(Uuid),
        trace_id: Type.Optional(Uuid),
        status: Type.Optional(oneOf(ISSUE_STATUSES)),
        severity: Type.Optional(Severity),
        muted: Type.Optional(Type.Boolean()),
        order: oneOf(ORDERS, { default: "created_at" }),
        trend: Type.Optional(oneOf(["hour", "day"])),
        ...pageFields,
      }),
      answers: { 200: { description: "The page", schema: IssuesPage } },
    },
    async ({ query: { session_id, trace_id, order, trend, limit, offset, ...filters }, caller }) => {
      const filter = { sessionId: session_id, traceId: trace_id, ...filters };
      const found = await issues.list(workspaceOf(caller), filter, { limit, offset, order });
      const ids = found.map(({ id }) => id);
      const trends = trend && (await issues.trends(ids, trend));
      const resources = found.map((issue) => ({
        ...shownIssue(issue, publicUrl()),
        ...(trends && { trend: trends.get(issue.id)?.map(({ traces }) => traces) }),
      }));
      return json({ resources, offset: offset + found.length });
    },
  );

const getIssue = ({ issues, publicUrl }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/issues/:issue_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Get an issue",
      description: "`figures` are the present ones, even if a person or a model wrote the text.",
      params,
      answers: { 200: { description: "The issue", schema: ShownWholeIssue }, 404: gone },
    },
    async ({ path, caller }) => {
      const workspaceId = workspaceOf(caller);
      const issue = await issues.get(workspaceId, path.issue_id);
      const figures = await issues.figures(workspaceId, path.issue_id);
      return json({ ...shownIssue(issue, publicUrl()), figures: shownIssueFigures(figures, publicUrl()) });
    },
  );

const patchIssue = ({ issues, publicUrl }: Deps) =>
  operation(
    {
      method: "PATCH",
      path: "/v1/issues/:issue_id",
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: "Change what an issue says",
      description: "After that, the engine no longer changes these fields.",
      params,
      body: Type.Object({
        name: Type.Optional(IssueName),
        description: Type.Optional(IssueDescription),
        severity: Type.Optional(Severity),
      }),
      answers: { 200: theIssue, 404: gone, 409: "The issue was merged into another one" },
    },
    async ({ path, body: { name, description, severity }, caller }) => {
      const change = { name, description, severity };
      const changed = await issues.patch(workspaceOf(caller), path.issue_id, change, authorOf(caller));
      return json(shownIssue(changed, publicUrl()));
    },
  );

const listIssueTraces = ({ issues }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/issues/:issue_id/traces",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "List the traces that show an issue",
      description: "A link may outlive its trace: Berth removes old traces.",
      params,
      query: Type.Object(pageFields),
      answers: { 200: { description: "The page, newest first", schema: IssueTracesPage }, 404: gone },
    },
    async ({ path, query: { limit, offset }, caller }) => {
      const found = await issues.traces(workspaceOf(caller), path.issue_id, { limit, offset });
      return json({ resources: found.map(shownIssueTrace), offset: offset + found.length });
    },
  );

const listHistory = ({ issues }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/issues/:issue_id/history",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "List the history of an issue",
      description:
        "Newest first: opened, closed, came back after it was fixed (`regressed`), opened again by a person, merged, split, muted, judged, worded.",
      params,
      query: Type.Object(pageFields),
      answers: { 200: { description: "The page, newest first", schema: IssueHistoryPage }, 404: gone },
    },
    async ({ path, query: { limit, offset }, caller }) => {
      const found = await issues.history(workspaceOf(caller), path.issue_id, { limit, offset });
      return json({ resources: found.map(shownHistoryEntry), offset: offset + found.length });
    },
  );

const listOccurrences = ({ issues }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/issues/:issue_id/occurrences",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Count how often an issue occurred",
      description:
        "In each of the last 48 hours, or of the last 30 days (UTC). With `by=revision`, Berth looks at the newest 10,000 runs of the project. For each revision of the deployment it says how many of its `runs` show the issue, and when the first of these began.",
      params,
      query: Type.Object({ by: oneOf(["hour", "day", "revision"], { default: "hour" }) }),
      answers: { 200: { description: "The counts", schema: OccurrencesList }, 404: gone },
    },
    async ({ path, query, caller }) => {
      const workspaceId = workspaceOf(caller);
      const counts =
        query.by === "revision"
          ? await issues.byRevision(workspaceId, path.issue_id)
          : await issues.occurrences(workspaceId, path.issue_id, query.by);
      return json({ resources: counts.map(({ at, ...count }) => ({ at: isoTime(at), ...count })) });
    },
  );

/** `/v1/failures`: what was seen too rarely for an issue. */
export const failureRoutes = (deps: Deps): Operation[] => [listFailures(deps)];

const listFailures = ({ issues }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/failures",
      access: issueApi,
      bodyLimit: "none",
      tag: "Issues",
      summary: "List failures that are in no issue yet",
      description:
        "Failures that Berth has seen once or twice, grouped like issues, last seen first. When enough runs show the same failure, it becomes an issue. `q` is part of the message, the reason, the type of the error, the node or the tool; upper and lower case are the same. Berth looks at the newest 10,000 findings, 5,000 failed runs and 5,000 timed-out runs.",
      query: Type.Object({
        session_id: Type.Optional(Uuid),
        q: Type.Optional(Part),
        ...pageFields,
      }),
      answers: { 200: { description: "The page, and how many there are", schema: FailuresPage } },
    },
    async ({ query: { session_id: sessionId, q, limit, offset }, caller }) => {
      const search = { sessionId, q, limit, offset };
      const { rows, total, ...runs } = await issues.waiting(workspaceOf(caller), search);
      return json({
        resources: rows.map(shownFailure),
        offset: offset + rows.length,
        total,
        failed_runs: runs.failedRuns,
        failed_runs_without_issue: runs.failedRunsWithoutIssue,
      });
    },
  );
