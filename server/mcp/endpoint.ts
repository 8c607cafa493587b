import { createHash } from "node:crypto";
import type { Agent } from "@berth/agent";
import type { Database } from "@berth/store";
import {
  createMcpHandler,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { requestConfigurable } from "../agent/index.ts";
import { callOf } from "../http/index.ts";
import { logger } from "../log/index.ts";
import { callTool } from "./tool-call.ts";
import { Tools } from "./tools.ts";

type McpEndpointDeps = Pick<Agent, "assistants" | "project" | "runs"> & {
  version: string;
  /** The other processes of the database: a cancellation may come to another one than its call. */
  others: Others;
};

type Others = Pick<Database, "tell" | "onForeign">;

/** A request whose body has been read. */
export type McpEndpoint = (request: Request, body: unknown) => Promise<Response>;

const log = logger("mcp");

/** Serves assistants as tools, on the wires of both eras, without sessions: every request stands for itself. */
export function createEndpoint(deps: McpEndpointDeps): McpEndpoint {
  const shared = { deps, tools: new Tools(deps), open: new OpenCalls(deps.others) };
  const handler = createMcpHandler((context) => createServer(shared, context), {
    onerror: (error) => log.debug("refused", { error }),
  });
  return (request, body) => handler.fetch(request, { parsedBody: withArguments(body) });
}

/** A call with null for its arguments has none: bad arguments are for the tool to tell of, and this is not even that. */
function withArguments(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.params) || body.params.arguments !== null) return body;
  const { arguments: _, ...params } = body.params;
  return { ...body, params };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

type Shared = { deps: McpEndpointDeps; tools: Tools; open: OpenCalls };

function createServer({ deps, tools, open }: Shared, { requestInfo }: McpRequestContext): Server {
  const server = new Server(
    { name: "berth", title: "Berth", version: deps.version },
    { capabilities: { tools: {} } },
  );
  const caller = callerOf(requestInfo);
  const guard = requestInfo && callOf(requestInfo).caller?.guard;
  server.setRequestHandler("tools/list", async () => ({ tools: await tools.list(guard) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { name, arguments: args = {} } = params;
    const assistant = await tools.find(name, guard);
    if (!assistant) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    const headers = requestInfo ? requestConfigurable(requestInfo) : {};
    const tell = teller(mcpReq);
    return open
      .during({ caller, id: mcpReq.id, signal: mcpReq.signal }, (signal) =>
        callTool(deps.runs, { assistant, args, headers, guard, signal, tell }),
      )
      .catch((error) => {
        log.error("call failed", { tool: name, error });
        throw new ProtocolError(ProtocolErrorCode.InternalError, "Internal error");
      });
  });
  server.setNotificationHandler("notifications/cancelled", ({ params }) => {
    if (params.requestId !== undefined) open.cancel(caller, params.requestId);
  });
  return server;
}

/** Who calls, as far as one can be told from another without a session. */
function callerOf(request: Request | undefined): string {
  if (!request) return "";
  const { keyId, guard } = callOf(request).caller ?? {};
  return `${keyId ?? guard?.user.identity ?? ""} ${request.headers.get("user-agent") ?? ""}`;
}

function teller({ _meta, notify }: ServerContext["mcpReq"]) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress: { progress: number }) =>
    notify({ method: "notifications/progress", params: { progressToken, ...progress } });
}

/**
 * Calls under way on the older wire, on which a cancellation comes as a request of its own. Without sessions the
 * caller and the call's id have to do: where two calls have both, nothing is cancelled. A call that is not here may be
 * another process's, which is told.
 */
class OpenCalls {
  readonly #calls = new Map<string, Set<AbortController>>();

  constructor(private readonly others: Others) {
    others.onForeign((changed) => {
      if (changed !== "anything") for (const name of changed) this.#cancel(name);
    });
  }

  /** Runs `work` with a signal that aborts when `signal` does or when the call is cancelled. */
  async during<T>(
    call: { caller: string; id: string | number; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(call.caller, call.id);
    const controller = new AbortController();
    const open = this.#calls.get(key) ?? new Set();
    this.#calls.set(key, open.add(controller));
    try {
      return await work(AbortSignal.any([call.signal, controller.signal]));
    } finally {
      open.delete(controller);
      if (open.size === 0) this.#calls.delete(key);
    }
  }

  cancel(caller: string, id: string | number): void {
    const key = keyOf(caller, id);
    if (this.#calls.has(key)) this.#cancel(key);
    else this.others.tell([key]);
  }

  #cancel(key: string): void {
    const [call, ...more] = this.#calls.get(key) ?? [];
    if (more.length === 0) call?.abort();
  }
}

/** Also what others are told: who calls is not said aloud. */
function keyOf(caller: string, id: string | number): string {
  const hash = createHash("sha256").update(JSON.stringify([caller, id]));
  return `mcp-call:${hash.digest("base64url")}`;
}
