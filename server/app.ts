import { type Agent, type Area, type HttpConfig, plainHttp } from "@berth/agent";
import type { Database, Feedback } from "@berth/store";
import { Elysia } from "elysia";
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
import { CustomApps, uiRoutes } from "./custom/index.ts";
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
  processBodyBudget,
  type RateLimit,
  SocketLimit,
  unmatched,
} from "./http/index.ts";
import type { RequestSpans } from "./telemetry/index.ts";
import { chatAssistantRoutes, chatStateRoutes, chatThreadRoutes, feedbackRoutes } from "./threads/index.ts";
import { type SignInDeps, type Site, signInRoutes, webRoutes } from "./web/index.ts";

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
  /** Answers whether the database can be read. */
  checkDatabase: () => Promise<void>;
  /** Whether it may go away by itself. */
  isDatabaseRemote: boolean;
  /** Begins when the process is told to end. */
  draining?: Draining | undefined;
};

/**
 * What answers, and what it answers to: for now what first requests are for. `server/later.ts` and `server/whole.ts`
 * mount the rest.
 */
export function createApp(deps: AppDeps) {
  const table = firstRoutes(deps);
  const bodies = processBodyBudget(deps.maxBodyBytes);
  const http = (deps.isFront && deps.agent.project.http) || plainHttp;
  // A host may have one letter: Elysia would look for the path of `http://a/b` behind the eleventh character.
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(unmatched())
    .use(front({ ...deps, ...frontOf(http, deps), table, bodies, sockets: new SocketLimit() }))
    .use(table.router());
  return { app, table };
}

/** Mounts operations of an area, unless the project turned that off. */
export const mounting =
  (table: OperationTable, { disabled }: HttpConfig) =>
  (area: Area, operations: Operation[]): void =>
    table.mount(disabled.has(area) ? [] : operations);

/** The Agent Server and the chat, with what says how the process does. */
function firstRoutes(deps: AppDeps): OperationTable {
  const { agent } = deps;
  const http = agent.project.http ?? plainHttp;
  const table = new OperationTable(deps);
  const requireThread = (threadId: string) => agent.threads.get(threadId);
  const admit = (request: Request) => deps.access.admit(request, table.placeOf(request).policy);
  const protocol = { commands: agent.commands, threadEvents: agent.threadEvents, admit };
  const mount = mounting(table, http);
  table.mount(systemRoutes({ ...deps, project: agent.project }).filter(staysWith(http)));
  if (!deps.isFront) return table;
  mount("assistants", assistantRoutes(agent));
  mount("threads", threadRoutes(agent));
  mount("runs", threadRunRoutes({ runs: agent.runs, requireThread }));
  mount("runs", statelessRunRoutes({ runs: agent.runs, requireThread }));
  mount("runs", bulkRunRoutes(agent));
  mount("runs", cronRoutes(agent));
  mount("threads", threadStreamRoutes({ ...agent, ...protocol }));
  mount("runs", protocolRoutes(protocol));
  mount("store", storeRoutes(agent));
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
  return table;
}

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
