import { Type } from "@sinclair/typebox";
import { controlPlane, withSomeKey } from "../../access/index.ts";
import {
  authorOf,
  empty,
  json,
  type Operation,
  operation,
  SECRET_FIELD,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import { ShownIntegration, ShownRepository, shownIntegration } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";
import { repositoriesOf } from "./github.ts";

type Deps = Pick<ControlRoutesDeps, "integrations" | "settings">;

const tag = "Integrations";
const gone = "No such integration";
const params = Type.Object({ integration_id: Uuid });

/** Access to repositories at GitHub by a personal token; the two lists also at their `forge` addresses. */
export const integrationRoutes = (deps: Deps): Operation[] => [
  listIntegrations(deps, "/v1/integrations/github/install"),
  listIntegrations(deps, "/v1/integrations/forge/github/install"),
  createIntegration(deps),
  deleteIntegration(deps),
  listRepositories(deps, "/v1/integrations/github/:integration_id/repos"),
  listRepositories(deps, "/v1/integrations/forge/github/:integration_id/repos"),
];

const listIntegrations = ({ integrations }: Deps, path: string) =>
  operation(
    {
      method: "GET",
      path,
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "List integrations with GitHub",
      answers: { 200: { description: "All of them", schema: Type.Array(ShownIntegration) } },
    },
    async ({ caller }) => json((await integrations.list(workspaceOf(caller))).map(shownIntegration)),
  );

const createIntegration = ({ integrations }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/integrations/github",
      access: withSomeKey("Adding an integration"),
      bodyLimit: "process",
      tag,
      summary: "Add a personal token of GitHub",
      description:
        "Berth stores it encrypted and never shows it. Name the integration in `source_config.integration_id`.",
      body: Type.Object({
        name: Type.String({ minLength: 1, maxLength: 100, format: "unicode" }),
        // What can be in a header and in no shell.
        token: Type.String({ minLength: 1, maxLength: 1_000, pattern: "^[!-~]+$", ...SECRET_FIELD }),
      }),
      answers: { 201: { description: "The integration", schema: ShownIntegration } },
    },
    async ({ body: { name, token }, caller }) => {
      return json(shownIntegration(await integrations.create(workspaceOf(caller), { name, token })), 201);
    },
  );

const deleteIntegration = ({ integrations }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v1/integrations/github/:integration_id",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Remove a personal token of GitHub",
      description:
        "Deployments that name it continue with what they have; their next build fails, because it has no token.",
      params,
      answers: { 204: "Removed", 404: gone },
    },
    async ({ path, caller }) => {
      await integrations.delete(workspaceOf(caller), path.integration_id, authorOf(caller));
      return empty();
    },
  );

const listRepositories = ({ integrations, settings }: Deps, path: string) =>
  operation(
    {
      method: "GET",
      path,
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "List the repositories of an integration",
      description: "Berth asks GitHub for at most 1,000 of them, those with the latest pushes.",
      params,
      answers: {
        200: { description: "The repositories", schema: Type.Array(ShownRepository) },
        400: "GitHub does not accept the token",
        404: gone,
        503: "GitHub does not answer",
      },
    },
    async ({ path, caller, request }) => {
      const token = await integrations.tokenOf(workspaceOf(caller), path.integration_id);
      const found = await repositoriesOf({ apiUrl: settings.githubApiUrl, token, signal: request.signal });
      return json(found.map((repository) => ({ host_integration_id: path.integration_id, ...repository })));
    },
  );
