import {
  type CommandContext,
  type Commands,
  encode,
  errorReply,
  type FrameText,
  frameTexts,
  later,
  ownerView,
  Params,
  PermittedEvents,
  ProtocolError,
  readSubscription,
  seqOfEventId,
  type ThreadEvent,
  type ThreadEvents,
} from "@berth/agent";
import type { Invalid } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { agentServer, chat, type Policy } from "../access/index.ts";
import {
  asksItself,
  commandPermit,
  type PermitRule,
  ThreadSight,
  threadRules,
} from "../authorization/index.ts";
import {
  becomeSocket,
  type Caller,
  callOf,
  Dictionary,
  json,
  jsonText,
  nullable,
  type Operation,
  operation,
  sse,
  Uuid,
} from "../http/index.ts";
import { requestConfigurable } from "./configurable-headers.ts";
import { ProtocolSocket } from "./protocol-socket.ts";

export type ProtocolDeps = {
  commands: Commands;
  threadEvents: ThreadEvents;
  /** Throws for a caller who may not be here. */
  admit: (request: Request) => Caller | null | Promise<Caller | null>;
};

/** Where a door of the protocol is: which paths, and whose rules. */
type Door = {
  base: "/threads" | "/api/threads";
  tag: string;
  door: CommandContext["door"];
  policy: (rule: PermitRule) => Policy;
};

const AGENT: Door = { base: "/threads", tag: "Thread Protocol", door: "agent", policy: agentServer };
const APP: Door = { base: "/api/threads", tag: "Chat", door: "app", policy: chat };

const params = Type.Object({ thread_id: Uuid });
const offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The thread protocol of the Agent Server; the socket on `/stream` shares its path with the older stream. */
export const protocolRoutes = (deps: ProtocolDeps): Operation[] => [
  postCommand(deps, AGENT),
  openStream(deps, AGENT, "stream"),
  openStream(deps, AGENT, "stream/events"),
  openSocket(deps, AGENT, "stream/events"),
];

/** The same of the thread app, whose clients need not know an assistant. */
export const appProtocolRoutes = (deps: ProtocolDeps): Operation[] => [
  postCommand(deps, APP),
  openStream(deps, APP, "stream"),
  openStream(deps, APP, "stream/events"),
  openSocket(deps, APP, "stream"),
  openSocket(deps, APP, "stream/events"),
];

/** Those behind which a run begins. */
const STARTING = new Set(["run.start", "input.respond", "input.inject", "state.fork"]);

const Reply = Type.Object(
  {
    type: Type.Union([Type.Literal("success"), Type.Literal("error")]),
    id: nullable(offset),
    result: Type.Optional(Dictionary),
    error: Type.Optional(Type.String({ description: "The code of a failure." })),
    message: Type.Optional(Type.String()),
    meta: Type.Optional(Dictionary),
  },
  { title: "CommandReply" },
);

const postCommand = ({ commands }: ProtocolDeps, { base, tag, door, policy }: Door) =>
  operation(
    {
      method: "POST",
      path: `${base}/:thread_id/commands`,
      access: policy(asksItself),
      bodyLimit: "process",
      startsRun: ({ method }) => STARTING.has(String(method)),
      tag,
      summary: "Carry out a command on a thread",
      description:
        "`run.start`, `input.respond`, `state.get` and the other commands of the thread protocol. A command that " +
        "fails also gets 200, with an error in the body. `run.start` creates the thread.",
      params,
      body: Type.Object(
        {
          id: offset,
          method: Type.String({ minLength: 1 }),
          params: Type.Optional(nullable(Dictionary)),
        },
        { title: "Command" },
      ),
      refuseBody,
      answers: {
        200: { description: "The reply", schema: Reply },
        400: { description: "No command", schema: Reply },
      },
    },
    async ({ path, body, request }) => {
      const reply = await commands.handle(path.thread_id, body, contextOf(request, door));
      return jsonText(encode(reply), reply.id === null ? 400 : 200);
    },
  );

