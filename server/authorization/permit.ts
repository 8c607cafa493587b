import { type AuthResource, type CommandPermit, ProtocolError } from "@berth/agent";
import { type MetadataFilter, NotFound } from "@berth/store";
import type { Guard, RunWork } from "./guard.ts";
import type { HandlerValues } from "./handler-values.ts";

/** What a route has to heed of what the caller may do; nothing where everybody may do everything. */
export type Permit = {
  /** Which rows a search or a count may find. */
  seen?: MetadataFilter | undefined;
  /** Of what the request creates beside what it names. */
  metadata?: HandlerValues | undefined;
  /** Of the runs that the request creates, in its order: what the handlers were told. */
  runIds?: string[] | undefined;
  /** What the request names belongs to another user: the answer is that for a missing resource. */
  isForeign?: boolean;
  /** Labels of the item's namespace as the handler left them: the text of the query must not be split again. */
  namespace?: string[];
};

/** A request as a rule sees it: read and valid. What a rule changes is what the route gets. */
export type GuardedRequest = { path: Record<string, string>; query: HandlerValues; body: HandlerValues };

/** Asks the handlers that a route depends on. Throws for what the caller may not do. */
export type Ask = (guard: Guard, asked: GuardedRequest) => Promise<Permit>;

/** What an operation asks the project's auth: about which resource and action, and how. */
export type PermitRule = {
  /** `any` for whoever was let in, whatever they may do. */
  readonly resource: AuthResource | "any";
  readonly action: string;
  readonly ask: Ask;
};

/** A rule, as an operation names it. */
export const rule = (resource: PermitRule["resource"], action: string, ask: Ask): PermitRule => ({
  resource,
  action,
  ask,
});

/** Its messages ask for the rest. */
const talk: Ask = async (guard, { path, query }) => {
  const assistantId = path.assistant_id ?? query.assistant_id;
  if (typeof assistantId === "string") await guard.runnable(assistantId);
  return {};
};

/** For everybody who was let in. */
export const anybody = rule("any", "any", async () => ({}));

/** What it does is in its messages: it asks for each by itself. */
export const asksItself = rule("any", "each message", async () => ({}));

/** It talks to an assistant. */
export const talksToAssistant = rule("assistants", "read", talk);

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
  const createsThread = method === "run.start";
  const work = workOf(method, params);
  const permit = await guard.newRun({ threadId, createsThread, assistantId, metadata, work });
  const permitted = { ...params, ...paramsOf(method, params, permit.work), metadata: permit.metadata };
  return { params: permitted, runId: permit.runId };
}

/** What a command asks of its run, in the words that bodies of runs have for it. Nothing has been checked yet. */
function workOf(method: string, { input, config, context, ...rest }: HandlerValues): RunWork {
  if (method === "input.inject") return { input: { messages: [rest.message] } };
  if (method !== "input.respond") return { input, config, context };
  const { update, goto } = rest;
  const resume = Object.fromEntries(
    responsesOf(rest).map(({ interrupt_id, response }) => [interrupt_id, response ?? null]),
  );
  return { command: { resume, update, goto }, config, context };
}

/** The params of a command for the work that a handler has left. */
function paramsOf(method: string, params: HandlerValues, work: RunWork): HandlerValues {
  const { input, config, context } = work;
  if (method === "input.inject") {
    const messages = isValues(input) ? input.messages : undefined;
    return Array.isArray(messages) ? { message: messages[0] } : {};
  }
  if (method !== "input.respond") return { input, config, context };
  const { resume, update, goto } = isValues(work.command) ? work.command : {};
  return { ...(isValues(resume) && answersOf(params, resume)), update, goto, config, context };
}

/** The answers to interrupts as a handler left them, in the form in which the command gave them. */
function answersOf({ responses, ...single }: HandlerValues, resume: HandlerValues): HandlerValues {
  const answered = (one: HandlerValues) => {
    const { interrupt_id: id } = one;
    return typeof id === "string" && Object.hasOwn(resume, id) ? { ...one, response: resume[id] } : one;
  };
  if (responses === undefined || responses === null) return answered(single);
  if (!Array.isArray(responses)) return { responses };
  return { responses: responses.map((one) => (isValues(one) ? answered(one) : one)) };
}

function responsesOf({ responses, ...single }: HandlerValues): HandlerValues[] {
  const given = responses ?? [single];
  return Array.isArray(given) ? given.filter(isValues) : [];
}

const isValues = (value: unknown): value is HandlerValues => typeof value === "object" && value !== null;
