import { Serial } from "@berth/store";
import {
  type CommandCall,
  type CommandContext,
  type CommandDeps,
  type CommandReply,
  type CommandResult,
  Params,
  ProtocolError,
  replyTo,
} from "./command-call.ts";
import { inputInject, inputRespond } from "./input.ts";
import { runStart, stateFork } from "./run-start.ts";
import { ProtocolSession, type Wire } from "./session.ts";
import { stateGet, stateListCheckpoints } from "./state.ts";
import { filterOfSubscription, readSubscription, subscriptionId } from "./subscriptions.ts";
import { agentGetTree } from "./tree.ts";

type Command = (deps: CommandDeps, call: CommandCall) => CommandResult | Promise<CommandResult>;

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
    this.#deps = { ...deps, turns: new Serial() };
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
      return command(this.#deps, await permitted({ threadId, params, context }, method));
    });
  }

  /** A conversation with one client over one connection, with subscriptions of its own. */
  session(threadId: string, context: CommandContext, wire: Wire): ProtocolSession {
    return new ProtocolSession(this.#deps, { threadId, context, wire, commands: this });
  }
}

/** The command as its sender may give it. */
async function permitted(call: CommandCall, method: string): Promise<CommandCall> {
  const { threadId, params, context } = call;
  if (!context.permit) return call;
  const permitted = await context.permit(threadId, method, params.all);
  return { threadId, params: new Params(permitted.params), context, runId: permitted.runId };
}

/** A stream over HTTP is a subscription by itself: there is nothing to do but to say whether it would be one. */
function subscribe(_: CommandDeps, { params }: CommandCall): CommandResult {
  return { result: { subscription_id: subscriptionId("http", readSubscription(params).filter) } };
}

function unsubscribe(_: CommandDeps, { params }: CommandCall): CommandResult {
  filterOfSubscription("http", params.requiredText("subscription_id"));
  return { result: {} };
}

function reconnect(): CommandResult {
  throw new ProtocolError(
    "not_supported",
    "Over HTTP a stream is opened again, with since; subscription.reconnect is for a WebSocket",
  );
}
