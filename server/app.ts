import { type Agent, type Area, type HttpConfig, plainHttp } from "@berth/agent";
import type { Feedback } from "@berth/store";
import { Elysia } from "elysia";
import { a2aRoutes } from "./a2a/routes.ts";
import { assistantRoutes } from "./agent/assistants.ts";
import { bulkRunRoutes } from "./agent/bulk-runs.ts";
import { claimRoutes } from "./agent/claim.ts";
import { headerRule } from "./agent/configurable-headers.ts";
import { cronRoutes } from "./agent/crons.ts";
import { appProtocolRoutes, protocolRoutes } from "./agent/protocol.ts";
import { statelessRunRoutes, threadRunRoutes } from "./agent/runs.ts";
import { storeRoutes } from "./agent/store.ts";
import { systemRoutes } from "./agent/system.ts";
import { threadStreamRoutes } from "./agent/thread-stream.ts";
import { threadRoutes } from "./agent/threads.ts";
import { type TruncateDeps, truncateRoutes } from "./agent/truncate.ts";
import { type Gateway, gatewayRoutes } from "./control/gateway/index.ts";
import { CustomApps } from "./custom/custom-apps.ts";
import { uiRoutes } from "./custom/ui-routes.ts";
import { docsRoutes } from "./docs/routes.ts";
import type { Access } from "./http/access.ts";
import type { ClientAddress } from "./http/client-address.ts";
import type { Cors } from "./http/cors.ts";
import type { Draining } from "./http/draining.ts";
import { front } from "./http/front.ts";
import type { GatewayToken } from "./http/gateway-token.ts";
import type { Metrics } from "./http/metrics.ts";
import type { Operation } from "./http/operation.ts";
import { OperationTable } from "./http/operation-table.ts";
import { pathnameOf } from "./http/pathname.ts";
import type { RateLimit } from "./http/rate-limit.ts";
import { unmatched } from "./http/unmatched.ts";
import { type IssueRoutesDeps, issueApiRoutes } from "./issues/index.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import type { RequestSpans } from "./telemetry/index.ts";
import { chatAssistantRoutes } from "./threads/assistants.ts";
import { feedbackRoutes } from "./threads/feedback.ts";
import { chatStateRoutes } from "./threads/state.ts";
import { chatThreadRoutes } from "./threads/threads.ts";
import { linkRoutes } from "./web/links.ts";
import { consoleRoutes, webRoutes } from "./web/routes.ts";
import { type SignInDeps, signInRoutes } from "./web/sign-in.ts";
import type { Site } from "./web/site.ts";

export type AppDeps = {
  agent: Agent;
  /** Every path answers behind it, too. */
  prefix: string;
  access: Access;
  cors: Cors;
  clients?: ClientAddress | undefined;
  /** In a deployed process: what the gateway has to bring. */
  gateway?: GatewayToken | undefined;
  signIn: SignInDeps;
  site: Site;
  feedback: Feedback;
  rateLimit: RateLimit | undefined;
  metrics: Metrics;
  /** Makes spans of requests, where a collector wants them. */
  requests?: RequestSpans | undefined;
  /** Only where clients are tested. */
  truncate?: TruncateDeps["truncate"] | undefined;
  version: string;
  /** Of the sources; null where nobody knows. */
  commit: () => string | null;
  maxBodyBytes: number;
  /** Where others reach this server, as it was set. */
  publicUrl: string | null;
  /** Where deployments are made here. */
  control?: { gateway: Gateway; routes: Operation[]; langsmith: Operation[] } | undefined;
  /** Where traces are searched, and issues and webhooks are managed here. */
  issues?: IssueRoutesDeps | undefined;
  /** Where a whole Berth is looked after. */
  operations?: Operation[] | undefined;
  /** Answers whether the database can be read. */
  checkDatabase: () => Promise<void>;
  /** Begins when the process is told to end. */
  draining?: Draining | undefined;
};

