import type { Agent } from "@berth/agent";
import type { Feedback } from "@berth/store";
import { Elysia } from "elysia";
import { a2aRoutes } from "./a2a/routes.ts";
import { assistantRoutes } from "./agent/assistants.ts";
import { bulkRunRoutes } from "./agent/bulk-runs.ts";
import { cronRoutes } from "./agent/crons.ts";
import { appProtocolRoutes, protocolRoutes } from "./agent/protocol.ts";
import { statelessRunRoutes, threadRunRoutes } from "./agent/runs.ts";
import { storeRoutes } from "./agent/store.ts";
import { systemRoutes } from "./agent/system.ts";
import { threadStreamRoutes } from "./agent/thread-stream.ts";
import { threadRoutes } from "./agent/threads.ts";
import { docsRoutes } from "./docs/routes.ts";
import type { Access } from "./http/access.ts";
import type { Cors } from "./http/cors.ts";
import { front } from "./http/front.ts";
import type { Metrics } from "./http/metrics.ts";
import { OperationTable } from "./http/operation-table.ts";
import { unmatched } from "./http/unmatched.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { feedbackRoutes } from "./threads/feedback.ts";
import { chatStateRoutes } from "./threads/state.ts";
import { chatThreadRoutes } from "./threads/threads.ts";
import { webRoutes } from "./web/routes.ts";
import { type SignInDeps, signInRoutes } from "./web/sign-in.ts";
import type { Site } from "./web/site.ts";

export type AppDeps = {
  agent: Agent;
  access: Access;
  cors: Cors;
  signIn: SignInDeps;
  site: Site;
  feedback: Feedback;
  metrics: Metrics;
  version: string;
  maxBodyBytes: number;
  /** Where others reach this server, as it was set. */
  publicUrl: string | null;
  /** Answers whether the database can be read. */
  checkDatabase: () => Promise<void>;
};

/** Every route of a process, in one screen. */
export function createApp(deps: AppDeps) {
  const { agent, version } = deps;
  const graphs = Object.keys(agent.project.graphs);
  const table = new OperationTable({ maxBodyBytes: deps.maxBodyBytes });
  const requireThread = (threadId: string) => agent.threads.get(threadId);
  const admit = (request: Request) => deps.access.admit(request, new URL(request.url).pathname);
  const protocol = { commands: agent.commands, threadEvents: agent.threadEvents, admit };
  return new Elysia()
    .use(unmatched(table))
    .use(front(deps))
    .use(table.mount(systemRoutes({ ...deps, project: agent.project })))
    .use(table.mount([deps.metrics.route()]))
    .use(table.mount(docsRoutes({ table, version, graph: graphs[0] ?? "agent" })))
    .use(table.mount(assistantRoutes(agent)))
    .use(table.mount(threadRoutes(agent)))
    .use(table.mount(threadRunRoutes({ runs: agent.runs, requireThread })))
    .use(table.mount(statelessRunRoutes({ runs: agent.runs, requireThread })))
    .use(table.mount(bulkRunRoutes(agent)))
    .use(table.mount(cronRoutes(agent)))
    .use(table.mount(threadStreamRoutes({ ...agent, ...protocol })))
    .use(table.mount(protocolRoutes(protocol)))
    .use(table.mount(storeRoutes(agent)))
    .use(table.mount(mcpRoutes({ ...agent, ...deps })))
    .use(table.mount(a2aRoutes({ ...agent, ...deps })))
    .use(table.mount(chatThreadRoutes(agent)))
    .use(table.mount(chatStateRoutes(agent)))
    .use(table.mount(appProtocolRoutes(protocol)))
    .use(table.mount(feedbackRoutes({ feedback: deps.feedback, requireThread })))
    .use(table.mount(signInRoutes(deps.signIn)))
    .use(table.mount(webRoutes(deps.site)));
}
