import type { Project } from "@berth/agent";
import { Type } from "@sinclair/typebox";
import { json } from "../http/answer.ts";
import { type Operation, operation } from "../http/operation.ts";
import { Health, ServerInfo } from "./schemas.ts";
import { welcomePage } from "./welcome-page.ts";

export type SystemRoutesDeps = {
  project: Pick<Project, "graphs" | "langgraph">;
  /** Of Berth. */
  version: string;
  /** Where clients reach this process; asked for at each call, since the port may be known late. */
  publicUrl: () => string;
  /** Rejects when the database cannot be read. */
  checkDatabase: () => Promise<void>;
};

const tag = "System";

/** What a client may count on; Studio reads it. */
const flags = { assistants: true, crons: false, langsmith: false, langsmith_tracing_replicas: true };

/** `/ok`, `/info` and the page at `/` (`agent-server.md` §14). */
export const systemRoutes = (deps: SystemRoutesDeps): Operation[] => [
  health(deps),
  info(deps),
  welcome(deps),
];

const health = ({ checkDatabase }: SystemRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/ok",
      tag,
      summary: "Health",
      description:
        "Whether the process answers, and with `check_db` whether its database does. Needs no key.",
      query: Type.Object({ check_db: Type.Boolean({ default: false }) }),
      answers: { 200: { description: "It does", schema: Health }, 500: "The database does not answer" },
    },
    async ({ query }) => {
      if (query.check_db) await checkDatabase();
      return json({ ok: true });
    },
  );

const info = ({ project, version }: SystemRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/info",
      tag,
      summary: "Version and capabilities",
      answers: { 200: { description: "What this server is", schema: ServerInfo } },
    },
    () =>
      json({ version, langgraph_js_version: project.langgraph.version, context: "js", flags, metadata: {} }),
  );

const welcome = ({ project, version, publicUrl }: SystemRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/",
      tag,
      summary: "Addresses of this server",
      answers: { 200: { description: "The page", mediaType: "text/html" } },
    },
    () => {
      const page = welcomePage({ publicUrl: publicUrl(), version, graphs: Object.keys(project.graphs) });
      return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
    },
  );
