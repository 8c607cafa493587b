import { Fault } from "@berth/store";
import type { Call, CommandContext, CommandDeps } from "./deps.ts";
import { readEnvelope } from "./envelope.ts";
import { inputInject, inputRespond } from "./input.ts";
import { type CommandReply, errorReply, type Outcome, ProtocolError } from "./reply.ts";
import { runStart, stateFork } from "./run-start.ts";
import { stateGet, stateListCheckpoints } from "./state.ts";
import { filterOfSubscription, readSubscription, subscriptionId } from "./subscription.ts";
import { agentGetTree } from "./tree.ts";
import { Turns } from "./turns.ts";

type Command = (deps: CommandDeps, call: Call) => Outcome | Promise<Outcome>;

/** Every command of the protocol (`streaming-protocol.md` §2.3). */
const COMMANDS = new Map<string, Command>(
  Object.entries({
    "run.start": runStart,
    "input.respond": inputRespond,
    "input.inject": inputInject,
    "state.get": stateGet,
    "state.listCheckpoints": stateListCheckpoints,
    "state.fork": stateFork,
    "agent.getTree": agentGetTree,
    "subscription.subscribe": subscribe,
    "subscription.unsubscribe": unsubscribe,
    "subscription.reconnect": reconnect,
  }),
);

/** Carries out commands on threads, whichever way they came in. */
export class Commands {
  readonly #deps: CommandDeps;

  constructor(deps: Omit<CommandDeps, "turns">) {
    this.#deps = { ...deps, turns: new Turns() };
  }

  /**
   * The reply to a command; one whose `id` is null was no command. Whatever a caller can do wrong is a reply
   * too: a rejection is a fault of ours, and then no run was created.
   */
  handle(threadId: string, envelope: unknown, context: CommandContext): Promise<CommandReply> {
    return replyTo(envelope, async ({ method, params }) => {
      const command = COMMANDS.get(method);
      if (!command) {
        throw new ProtocolError("unknown_command", `Unsupported command: ${method.slice(0, 200)}`);
      }
      return command(this.#deps, { threadId, params, context });
    });
  }
}

/** Reads a command, has it carried out, and makes a reply of what comes of it. */
export async function replyTo(
  given: unknown,
  carryOut: (envelope: ReturnType<typeof readEnvelope>) => Promise<Outcome>,
): Promise<CommandReply> {
  let id: number | null = null;
  try {
    const envelope = readEnvelope(given);
    id = envelope.id;
    return { type: "success", id, ...(await carryOut(envelope)) };
  } catch (error) {
    if (error instanceof ProtocolError) return errorReply(id, error);
    if (error instanceof Fault) return errorReply(id, new ProtocolError("invalid_argument", error.message));
    throw error;
  }
}

/** A stream over HTTP is a subscription by itself: there is nothing to do but to say whether it would be one. */
function subscribe(_: CommandDeps, { params }: Call): Outcome {
  return { result: { subscription_id: subscriptionId("http", readSubscription(params).filter) } };
}

function unsubscribe(_: CommandDeps, { params }: Call): Outcome {
  filterOfSubscription("http", params.requiredText("subscription_id"));
  return { result: {} };
}

function reconnect(): Outcome {
  throw new ProtocolError(
    "not_supported",
    "Over HTTP a stream is opened again, with since; subscription.reconnect is for a WebSocket",
  );
}
