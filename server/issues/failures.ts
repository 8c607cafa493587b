import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import { json, type Operation, operation, Uuid, workspaceOf } from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { Part, pageFields } from "./filters.ts";
import { FailuresPage, shownFailure } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "issues">;

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
        "Failures that were seen once or twice, last seen first, grouped like issues; when enough runs show one, it becomes an issue. `q` is part of the message, the reason, the type of the error, the node or the tool, in any case. If there are very many, Berth looks at the newest 10,000 findings, 5,000 failed runs and 5,000 timed-out runs.",
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
