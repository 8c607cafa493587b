import { type Agent, type Area, type HttpConfig, plainHttp } from "@berth/agent";
import type { Database, Feedback } from "@berth/store";
import { Elysia } from "elysia";
import { a2aRoutes } from "./a2a/index.ts";
import { consolePage, consoleTwin, sharedDocumentation, sharedDocumentationPage } from "./access/index.ts";
import {
  appProtocolRoutes,
  assistantRoutes,
  bulkRunRoutes,
  claimRoutes,
  cronRoutes,
  headerRule,
  protocolRoutes,
  restRoutes,
  statelessRunRoutes,
  storeRoutes,
  systemRoutes,
  type TruncateDeps,
  threadRoutes,
  threadRunRoutes,
  threadStreamRoutes,
  truncateRoutes,
} from "./agent/index.ts";
import { type Gateway, gatewayRoutes } from "./control/index.ts";
import { CustomApps, uiRoutes } from "./custom/index.ts";
import { docsPages, docsRoutes } from "./docs/index.ts";
import { front, type LastRequest } from "./front/index.ts";
import {
  type Access,
  type ClientAddress,
  type Cors,
  type Draining,
  type GatewayToken,
  type Hops,
  type Metrics,
  type Operation,
  OperationTable,
  type RateLimit,
  unmatched,
} from "./http/index.ts";
import { type IssueRoutesDeps, issueApiRoutes } from "./issues/index.ts";
import { mcpRoutes } from "./mcp/index.ts";
import type { RequestSpans } from "./telemetry/index.ts";
import { chatAssistantRoutes, chatStateRoutes, chatThreadRoutes, feedbackRoutes } from "./threads/index.ts";
import {
  chatDocuments,
  chatFiles,
  consoleRoutes,
  linkRoutes,
  type SignInDeps,
  type Site,
  signInRoutes,
  webRoutes,
} from "./web/index.ts";

export type AppDeps = {
  /** False where it only says how it does: others answer in its place. */
  isFront: boolean;
  agent: Agent;
  /** The other processes of the database. */
  others: Pick<Database, "tell" | "onForeign">;
  /** Every path answers behind it, too. */
  prefix: string;
  access: Access;
  cors: Cors;
  clients?: ClientAddress | undefined;
  /** In a deployed process: what the gateway has to bring. */
  gateway?: GatewayToken | undefined;
  /** What other Berths of the database prove, where they pass requests on. */
  hops?: Hops | undefined;
  /** When somebody last asked for something. */
  lastRequest: LastRequest;
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
  control?:
    | { gateway: Gateway; routes: Operation[]; registry: Operation[]; langsmith: Operation[] }
    | undefined;
  /** Where traces are searched, and issues and webhooks are managed here. */
  issues?: IssueRoutesDeps | undefined;
  /** Where a whole Berth is looked after. */
  operations?: Operation[] | undefined;
  /** Answers whether the database can be read. */
  checkDatabase: () => Promise<void>;
  /** Whether it may go away by itself. */
  isDatabaseRemote: boolean;
  /** Begins when the process is told to end. */
  draining?: Draining | undefined;
};

/** What answers, and what it answers to. */
export function createApp(deps: AppDeps) {
  const table = everyRoute(deps);
  const http = (deps.isFront && deps.agent.project.http) || plainHttp;
  // A host may have one letter: Elysia would look for the path of `http://a/b` behind the eleventh character.
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(unmatched())
    .use(front({ ...deps, ...frontOf(http, deps), table }))
    .use(table.router());
  return { app, table };
}

