import { type CommandPermit, ProtocolError } from "@berth/agent";
import { NotFound } from "@berth/store";
import type { Guard } from "./guard.ts";

const ACTIONS: Record<string, string> = {
  "input.inject": "update",
  "state.get": "read",
  "state.listCheckpoints": "read",
  "agent.getTree": "read",
  "subscription.reconnect": "read",
};

const STARTS_RUN = new Set(["run.start", "state.fork", "input.respond"]);

/** Asks for each command of the thread protocol what a request of its kind is asked. */
export const commandPermit =
  (guard: Guard): CommandPermit =>
  async (...command) => {
    try {
      return await permitOf(guard, ...command);
    } catch (error) {
      throw error instanceof NotFound ? new ProtocolError("no_such_run", error.message) : error;
    }
  };

async function permitOf(guard: Guard, ...[threadId, method, params]: Parameters<CommandPermit>) {
  const action = ACTIONS[method];
  if (action !== undefined) await guard.thread(threadId, action);
  if (!STARTS_RUN.has(method)) return params;
  const { assistant_id, metadata, input, config, context } = params;
  const assistantId = assistant_id === "_" ? undefined : assistant_id;
  const more = { kwargs: { input, config, context } };
  const permit = await guard.newRun({ threadId, assistantId, metadata, more });
  return { ...params, metadata: permit.metadata };
}
