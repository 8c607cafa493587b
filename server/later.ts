import { plainHttp } from "@berth/agent";
import { a2aRoutes } from "./a2a/index.ts";
import { consolePage, consoleTwin } from "./access/index.ts";
import { type AppDeps, mounting } from "./app.ts";
import { docsRoutes } from "./docs/index.ts";
import type { Operation, OperationTable } from "./http/index.ts";
import { type IssueRoutesDeps, issueApiRoutes } from "./issues/index.ts";
import { mcpRoutes } from "./mcp/index.ts";
import { consoleRoutes, linkRoutes, signInRoutes } from "./web/index.ts";

export { createIssueArea } from "./issues/index.ts";

type LaterDeps = AppDeps & {
  table: OperationTable;
  /** Where traces are searched, and issues and webhooks are managed here. */
  issues?: IssueRoutesDeps | undefined;
};

/** Mounts what no first request is for, at a process that serves already. */
export function mountLater(deps: LaterDeps): void {
  const { agent, table, issues } = deps;
  const http = agent.project.http ?? plainHttp;
  const mount = mounting(table, http);
  mount("meta", [deps.metrics.route()]);
  if (!deps.isFront) return;
  mount("meta", documentation(deps, 0));
  mount("mcp", mcpRoutes({ ...agent, ...deps }));
  mount("a2a", a2aRoutes({ ...agent, ...deps }));
  if (issues) mountIssues(table, { ...deps, issues, withFiles: http.disabled.has("meta") });
}

/** @param level how far below the page's files it is mounted */
export function documentation({ agent, table, site, publicUrl }: LaterDeps, level: number): Operation[] {
  const [graph = "agent"] = Object.keys(agent.project.graphs);
  return docsRoutes({ table, graph, site, level, publicUrl, security: agent.project.auth?.declared });
}

/** Where issues are managed, with the console. */
function mountIssues(
  table: OperationTable,
  deps: AppDeps & { issues: IssueRoutesDeps; withFiles: boolean },
): void {
  const routes = issueApiRoutes(deps.issues);
  table.mount(routes);
  table.mount(routes, { prefix: "/api-host" });
  table.mount(consoleRoutes(deps.site, deps.withFiles));
  table.mount(linkRoutes());
  table.mount(linkRoutes(consoleTwin), { prefix: "/api-host" });
  table.mount(keySignIn(deps), { prefix: "/console", policyOf: () => consolePage });
}

/** Where keys count, of whatever workspace, also when the project's own agents have another sign-in. */
export const keySignIn = ({ signIn, access }: Pick<AppDeps, "signIn" | "access">): Operation[] =>
  signInRoutes({ ...signIn, access: access.forDeployments() });
