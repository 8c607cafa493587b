import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import { authorOf, empty, json, type Operation, operation, Uuid, workspaceOf } from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { Part, pageFields } from "./filters.ts";
import { SessionsPage, ShownSession, shownSession } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "sessions" | "servedProject" | "publicUrl">;

const tag = "Tracing projects";
const params = Type.Object({ session_id: Uuid });
const gone = "No such tracing project";

/** `/v1/sessions`: tracing projects, one for each deployment and one for the project that is served here. */
export const sessionRoutes = (deps: Deps): Operation[] => [
  listSessions(deps),
  getSession(deps),
  deleteSession(deps),
];

const listSessions = ({ sessions, servedProject, publicUrl }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/sessions",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "List tracing projects",
      query: Type.Object({
        name: Type.Optional(Part),
        name_contains: Type.Optional(Part),
        deployment_id: Type.Optional(Uuid),
        served: Type.Optional(
          Type.Boolean({
            description: "With `true`, only the tracing project of the project that Berth serves itself.",
          }),
        ),
        ...pageFields,
      }),
      answers: { 200: { description: "The page, newest first", schema: SessionsPage } },
    },
    async ({ query: { name, name_contains, deployment_id, served, limit, offset }, caller }) => {
      const filter = { name, nameContains: name_contains, deploymentId: deployment_id };
      // No two of a workspace have the same name, so this finds that one or nothing.
      const narrowed = served && name === undefined ? { ...filter, name: servedProject ?? "" } : filter;
      const found = await sessions.list(workspaceOf(caller), narrowed, { limit, offset });
      const shown = found.map((session) => shownSession(session, publicUrl(), servedProject));
      const resources = served ? shown.filter((session) => session.served) : shown;
      return json({ resources, offset: offset + found.length });
    },
  );

const getSession = ({ sessions, servedProject, publicUrl }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/sessions/:session_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Get a tracing project",
      params,
      answers: { 200: { description: "The tracing project", schema: ShownSession }, 404: gone },
    },
    async ({ path, caller }) =>
      json(
        shownSession(await sessions.get(workspaceOf(caller), path.session_id), publicUrl(), servedProject),
      ),
  );

const deleteSession = ({ sessions }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v1/sessions/:session_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Delete a tracing project",
      description:
        "With its traces and issues. When runs leave traces again, Berth creates a new project with this name.",
      params,
      answers: { 204: "Deleted", 404: gone },
    },
    async ({ path, caller }) => {
      await sessions.delete(workspaceOf(caller), path.session_id, authorOf(caller));
      return empty();
    },
  );
