import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import {
  json,
  type Operation,
  oneOf,
  operation,
  optional,
  Uuid,
  waitJson,
  workspaceOf,
} from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { pageFields } from "./filters.ts";
import { ENGINE_RUN_STATUSES, EngineRunsPage, ShownEngineRun, shownEngineRun } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "engineRuns" | "scan" | "sessions">;

const tag = "Issue engine";

/** `/v1/engine`: the scans that find issues. */
export const engineRoutes = (deps: Deps): Operation[] => [
  listEngineRuns(deps),
  getEngineRun(deps),
  scanNow(deps),
];

const listEngineRuns = ({ engineRuns }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/engine/runs",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "List scans",
      query: Type.Object({
        session_id: Type.Optional(Uuid),
        status: Type.Optional(oneOf(ENGINE_RUN_STATUSES)),
        ...pageFields,
      }),
      answers: { 200: { description: "The page, newest first", schema: EngineRunsPage } },
    },
    async ({ query: { session_id, status, limit, offset }, caller }) => {
      const filter = { sessionId: session_id, status };
      const found = await engineRuns.list(workspaceOf(caller), filter, { limit, offset });
      return json({ resources: found.map(shownEngineRun), offset: offset + found.length });
    },
  );

const getEngineRun = ({ engineRuns }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/engine/runs/:engine_run_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Get a scan",
      params: Type.Object({ engine_run_id: Uuid }),
      answers: { 200: { description: "The scan", schema: ShownEngineRun }, 404: "No such scan" },
    },
    async ({ path, caller }) =>
      json(shownEngineRun(await engineRuns.get(workspaceOf(caller), path.engine_run_id))),
  );

const scanNow = ({ scan, sessions }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/engine/scan",
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: "Scan now",
      description:
        "Berth looks at all new traces of one tracing project, or of all projects, and answers when it is done. The answer also lists failed scans.",
      body: Type.Optional(Type.Object({ session_id: optional(Uuid) })),
      answers: {
        200: { description: "The scans", schema: EngineRunsPage },
        404: "No such tracing project",
      },
    },
    async ({ body, caller, request, server }) => {
      const workspaceId = workspaceOf(caller);
      const sessionId = body?.session_id?.toLowerCase();
      if (sessionId !== undefined) await sessions.get(workspaceId, sessionId);
      const runs = scan({ workspaceId, ...(sessionId !== undefined && { sessionId }) });
      const text = runs.then((done) =>
        JSON.stringify({ resources: done.map(shownEngineRun), offset: done.length }),
      );
      return waitJson({ request, server }, text);
    },
  );
