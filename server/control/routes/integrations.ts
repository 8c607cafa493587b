import { BadRequest, Unavailable } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { controlPlane, withSomeKey } from "../../access/index.ts";
import {
  answerText,
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
        "Deployments that name it continue to run. Their next build fails, because it has no token.",
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
      description: "At most 1,000: those with the latest pushes.",
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

type Repository = { id: number; name: string; owner: string; url: string; default_branch: string };

const PAGE = 100;
const MOST_PAGES = 10;
const LIMIT_MS = 10_000;
/** Maximum size of one page: GitHub sends less than 1 MB for 100 repositories. */
const MAX_PAGE_BYTES = 8_388_608;

// Only what is passed on (docs.github.com/rest/repos/repos, "List repositories for the authenticated user").
const Listed = Type.Array(
  Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    owner: Type.Object({ login: Type.String() }),
    html_url: Type.String(),
    default_branch: Type.String(),
  }),
);
const listed = TypeCompiler.Compile(Listed);

type Asked = { apiUrl: string; token: string; signal: AbortSignal };

/**
 * The repositories that a personal token opens, those that were pushed to last in front.
 * @throws BadRequest GitHub does not take the token
 * @throws Unavailable GitHub does not answer as it should
 */
async function repositoriesOf(asked: Asked): Promise<Repository[]> {
  const found: Repository[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const repositories = await pageOf(asked, page);
    for (const { id, name, owner, html_url, default_branch } of repositories)
      found.push({ id, name, owner: owner.login, url: html_url, default_branch });
    if (repositories.length < PAGE) break;
  }
  return found;
}

async function pageOf({ apiUrl, token, signal }: Asked, page: number): Promise<Static<typeof Listed>> {
  const response = await fetch(`${apiUrl}/user/repos?sort=pushed&per_page=${PAGE}&page=${page}`, {
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "berth",
    },
    // A token must not follow to another host.
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
  }).catch((cause: unknown) => {
    throw new Unavailable("GitHub does not answer", { cause });
  });
  if (!response.ok) await response.body?.cancel().catch(() => undefined);
  if (response.status === 401 || response.status === 403)
    throw new BadRequest(
      `GitHub does not accept the token of this integration (${response.status}): add an integration with a new token`,
    );
  const repositories = response.ok ? await readPage(response).catch(() => undefined) : undefined;
  if (!listed.Check(repositories))
    throw new Unavailable(`GitHub answered with an unexpected status (${response.status}): try again later`);
  return repositories;
}

/** @throws TypeError, SyntaxError */
async function readPage(response: Response): Promise<unknown> {
  const text = await answerText(response, MAX_PAGE_BYTES);
  if (text === undefined) throw new TypeError(`The page has more than ${MAX_PAGE_BYTES} bytes`);
  return JSON.parse(text);
}