/** Every route of a process, in one screen. */
function everyRoute(deps: AppDeps): OperationTable {
  const { agent } = deps;
  const http = agent.project.http ?? plainHttp;
  const { control, issues } = deps;
  const table = new OperationTable(deps);
  const requireThread = (threadId: string) => agent.threads.get(threadId);
  const admit = (request: Request) => deps.access.admit(request, table.placeOf(request).policy);
  const protocol = { commands: agent.commands, threadEvents: agent.threadEvents, admit };
  const mount = (area: Area, operations: Operation[]) =>
    table.mount(http.disabled.has(area) ? [] : operations);
  const [graph = "agent"] = Object.keys(agent.project.graphs);
  const security = agent.project.auth?.declared;
  const docs = (level: number) =>
    docsRoutes({ table, graph, site: deps.site, level, publicUrl: deps.publicUrl, security });
  const system = systemRoutes({ ...deps, project: agent.project }).filter(staysWith(http));
  // The registry also where it is no front: the engine beside it pulls from there.
  table.mount([...system, ...(control?.registry ?? [])]);
  mount("meta", [deps.metrics.route()]);
  if (!deps.isFront) return table;
  mount("meta", docs(0));
  mount("assistants", assistantRoutes(agent));
  mount("threads", threadRoutes(agent));
  mount("runs", threadRunRoutes({ runs: agent.runs, requireThread }));
  mount("runs", statelessRunRoutes({ runs: agent.runs, requireThread }));
  mount("runs", bulkRunRoutes(agent));
  mount("runs", cronRoutes(agent));
  mount("threads", threadStreamRoutes({ ...agent, ...protocol }));
  mount("runs", protocolRoutes(protocol));
  mount("store", storeRoutes(agent));
  mount("mcp", mcpRoutes({ ...agent, ...deps }));
  mount("a2a", a2aRoutes({ ...agent, ...deps }));
  mount("assistants", chatAssistantRoutes(agent));
  mount("threads", chatThreadRoutes(agent));
  mount("threads", chatStateRoutes(agent));
  mount("runs", appProtocolRoutes(protocol));
  mount("threads", feedbackRoutes({ feedback: deps.feedback, requireThread }));
  mount("ui", uiRoutes({ ...deps, ui: agent.project.ui }));
  const betweenBerths = () => [
    ...claimRoutes(agent),
    ...restRoutes({ rest: agent.rest, lastRequest: deps.lastRequest }),
  ];
  table.mount(deps.gateway ? betweenBerths() : [], { isExact: true });
  table.mount(deps.truncate ? truncateRoutes({ truncate: deps.truncate }) : []);
  table.mount(signInRoutes(deps.signIn));
  mount("meta", webRoutes(deps.site));
  if (control) mountControl(table, { ...deps, control, docs: http.disabled.has("meta") ? [] : docs(1) });
  table.mount(deps.operations ?? []);
  if (issues) mountIssues(table, { ...deps, issues, withFiles: http.disabled.has("meta") });
  return table;
}

type Control = NonNullable<AppDeps["control"]>;

/** Where deployments are made; also under the address that clients of LangGraph Platform have. */
function mountControl(table: OperationTable, deps: AppDeps & { control: Control; docs: Operation[] }): void {
  const { control, docs, site } = deps;
  table.mount(control.routes);
  table.mount(control.langsmith);
  table.mount(control.routes, { prefix: "/api-host" });
  // A key of any workspace is good there: it describes their deployments' API, too.
  table.mount(docs, { prefix: "/api-host", policyOf: sharedDocs });
  const pages = {
    documents: chatDocuments(site),
    files: chatFiles(site),
    signIn: keySignIn(deps),
    docs: docsPages(site),
  };
  table.mount(gatewayRoutes({ ...deps, ...control, pages }), { isExact: true });
}

const sharedDocs = ({ spec }: Operation) =>
  spec.access.signIn ? sharedDocumentationPage : sharedDocumentation;

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
const keySignIn = ({ signIn, access }: Pick<AppDeps, "signIn" | "access">): Operation[] =>
  signInRoutes({ ...signIn, access: access.forDeployments() });

/** Whoever turns off what the server says of itself can still be asked whether it lives. */
const staysWith =
  ({ disabled }: HttpConfig) =>
  ({ spec }: Operation) =>
    spec.access.asks === "nobody" || !disabled.has("meta");

function frontOf(
  { app, mounted, appFirst, appGuarded, configurableHeaders }: HttpConfig,
  { maxBodyBytes }: Pick<AppDeps, "maxBodyBytes">,
) {
  return {
    custom: new CustomApps({ app, mounted }, { first: appFirst, guarded: appGuarded, maxBodyBytes }),
    ...(configurableHeaders && { headerRule: headerRule(configurableHeaders) }),
  };
}
