import type { Agent } from "@berth/agent";
import { type Database, Denied } from "@berth/store";
import { agentServer } from "../access/index.ts";
import { asksItself } from "../authorization/index.ts";
import {
  type Cors,
  callOf,
  JsonRpcMessage,
  type Operation,
  operation,
  refuseMessage,
  type StreamReader,
  sse,
} from "../http/index.ts";
import type { McpEndpoint } from "./endpoint.ts";

type McpDeps = Pick<Agent, "assistants" | "project" | "runs"> & {
  cors: Cors;
  access: { readonly asksForKeys: boolean };
  version: string;
  others: Pick<Database, "tell" | "onForeign">;
};

const policy = agentServer(asksItself);

/** `/mcp`: every assistant a tool of the Model Context Protocol (`docs/mcp.md`). */
export function mcpRoutes(deps: McpDeps): Operation[] {
  let endpoint: Promise<McpEndpoint> | undefined;
  // The library takes longer to load than all the rest of a start, and most processes never need it.
  const load = () => import("./endpoint.ts").then(({ createEndpoint }) => createEndpoint(deps));
  return [
    operation(
      {
        method: "POST",
        path: "/mcp",
        access: policy,
        bodyLimit: "process",
        tag: "MCP",
        body: JsonRpcMessage,
        refuseBody: refuseMessage,
        startsRun: ({ method }) => method === "tools/call",
        summary: "Call assistants as tools",
        description:
          "The Model Context Protocol over streamable HTTP, without sessions. Each request has one JSON-RPC " +
          "message. Berth speaks revision 2026-07-28, and those up to 2025-11-25. `Accept` has to name " +
          "`application/json` and `text/event-stream`.",
        answers: {
          200: "The answer, as JSON or as server-sent events",
          202: "Berth has accepted the notification",
          400: "The body is not JSON-RPC, or breaks a rule of the protocol's revision",
          406: "`Accept` does not name both content types",
          415: "The body is not `application/json`",
        },
      },
      async ({ body, request, server }) => {
        if (isForeign(request, deps)) throw new Denied("This origin may not call this server");
        // A tool may be silent for longer than Bun keeps a quiet connection.
        server?.timeout(request, 0);
        endpoint ??= load();
        return asOurs(await (await endpoint)(takingBoth(request), body), { request, server });
      },
    ),
  ];
}

/** Whether a page that may not read our answers calls: the protocol wants it turned away, key or not. */
function isForeign(request: Request, { cors, access }: McpDeps): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || /^https?:\/\/(.+)$/i.exec(origin)?.[1] === request.headers.get("host")) return false;
  const headers = cors.headersFor(origin, policy, access.asksForKeys);
  return headers["access-control-allow-origin"] === undefined;
}

/** Who takes anything takes both kinds of answer, which the library wants to see named. The body has been read. */
function takingBoth(request: Request): Request {
  const accept = request.headers.get("accept");
  if (accept !== null && accept !== "" && !accept.includes("*/*")) return request;
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  const same = new Request(request.url, { method: "POST", headers, signal: request.signal });
  Object.assign(callOf(same), callOf(request));
  return same;
}

/**
 * The library's answer, its events as one of our streams: with a heartbeat from the beginning. Of a stream without a
 * byte Bun has not sent all headers, and a cut would look as an end.
 */
function asOurs(answer: Response, reader: StreamReader): Response {
  const { body, headers } = answer;
  if (!body || headers.get("content-type")?.startsWith("text/event-stream") !== true) return answer;
  return sse(reader, (gone) => textsOf(body, gone), { headers: Object.fromEntries(headers) });
}

async function* textsOf(body: ReadableStream<Uint8Array>, gone: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  gone.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}
