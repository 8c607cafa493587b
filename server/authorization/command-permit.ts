import { type CommandPermit, ProtocolError } from "@berth/agent";
import { NotFound } from "@berth/store";
import type { Guard, HandlerValues, RunWork } from "./guard.ts";

const ACTIONS: Record<string, string> = {
  "input.inject": "update",
  "state.get": "read",
  "state.listCheckpoints": "read",
  "agent.getTree": "read",
  "subscription.reconnect": "read",
};

/** A message to a busy thread is a run of its own; whether it will be is not known before. */
const STARTS_RUN = new Set(["run.start", "state.fork", "input.respond", "input.inject"]);

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
  if (!STARTS_RUN.has(method)) return { params };
  const { assistant_id, metadata } = params;
  const assistantId = assistant_id === "_" ? undefined : assistant_id;
  const permit = await guard.newRun({ threadId, assistantId, metadata, work: workOf(method, params) });
  return { params: { ...params, metadata: permit.metadata }, runId: permit.runId };
}

/** What a command asks of its run, in the words that bodies of runs have for it. Nothing has been checked yet. */
function workOf(method: string, { input, config, context, ...rest }: HandlerValues): RunWork {
  if (method === "input.inject") return { input: { messages: [rest.message] } };
  if (method !== "input.respond") return { input, config, context };
  const { responses = [rest], update, goto } = rest;
  const given = Array.isArray(responses) ? responses.filter(isValues) : [];
  const resume = Object.fromEntries(
    given.map(({ interrupt_id, response }) => [interrupt_id, response ?? null]),
  );
  return { command: { resume, update, goto }, config, context };
}

const isValues = (value: unknown): value is HandlerValues => typeof value === "object" && value !== null;
