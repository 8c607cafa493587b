import { once } from "node:events";
import { BadRequest, Conflict, type Run, type Thread } from "@berth/store";
import type { WireCommand } from "../project/index.ts";
import type { AdmissionCheck } from "../runs/index.ts";
import {
  type CommandCall,
  type CommandDeps,
  type CommandResult,
  type CommandValues,
  type Params,
  ProtocolError,
  requireThread,
} from "./command-call.ts";
import {
  beingAnswered,
  createRun,
  logPosition,
  openQuestions,
  readSettings,
  stillOpen,
  threadAssistant,
  untilDecided,
} from "./run-start.ts";

/** So long an answer waits for its question to be open. */
const COMES_TO_REST_MS = 3_000;

/** Answers open interrupts, one or several, by a single run (§2.5). */
export async function inputRespond(deps: CommandDeps, call: CommandCall): Promise<CommandResult> {
  const { threadId, params } = call;
  const resume = readResponses(params);
  const command = { resume, update: readUpdate(params), goto: readGoto(params) };
  const settings = readSettings(params);
  // Ids are always checked, so there is nothing more to do for it.
  params.flag("strict_resume");
  const start = async () => {
    const check = await requireOpen(deps, threadId, Object.keys(resume), settings.checkpoint);
    const assistant_id = await threadAssistant(deps, threadId);
    return createRun(deps, call, { ...settings, assistant_id, command }, check);
  };
  const run = await deps.turns.run(threadId, () => untilDecided(start));
  return { result: {}, meta: await logPosition(deps, run) };
}

/**
 * Looks whether all these interrupts are open; what it gives looks again when the run is admitted.
 * LangGraph takes a map with an id that it does not know for the answer itself, and the graph goes on with that.
 * @throws ProtocolError when one of the ids is not open; the message and `meta` name those that are
 */
async function requireOpen(
  deps: CommandDeps,
  threadId: string,
  ids: string[],
  checkpoint: Parameters<typeof openQuestions>[2],
): Promise<AdmissionCheck> {
  let { pending, checkpointId } = await pendingQuestions(deps, threadId, checkpoint);
  const isUnknown = (id: string) => !pending.includes(id);
  if (ids.some(isUnknown)) {
    await comesToRest(deps, threadId);
    // Also where nothing is under way: in another process it may have come to rest between the two looks.
    ({ pending, checkpointId } = await pendingQuestions(deps, threadId, checkpoint));
  }
  const unknown = ids.filter(isUnknown);
  if (unknown.length === 0) return stillOpen(threadId, ids, checkpoint ? undefined : checkpointId);
  const those = pending.length > 0 ? `waiting: ${pending.join(", ")}` : "none is waiting";
  const message = `No open interrupt ${unknown.map((id) => id.slice(0, 200)).join(", ")}; ${those}`;
  throw new ProtocolError("no_such_interrupt", message, { interrupt_ids: unknown, pending_ids: pending });
}

/** The interrupts that nobody has given an answer to. */
async function pendingQuestions(
  deps: CommandDeps,
  threadId: string,
  checkpoint: Parameters<typeof openQuestions>[2],
) {
  const thread = await requireThread(deps, threadId);
  // In this order: an answer that is not under way any more shows in the state.
  const answered = await beingAnswered(deps, thread);
  const { ids, checkpointId } = await openQuestions(deps, thread, checkpoint);
  return { pending: ids.filter((id) => !answered.has(id)), checkpointId };
}

/**
 * Waits for the end of the run that is under way, for a while: what it asks within a subgraph is told before its graph
 * stands still with the question.
 */
async function comesToRest({ runs }: CommandDeps, threadId: string): Promise<void> {
  const [run] = await runs.list(threadId, { limit: 1, offset: 0, status: "running" });
  if (!run) return;
  const limit = AbortSignal.timeout(COMES_TO_REST_MS);
  await Promise.race([runs.ended(run, limit), once(limit, "abort")]);
}

function readResponses(params: Params): CommandValues {
  const many = params.records("responses");
  if (many?.length === 0) throw params.wrong("responses", "a list of at least one response");
  const responses = (many ?? [params]).map((one) => {
    readNamespace(one);
    return [one.requiredText("interrupt_id"), one.any("response") ?? null];
  });
  return Object.fromEntries(responses);
}

/** Where an interrupt came up is known from its id; a client may leave it out. */
export function readNamespace(params: Params): string[] {
  return params.texts("namespace") ?? [];
}

function readUpdate(params: Params): WireCommand["update"] {
  const update = params.any("update");
  if (!Array.isArray(update)) return params.record("update");
  if (update.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string")) {
    return update;
  }
  throw params.wrong("update", "an object or a list of [key, value] pairs");
}

function readGoto(params: Params): WireCommand["goto"] {
  const goto = params.any("goto");
  if (goto === undefined) return undefined;
  for (const target of [goto].flat()) {
    const node = typeof target === "object" && target !== null && "node" in target ? target.node : target;
    if (typeof node !== "string")
      throw params.wrong("goto", "a node's name, {node, input}, or a list of these");
  }
  return goto;
}

/**
 * Adds a message to a conversation that nobody asked for one: behind the run that is under way, as the input of
 * another; on a thread at rest to its state, and nothing runs.
 */
export async function inputInject(deps: CommandDeps, call: CommandCall): Promise<CommandResult> {
  const { threadId, params } = call;
  params.checkBounds("metadata");
  const messages = [readMessage(params.nested("message"))];
  const namespace = readNamespace(params);
  return deps.turns.run(threadId, async () => {
    const thread = await requireThread(deps, threadId);
    if (namespace.length > 0) {
      const message = "Messages can be injected into the root graph only: its namespace is []";
      throw new ProtocolError("no_such_namespace", message);
    }
    if (thread.status !== "busy") return addToState(deps, thread, messages);
    const assistant_id = await threadAssistant(deps, threadId);
    const metadata = params.record("metadata");
    const run: Run = await createRun(deps, call, { assistant_id, metadata, input: { messages } });
    // It is behind another: its first event may be long in coming.
    return { result: {}, meta: { thread_id: run.thread_id } };
  });
}

function readMessage(fields: Params): CommandValues {
  const role = fields.text("role");
  if (role !== "user" && role !== "system") throw fields.wrong("role", '"user" or "system"');
  const content = fields.text("content");
  if (content === undefined) throw fields.wrong("content", "a text");
  const name = fields.text("name");
  return { role, content, ...(name && { name }) };
}

async function addToState(
  deps: CommandDeps,
  thread: Thread,
  messages: CommandValues[],
): Promise<CommandResult> {
  if ((await openQuestions(deps, thread)).ids.length > 0) {
    // A new checkpoint would take the question away.
    throw new ProtocolError("invalid_argument", "The thread waits for an answer: give it with input.respond");
  }
  try {
    await deps.changes.updateState(thread.thread_id, { values: { messages } });
  } catch (error) {
    if (error instanceof BadRequest || error instanceof Conflict) {
      throw new ProtocolError("invalid_argument", error.message);
    }
    throw error;
  }
  return { result: {}, meta: { thread_id: thread.thread_id } };
}
