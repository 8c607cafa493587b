import { formatSSEEvent } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { RequestMalformedError, VersionNotSupportedError } from "@a2a-js/sdk/errors";
import { JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { Agent } from "@berth/agent";
import type { Assistant } from "@berth/store";
import { requestConfigurable } from "../agent/index.ts";
import { type Connection, callOf, json, sse, waitJson } from "../http/index.ts";
import { historyScopeOf } from "./history-scope.ts";
import { isValues } from "./parts.ts";
import { besideMessage, faultOf, isEnvelope } from "./request-check.ts";
import { type HandlerDeps, InternalFault, TaskHandler } from "./task-handler.ts";

type Values = Record<string, unknown>;
type Envelope = { jsonrpc: string; id: string | number | null; result?: unknown; error?: unknown };
type Reader = { request: Request; server: Connection | null };

type A2aEndpointDeps = Pick<Agent, "runs" | "tasks" | "project">;
type A2aCall = { assistant: Assistant; card: () => unknown; asksWho: boolean; body: Values };

const VERSIONS = new Set(["", "0.3", "1.0"]);
const INTERNAL = -32_603;
/** Of protocol 1.0; those of 0.3 have a slash in their names. */
const METHODS = new Set([
  "SendMessage",
  "SendStreamingMessage",
  "GetTask",
  "ListTasks",
  "CancelTask",
  "SubscribeToTask",
  "CreateTaskPushNotificationConfig",
  "GetTaskPushNotificationConfig",
  "ListTaskPushNotificationConfigs",
  "DeleteTaskPushNotificationConfig",
  "GetExtendedAgentCard",
]);
/** Their answer waits for the end of a run. */
const WAITING = new Set(["SendMessage", "message/send"]);
const STREAMING = new Set(["SendStreamingMessage", "message/stream"]);

/** Serves assistants to other agents over JSON-RPC, protocol 1.0 and 0.3: the names of their methods differ. */
export class A2aEndpoint {
  /** By assistant and version, of which it follows. */
  readonly #takesMessages = new Map<string, boolean>();

  constructor(private readonly deps: A2aEndpointDeps) {}

  async answer(reader: Reader, call: A2aCall): Promise<Response> {
    const { request } = reader;
    const { body } = call;
    if (!isEnvelope(body)) return json(refused(body.id, -32_600, "Invalid JSON-RPC Request."));
    const method = String(body.method);
    if (/^[A-Z]/.test(method) && !METHODS.has(method))
      return json(refused(body.id, -32_601, `Method not found: ${method.slice(0, 200)}`));
    const wire = /^[A-Z]/.test(method) ? JsonRpcTransportHandler : LegacyJsonRpcTransportHandler;
    const failure = (error: unknown) => failed(wire, body, error);
    const version = minor(request.headers.get("a2a-version") ?? "");
    if (!VERSIONS.has(version))
      return json(failure(new VersionNotSupportedError(`A2A ${version} is not supported`)));
    const streams = STREAMING.has(method);
    const { params } = body;
    const scope = historyScopeOf(params, request.headers);
    const fault = faultOf({ params, scope, sends: WAITING.has(method) || streams, streams });
    if (fault || !scope) return json(failure(new RequestMalformedError(fault)));
    const gone = new AbortController();
    const handler = new wire(this.#handler(request, call, { gone: gone.signal, historyScope: scope }));
    const handled = handler
      .handle(waitedFor(body), new ServerCallContext({ requestedVersion: version }))
      .then((answer) => ("next" in answer ? answer : honest(answer)));
    // A run may take its time: a newline now and then keeps the connection, and JSON allows it in front.
    if (WAITING.has(method))
      return waitJson(
        reader,
        handled.then((answer) => JSON.stringify(answer)),
        { onClose: () => gone.abort() },
      );
    const answer = await handled;
    if (!("next" in answer)) return json(answer);
    return this.#stream(reader, answer, { gone, failure, early: method !== "tasks/resubscribe" });
  }

  /** A stream that fails before its first event is answered as JSON where the protocol has it so. */
  async #stream(
    reader: Reader,
    events: AsyncGenerator<Envelope, void, undefined>,
    {
      gone,
      failure,
      early,
    }: { gone: AbortController; failure: (error: unknown) => Envelope; early: boolean },
  ): Promise<Response> {
    const caught = (error: unknown) => ({ done: true as const, value: undefined, error });
    const first = await events.next().catch(caught);
    if ("error" in first && early) return json(failure(first.error));
    async function* texts(): AsyncGenerator<string> {
      try {
        if ("error" in first) throw first.error;
        if (!first.done) yield formatSSEEvent(first.value);
        for await (const event of events) yield formatSSEEvent(event);
      } catch (error) {
        yield formatSSEEvent(failure(error));
      }
    }
    return sse(reader, (left) => {
      left.addEventListener("abort", () => gone.abort(), { once: true });
      return texts();
    });
  }

  #handler(
    request: Request,
    { assistant, card, asksWho, body }: A2aCall,
    more: Pick<HandlerDeps, "gone" | "historyScope">,
  ): TaskHandler {
    const headers = requestConfigurable(request);
    const guard = callOf(request).caller?.guard;
    const takesMessages = () => this.#hasMessages(assistant);
    const beside = besideMessage(body.params);
    return new TaskHandler({
      ...this.deps,
      assistant,
      card,
      asksWho,
      headers,
      guard,
      takesMessages,
      beside,
      ...more,
    });
  }

  async #hasMessages({ assistant_id, version, graph_id, config, context }: Assistant): Promise<boolean> {
    const key = `${assistant_id} ${version}`;
    const known = this.#takesMessages.get(key);
    if (known !== undefined) return known;
    const { input_schema } = await this.deps.project.schemas(graph_id, { ...config, context });
    const takes = isValues(input_schema.properties) && "messages" in input_schema.properties;
    if (this.#takesMessages.size >= 1_000) this.#takesMessages.clear();
    this.#takesMessages.set(key, takes);
    return takes;
  }
}

/** Versions are compared without their patch. */
const minor = (version: string) => version.trim().replace(/^(\d+\.\d+)\..*$/, "$1");

/**
 * The body with what protocol 0.3 means where it says nothing: a message is waited for. The library takes a
 * configuration that does not speak of it for a wish not to wait.
 */
function waitedFor(body: Values): Values {
  const { method, params } = body;
  if (method !== "message/send" || !isValues(params) || !isValues(params.configuration)) return body;
  const { blocking, ...configuration } = params.configuration;
  return { ...body, params: { ...params, configuration: { ...configuration, blocking: blocking ?? true } } };
}

/** What the library could not read is the caller's; what we could not do has been logged and says no more. */
function honest(answer: Envelope): Envelope {
  const { error } = answer;
  if (!isValues(error) || error.code !== INTERNAL || error.message === new InternalFault().message)
    return answer;
  return { ...answer, error: { code: -32_602, message: "Invalid method parameters" } };
}

function failed(
  wire: typeof JsonRpcTransportHandler | typeof LegacyJsonRpcTransportHandler,
  { id }: Values,
  error: unknown,
): Envelope {
  const mapped =
    wire === LegacyJsonRpcTransportHandler
      ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
      : JsonRpcTransportHandler.mapToJSONRPCError(error);
  return refused(id, mapped.code, mapped.message, mapped);
}

/** An error as an answer. */
function refused(id: unknown, code: number, message: string, more: object = {}): Envelope {
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  return { jsonrpc: "2.0", id: known, error: { ...more, code, message } };
}
