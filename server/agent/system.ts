import type { Agent, ServedProject } from "@berth/agent";
import { NotFound, type Truncated } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { byGatewayToken, forTests, liveness, serverInfo } from "../access/index.ts";
import { anybody } from "../authorization/index.ts";
import {
  CLAIM_PATH,
  type Draining,
  json,
  type Operation,
  OWN_AUTH_HEADER,
  operation,
  REST_PATH,
} from "../http/index.ts";
import { ShownHealth, ShownServer } from "./wire/index.ts";

type SystemRoutesDeps = {
  project: Pick<ServedProject, "langgraph" | "python" | "auth">;
  /** Set in a deployed process. */
  gateway?: object | undefined;
  /** Of Berth. */
  version: string;
  /** Of its sources; null where nobody knows. */
  commit: () => string | null;
  /** Rejects when the database cannot be read, or nothing can be written where it is. */
  checkDatabase: () => Promise<void>;
  /** Whether it may go away by itself: then it is always asked. */
  isDatabaseRemote?: boolean;
  draining?: Draining | undefined;
};

const tag = "System";

/** What a client may count on; Studio reads it. */
const flags = {
  assistants: true,
  crons: true,
  langsmith: false,
  langsmith_tracing_replicas: true,
  mcp: true,
  a2a: true,
};

/** `/ok` and `/info` (`agent-server.md` §14). */
export const systemRoutes = (deps: SystemRoutesDeps): Operation[] => [health(deps), info(deps)];

const health = ({ checkDatabase, isDatabaseRemote = false, draining, gateway, project }: SystemRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/ok",
      access: liveness,
      bodyLimit: "none",
      tag,
      summary: "Health",
      description:
        "Whether the process answers and accepts runs. With `check_db`, or if the database is on a server: also whether the database answers, and whether there is room to write. Needs no key.",
      query: Type.Object({ check_db: Type.Boolean({ default: false }) }),
      answers: {
        200: { description: "It does", schema: ShownHealth },
        500: "The database does not answer",
        503: "The server is stopping, cannot reach its database, or with `check_db` cannot write; `detail` says which",
      },
    },
    async ({ query }) => {
      draining?.refuse();
      if (query.check_db || isDatabaseRemote) await checkDatabase();
      const isOwn = gateway !== undefined && project.auth !== undefined;
      return json({ ok: true }, 200, isOwn ? { [OWN_AUTH_HEADER]: "1" } : {});
    },
  );

const info = ({ project, version, commit }: SystemRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/info",
      access: serverInfo(anybody),
      bodyLimit: "none",
      tag,
      summary: "Version and capabilities",
      answers: { 200: { description: "Version and capabilities", schema: ShownServer } },
    },
    () => {
      const langgraph_js_version = project.langgraph.version;
      const python = project.python && { langgraph_py_version: project.python.langgraph };
      const versions = { langgraph_js_version, ...python };
      return json({ version, commit: commit(), ...versions, context: "js", flags, metadata: {} });
    },
  );

/**
 * Tells a deployed process whether to take up runs: while two revisions share a database, one of them does. There
 * only where the gateway's token is asked for.
 */
export const claimRoutes = ({ claim }: Pick<Agent, "claim">): Operation[] => [
  operation(
    {
      method: "POST",
      path: CLAIM_PATH,
      access: byGatewayToken,
      bodyLimit: "process",
      tag: "System",
      summary: "Take up runs, or leave them to another process",
      body: Type.Object({ claim: Type.Boolean() }),
      answers: { 200: "It does" },
      unlisted: true,
    },
    async ({ body, request }) => {
      refusePassedOn(request);
      await claim(body.claim);
      return json({ claiming: body.claim });
    },
  ),
];

/** What the gateway passes on is a caller's, whoever that is, and not Berth's. @throws NotFound */
function refusePassedOn({ headers }: Request): void {
  if (headers.has("x-forwarded-for")) throw new NotFound("Not Found");
}

type RestDeps = Pick<Agent, "rest"> & { lastRequest: { at: number; agoMs: number } };

/** Tells the Berth that deployed this process whether it may sleep. There only where the gateway's token is asked for. */
export const restRoutes = ({ rest, lastRequest }: RestDeps): Operation[] => [
  operation(
    {
      method: "GET",
      path: REST_PATH,
      access: byGatewayToken,
      bodyLimit: "none",
      tag: "System",
      summary: "Say what is to be done next",
      answers: { 200: "What is" },
      unlisted: true,
    },
    async ({ request }) => {
      refusePassedOn(request);
      return json({ ...(await rest()), last_request_at: lastRequest.at, idle_ms: lastRequest.agoMs });
    },
  ),
];

export type TruncateDeps = {
  /** Stops what runs and empties tables. */
  truncate: (wanted: Truncated[]) => Promise<void>;
};

const wish = Type.Optional(Type.Boolean({ default: false }));

/** Empties the database, for tests of clients: there only where `BERTH_TEST` is 1. */
export const truncateRoutes = ({ truncate }: TruncateDeps): Operation[] => [
  operation(
    {
      method: "POST",
      path: "/internal/truncate",
      access: forTests,
      bodyLimit: "process",
      tag: "System",
      summary: "Forget everything of a kind",
      body: Type.Object({ runs: wish, threads: wish, assistants: wish, checkpointer: wish, store: wish }),
      answers: { 200: "It is gone" },
      unlisted: true,
    },
    async ({ body }) => {
      const kinds: Truncated[] = ["runs", "threads", "assistants", "checkpointer", "store"];
      await truncate(kinds.filter((kind) => body[kind] === true));
      return json({ ok: true });
    },
  ),
];