const openStream = ({ threadEvents, admit }: ProtocolDeps, { base, tag, policy }: Door, at: string) =>
  operation(
    {
      method: "POST",
      path: `${base}/:thread_id/${at}`,
      access: policy(threadRules.follow),
      bodyLimit: "process",
      tag,
      summary: "Stream the events of a thread",
      description:
        "First the stored events after `since` (or after `Last-Event-ID`, if that is later), then new events. The " +
        "stream ends only when somebody deletes the thread. If the thread does not exist yet, the stream waits for it.",
      params,
      body: Type.Object(
        {
          channels: Type.Array(Type.String(), { minItems: 1 }),
          namespaces: Type.Optional(nullable(Type.Array(Type.Array(Type.String())))),
          depth: Type.Optional(nullable(offset)),
          since: Type.Optional(nullable(offset)),
        },
        { title: "EventStreamRequest" },
      ),
      refuseBody,
      answers: {
        200: { description: "Server-sent events", mediaType: "text/event-stream" },
        400: { description: "No such request", schema: Reply },
      },
    },
    async (input) => {
      const asked = subscriptionOf(input.body);
      if (asked instanceof ProtocolError) return refused(asked.message);
      const seen = input.request.headers.get("last-event-id");
      const since = later(asked.since, seen === null ? undefined : seqOfEventId(seen));
      const { thread_id } = input.path;
      const guard = input.caller?.guard;
      const sight = new ThreadSight(thread_id);
      const events = guard ? new PermittedEvents(threadEvents, () => sight.isOpenTo(guard)) : threadEvents;
      const view = viewOf(input.request);
      const sender = new Request(input.request.url, { headers: input.request.headers });
      return sse(
        input,
        (signal) =>
          frames(events.follow(thread_id, { filter: asked.filter, since, signal, view }), () =>
            readmit(admit, sender, sight),
          ),
        { headers: { "cache-control": "no-cache, no-transform" } },
      );
    },
  );

function subscriptionOf(body: Record<string, unknown>) {
  try {
    return readSubscription(new Params(body));
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
}

/** Whoever may no longer be here is sent nothing more: looked at before events go out, at most so often. */
const ADMIT_AGAIN_MS = 30_000;

/** Throws for whoever may not be here any more, or may no longer see the thread that it saw before. */
async function readmit(admit: ProtocolDeps["admit"], sender: Request, sight: ThreadSight): Promise<void> {
  const caller = await admit(sender);
  await sight.isOpenTo(caller?.guard);
}

async function* frames(
  batches: AsyncIterable<{ events: ThreadEvent[] }>,
  admit: () => unknown,
): AsyncGenerator<FrameText> {
  let admitted = performance.now();
  for await (const { events } of batches) {
    if (performance.now() - admitted > ADMIT_AGAIN_MS) {
      await admit();
      admitted = performance.now();
    }
    yield* frameTexts(events.map(frameOf));
  }
}

const frameOf = (event: ThreadEvent) => ({
  id: event.event_id,
  name: event.method,
  json: event.json,
  of: event,
});

const openSocket = (deps: ProtocolDeps, door: Door, at: string) =>
  operation(
    {
      method: "GET",
      path: `${door.base}/:thread_id/${at}`,
      access: door.policy(threadRules.follow),
      bodyLimit: "none",
      tag: door.tag,
      summary: "Use the thread protocol over a WebSocket",
      description:
        "The client sends commands; Berth sends replies and the subscribed events. Every frame is one JSON object.",
      params,
      answers: { 101: "The WebSocket", 426: "The request does not ask for a WebSocket" },
    },
    ({ path, request, server }) =>
      protocolSocket(deps, door.door, { request, server, threadId: path.thread_id }),
  );

/** The official Python client by its name; its sockets only tell whose library they are. */
const PYTHON = /^(?:langgraph-sdk-py\/|Python\/\S+ websockets\/)/;

const viewOf = (request: Request) =>
  PYTHON.test(request.headers.get("user-agent") ?? "") ? ownerView : undefined;

/** What a command is told of the request that brought it. */
function contextOf(request: Request, door: CommandContext["door"]): CommandContext {
  const guard = callOf(request).caller?.guard;
  const permit = guard && commandPermit(guard);
  return { door, headers: requestConfigurable(request), permit, view: viewOf(request) };
}

type Arrival = { request: Request; server: Parameters<typeof becomeSocket>[0]["server"]; threadId: string };

/** Makes a request into a session of the protocol. */
export function protocolSocket(
  { commands, admit }: ProtocolDeps,
  door: CommandContext["door"],
  { request, server, threadId }: Arrival,
): Response {
  // The request itself is gone once it is a socket; who sent it is in its headers.
  const sender = new Request(request.url, { headers: request.headers });
  const sight = new ThreadSight(threadId);
  const guard = callOf(request).caller?.guard;
  const mayRead = guard && (() => sight.isOpenTo(guard));
  const context = { ...contextOf(request, door), mayRead };
  const end = new ProtocolSocket({
    open: (wire) => commands.session(threadId, context, wire),
    admit: () => readmit(admit, sender, sight),
  });
  return becomeSocket({ request, server }, end);
}

const refuseBody = (invalid: Invalid) => refused(invalid.message);

/** In the protocol's own words, and in those of the rest of the server. */
function refused(message: string): Response {
  const reply = errorReply(null, new ProtocolError("invalid_argument", message));
  return json({ ...reply, detail: message }, 400);
}
