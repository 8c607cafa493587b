import type { Agent } from "@berth/agent";
import { Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { missingThread, threadRules } from "../authorization/index.ts";
import { type Operation, oneOf, operation, sse, Uuid, wantsSocket } from "../http/index.ts";
import { type ProtocolDeps, protocolSocket } from "./protocol.ts";

type ThreadStreamRouteDeps = ProtocolDeps & Pick<Agent, "threads" | "threadStream">;

const Mode = oneOf(["run_modes", "lifecycle", "state_update"]);
const Modes = Type.Optional(Type.Union([Mode, Type.Array(Mode)]));

/** The stream of all runs of a thread (`agent-server.md` §9); with `Upgrade`, the thread protocol's WebSocket. */
export const threadStreamRoutes = (deps: ThreadStreamRouteDeps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/threads/:thread_id/stream",
      access: agentServer(threadRules.follow),
      bodyLimit: "none",
      tag: "Threads",
      summary: "Follow all runs of a thread",
      description:
        "Stays open across runs until the client leaves or the thread is deleted. `run_modes`: the events of each run " +
        "and a `run_done`; `lifecycle`: when runs start and end; `state_update`: the state after each. With " +
        "`Last-Event-ID`, the stored events after that one (`-`: all of them); without it, events from now on. " +
        "A WebSocket here speaks the thread protocol.",
      params: Type.Object({ thread_id: Uuid }),
      query: Type.Object({ stream_mode: Modes, stream_modes: Modes }),
      answers: {
        101: "The WebSocket, when asked for",
        200: { description: "Server-sent events", mediaType: "text/event-stream" },
        404: "No such thread",
      },
    },
    async (input) => {
      const { path, query, request, server } = input;
      const threadId = path.thread_id;
      if (wantsSocket(request)) return protocolSocket(deps, "agent", { request, server, threadId });
      if (input.permit.isForeign) throw missingThread(threadId);
      await deps.threads.get(threadId);
      const asked = [query.stream_mode ?? [], query.stream_modes ?? []].flat();
      const modes = new Set<string>(asked.length > 0 ? asked : ["run_modes"]);
      const stream = await deps.threadStream(threadId, modes, request.headers.get("last-event-id"));
      return sse(input, stream);
    },
  ),
];
