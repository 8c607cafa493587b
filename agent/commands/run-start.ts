import { BadRequest, Conflict, findThread, NotFound, type Run } from "@berth/store";
import type { RunRequest } from "../runs/index.ts";
import { chosenAssistant, threadAssistant } from "./assistant.ts";
import { type CommandCall, type CommandDeps, requireThread } from "./deps.ts";
import { openInterrupts } from "./open-interrupts.ts";
import { type CommandResult, type CommandValues, ProtocolError } from "./reply.ts";
import { readSettings, readStrategy } from "./run-settings.ts";

/** What the protocol's channels are made of. */
const STREAMED = {
  stream_mode: ["values", "updates", "messages-tuple", "tools", "custom", "tasks"],
  stream_subgraphs: true,
  stream_resumable: true,
  thread_log: true,
  if_not_exists: "create",
} satisfies Partial<RunRequest>;

/** Starts a run; on a thread that waits for an answer, an input that brings no messages is the answer (§2.4). */
export async function runStart(deps: CommandDeps, call: CommandCall): Promise<CommandResult> {
  const { threadId, params } = call;
  const settings = readSettings(params);
  const assistant_id = await chosenAssistant(deps, call);
  const input = params.any("input");
  const multitask_strategy = readStrategy(params);
  const run = await deps.turns.run(threadId, async () => {
    // A fork leaves what is open at the thread's end alone.
    const answer = settings.checkpoint ? undefined : await answerOf(deps, threadId, input);
    const asked = answer ? { command: { resume: answer } } : { input };
    return createRun(deps, call, { ...settings, ...asked, assistant_id, multitask_strategy });
  });
  return { result: { run_id: run.run_id }, meta: await logPosition(deps, run) };
}

/** Starts a run of the thread's assistant from one of its checkpoints. */
export async function stateFork(deps: CommandDeps, call: CommandCall): Promise<CommandResult> {
  const { threadId, params } = call;
  const checkpoint_id = params.requiredText("checkpoint_id");
  const settings = readSettings(params);
  await requireThread(deps, threadId);
  const run = await createRun(deps, call, {
    ...settings,
    assistant_id: await threadAssistant(deps, threadId),
    input: params.any("input"),
    checkpoint: { ...settings.checkpoint, checkpoint_id },
  });
  return { result: { run_id: run.run_id, thread_id: threadId }, meta: await logPosition(deps, run) };
}

/** @throws ProtocolError when the run is refused; nothing is left of it then */
export async function createRun(
  { runs }: CommandDeps,
  { threadId, context, runId }: CommandCall,
  request: RunRequest,
): Promise<Run> {
  try {
    return await runs.create(
      { ...STREAMED, ...request },
      { threadId, headers: context.headers, follow: "stream", runId },
    );
  } catch (error) {
    if (error instanceof NotFound && request.checkpoint) {
      throw new ProtocolError("no_such_checkpoint", error.message);
    }
    const refused = [NotFound, Conflict, BadRequest].some((kind) => error instanceof kind);
    throw refused && error instanceof Error ? new ProtocolError("invalid_argument", error.message) : error;
  }
}

/**
 * Where the thread's log stands now that a run was created: its first event is behind it, unless it waits for
 * its turn. The run is there, so whatever fails here must not fail the command.
 */
export async function logPosition({ events }: CommandDeps, run: Run): Promise<CommandValues> {
  const { thread_id } = run;
  try {
    return { thread_id, applied_through_seq: await events.started(run) };
  } catch {
    return { thread_id };
  }
}

/** An input as the answer to every question that the thread waits with; undefined when it waits with none. */
async function answerOf(
  deps: CommandDeps,
  threadId: string,
  input: unknown,
): Promise<CommandValues | undefined> {
  if (input === undefined || bringsMessages(input)) return undefined;
  const thread = await findThread(deps.db, threadId);
  // What is busy is being answered, or has nothing to ask; what is idle has nothing left to do.
  if (!thread || thread.status === "busy" || thread.status === "idle") return undefined;
  const open = await openInterrupts(deps, thread);
  return open.length > 0 ? Object.fromEntries(open.map((id) => [id, input])) : undefined;
}

/** What a person said in place of an answer is the conversation's next input: the question is given up. */
const bringsMessages = (input: unknown): boolean =>
  typeof input === "object" && input !== null && "messages" in input && Array.isArray(input.messages);