/** Every route of a process, in one screen. */
export function createApp(deps: AppDeps) {
  const { agent } = deps;
  const graphs = Object.keys(agent.project.graphs);
  const http = agent.project.http ?? plainHttp;
  const { prefix, control, issues } = deps;
  const issueApi = issues ? issueApiRoutes(issues) : [];
  const table = new OperationTable(deps);
  const requireThread = (threadId: string) => agent.threads.get(threadId);
  const admit = (request: Request) => deps.access.admit(request, pathnameOf(request.url, prefix));
  const protocol = { commands: agent.commands, threadEvents: agent.threadEvents, admit };
  const mount = (area: Area, operations: Operation[]) =>
    table.mount(http.disabled.has(area) ? [] : operations);
  const graph = graphs[0] ?? "agent";
  const security = agent.project.auth?.declared;
  const docs = docsRoutes({ table, graph, publicUrl: deps.publicUrl, security });
  // A key of any workspace is good there: it describes their deployments' API, too.
  const sharedDocs = control && !http.disabled.has("meta") ? docs : [];
  // A host may have one letter: Elysia would look for the path of `http://a/b` behind the eleventh character.
  return new Elysia({ handler: { standardHostname: false } })
    .use(unmatched(table))
    .use(
      front({
        ...deps,
        ...frontOf(http, deps),
        hasRoute: (pathname) => table.methodsAt(pathname).length > 0,
      }),
    )
    .use(table.mount(systemRoutes({ ...deps, project: agent.project }).filter(staysWith(http))))
    .use(mount("meta", [deps.metrics.route()]))
    .use(mount("meta", docs))
    .use(mount("assistants", assistantRoutes(agent)))
    .use(mount("threads", threadRoutes(agent)))
    .use(mount("runs", threadRunRoutes({ runs: agent.runs, requireThread })))
    .use(mount("runs", statelessRunRoutes({ runs: agent.runs, requireThread })))
    .use(mount("runs", bulkRunRoutes(agent)))
    .use(mount("runs", cronRoutes(agent)))
    .use(mount("threads", threadStreamRoutes({ ...agent, ...protocol })))
    .use(mount("runs", protocolRoutes(protocol)))
    .use(mount("store", storeRoutes(agent)))
    .use(mount("mcp", mcpRoutes({ ...agent, ...deps })))
    .use(mount("a2a", a2aRoutes({ ...agent, ...deps })))
    .use(mount("assistants", chatAssistantRoutes(agent)))
    .use(mount("threads", chatThreadRoutes(agent)))
    .use(mount("threads", chatStateRoutes(agent)))
    .use(mount("runs", appProtocolRoutes(protocol)))
    .use(mount("threads", feedbackRoutes({ feedback: deps.feedback, requireThread })))
    .use(mount("ui", uiRoutes({ ...deps, ui: agent.project.ui })))
    .use(table.mount(deps.gateway ? claimRoutes(agent) : []))
    .use(table.mount(deps.truncate ? truncateRoutes({ truncate: deps.truncate }) : []))
    .use(table.mount(signInRoutes(deps.signIn)))
    .use(mount("meta", webRoutes(deps.site)))
    .use(table.mount(control?.routes ?? []))
    .use(table.mount(control?.langsmith ?? []))
    .use(table.mount(control?.routes ?? [], "/api-host"))
    .use(table.mount(sharedDocs, "/api-host"))
    .use(table.mount(deps.operations ?? []))
    .use(table.mount(issueApi))
    .use(table.mount(issueApi, "/api-host"))
    .use(table.mount(issues ? consoleRoutes(deps.site, http.disabled.has("meta")) : []))
    .use(table.mount(issues ? linkRoutes() : []))
    .use(table.mount(issues ? linkRoutes() : [], "/api-host"))
    .use(table.mount(issues ? keySignIn(deps) : [], "/console"))
    .use(control ? gatewayRoutes({ ...deps, ...control, pages: pagesOfDeployments(deps, docs) }) : []);
}

/** What has our sign-in under a deployment's address: the chat, and the page that explains the API. */
function pagesOfDeployments({ site, signIn, access }: AppDeps, docs: Operation[]): Operation[] {
  return [
    ...webRoutes(site),
    ...keySignIn({ signIn, access }),
    ...docs.filter(({ spec }) => spec.path.startsWith("/docs")),
  ];
}

/** Where keys count, of whatever workspace, also when the project's own agents have another sign-in. */
const keySignIn = ({ signIn, access }: Pick<AppDeps, "signIn" | "access">): Operation[] =>
  signInRoutes({ ...signIn, access: access.forDeployments() });

/** Whoever turns off what the server says of itself can still be asked whether it lives. */
const staysWith =
  ({ disabled }: HttpConfig) =>
  ({ spec }: Operation) =>
    spec.path === "/ok" || !disabled.has("meta");

function frontOf(
  { app, mounted, appFirst, appGuarded, configurableHeaders }: HttpConfig,
  { maxBodyBytes }: Pick<AppDeps, "maxBodyBytes">,
) {
  return {
    custom: new CustomApps({ app, mounted }, { first: appFirst, guarded: appGuarded, maxBodyBytes }),
    ...(configurableHeaders && { headerRule: headerRule(configurableHeaders) }),
  };
}
