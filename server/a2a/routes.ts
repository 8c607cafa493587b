import type { Agent } from "@berth/agent";
import { type Assistant, BadRequest } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { talksToAssistant } from "../authorization/index.ts";
import {
  type AddressSettings,
  baseAddress,
  callOf,
  JsonRpcMessage,
  json,
  type Operation,
  operation,
  refuseA2aMessage,
} from "../http/index.ts";
import { agentCard, type CardPlace, cardSecurity, type Doors, olderCard } from "./card.ts";
import type { A2aEndpoint } from "./endpoint.ts";

type A2aDeps = Pick<Agent, "runs" | "tasks" | "project"> &
  AddressSettings & {
    access: Doors;
    version: string;
  };

const CARD = "/.well-known/agent-card.json";
const params = Type.Object({ assistant_id: Type.String() });
/** Of protocol 1.0 and of 0.3. */
const SENDING = new Set(["SendMessage", "SendStreamingMessage", "message/send", "message/stream"]);
const cardAnswers = {
  200: { description: "The card", schema: Type.Record(Type.String(), Type.Unknown()) },
  304: "The card is still the one that `If-None-Match` names",
  404: "No such assistant",
};

/** `/a2a/{assistant_id}`: every assistant an agent of the Agent2Agent protocol (`docs/a2a.md`). */
export function a2aRoutes(deps: A2aDeps): Operation[] {
  let endpoint: Promise<A2aEndpoint> | undefined;
  // The library takes longer to load than all the rest of a start, and most processes never need it.
  const load = () => import("./endpoint.ts").then(({ A2aEndpoint }) => new A2aEndpoint(deps));
  return [
    operation(
      {
        method: "POST",
        path: "/a2a/:assistant_id",
        access: agentServer(talksToAssistant),
        bodyLimit: "process",
        tag: "A2A",
        params,
        body: JsonRpcMessage,
        refuseBody: refuseA2aMessage,
        strictJson: true,
        startsRun: ({ method }) => SENDING.has(String(method)),
        summary: "Talk to an assistant as an agent",
        description:
          "JSON-RPC of the Agent2Agent protocol. The name of the method shows whether it is 1.0 or 0.3. A task is a " +
          "run, and a context is a thread.",
        answers: {
          200: "The answer or an error as JSON-RPC, or server-sent events with them",
          400: "No JSON",
          404: "No such assistant",
          415: "The body is not JSON by its content type",
        },
      },
      async ({ path, body, request, server }) => {
        const assistant = await deps.runs.assistant(path.assistant_id);
        endpoint ??= load();
        const place = placeOf(request, deps);
        const card = () => agentCard(assistant, place);
        const asksWho = place.security !== undefined;
        return (await endpoint).answer({ request, server }, { assistant, card, asksWho, body });
      },
    ),
    operation(
      {
        method: "GET",
        path: `/a2a/:assistant_id${CARD}`,
        access: agentServer(talksToAssistant),
        bodyLimit: "none",
        tag: "A2A",
        params,
        summary: "The card of an assistant",
        description: "In the form of protocol 1.0, or of 0.3 if `A2A-Version` says so.",
        answers: cardAnswers,
      },
      async ({ path, request }) => cardAnswer(request, await deps.runs.assistant(path.assistant_id), deps),
    ),
    operation(
      {
        method: "GET",
        path: CARD,
        access: agentServer(talksToAssistant),
        bodyLimit: "none",
        tag: "A2A",
        query: Type.Object({ assistant_id: Type.Optional(Type.String()) }),
        summary: "The card of an assistant, by query",
        description: "Without `assistant_id`, the answer is the card of the first graph's own assistant.",
        answers: cardAnswers,
      },
      async ({ query, request }) => {
        const wanted = query.assistant_id ?? Object.keys(deps.project.graphs)[0];
        if (wanted === undefined) throw new BadRequest("assistant_id is required");
        return cardAnswer(request, await deps.runs.assistant(wanted), deps);
      },
    ),
  ];
}

function cardAnswer(request: Request, assistant: Assistant, deps: A2aDeps): Response {
  const older = /^0\./.test(request.headers.get("a2a-version") ?? "");
  const place = placeOf(request, deps);
  const card = older ? olderCard(assistant, place) : agentCard(assistant, place);
  const etag = `"${Bun.hash(JSON.stringify(card)).toString(36)}"`;
  const headers = { etag, "cache-control": "private, max-age=60", vary: "A2A-Version" };
  if (hasAlready(request, etag)) return new Response(null, { status: 304, headers });
  return json(card, 200, headers);
}

function placeOf(request: Request, { version, access, project, ...address }: A2aDeps): CardPlace {
  const { asksForKeys, hasProjectAuth } = access;
  // Who came through it without a key needs none.
  const isBehindGateway = access.isBehindGateway && callOf(request).isNobody !== true;
  const security = cardSecurity({ asksForKeys, hasProjectAuth, isBehindGateway }, project.auth);
  return { base: baseAddress(request, address), version, security };
}

/** Whether the client has what an `ETag` names: any of a list, and weakly, as RFC 9110 §13.1.2 compares here. */
function hasAlready(request: Request, etag: string): boolean {
  const given = request.headers.get("if-none-match");
  if (given === null) return false;
  return given.trim() === "*" || given.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
}
