import {
  type Assistant,
  askedInflight,
  BadRequest,
  Conflict,
  findThread,
  type MultitaskStrategy,
  NotFound,
  newestCheckpointId,
  type Run,
  type Thread,
} from "@berth/store";
import { meantAssistant } from "../assistants.ts";
import { assistantId } from "../project/index.ts";
import type { AdmissionCheck, RunRequest } from "../runs/index.ts";
import {
  type CommandCall,
  type CommandDeps,
  type CommandResult,
  type CommandValues,
  type Params,
  ProtocolError,
  requireThread,
} from "./command-call.ts";

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
  const start = async () => {
    // A fork leaves what is open at the thread's end alone.
    const answer = settings.checkpoint ? undefined : await answerOf(deps, threadId, input);
    const asked = answer ? { command: { resume: answer.resume } } : { input };
    return createRun(deps, call, { ...settings, ...asked, assistant_id, multitask_strategy }, answer?.check);
  };
  const run = await deps.turns.run(threadId, () => untilDecided(start));
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
  check?: AdmissionCheck,
): Promise<Run> {
  try {
    return await runs.create(
      { ...STREAMED, ...request },
      { threadId, headers: context.headers, follow: "stream", runId, check },
    );
  } catch (error) {
    if (error instanceof WentOnMeanwhile) throw error;
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
): Promise<{ resume: CommandValues; check: AdmissionCheck } | undefined> {
  if (input === undefined || bringsMessages(input)) return undefined;
  const thread = await findThread(deps.db, threadId);
  // What is busy is being answered, or has nothing to ask; what is idle has nothing left to do.
  if (!thread || thread.status === "busy" || thread.status === "idle") return undefined;
  const { ids, checkpointId } = await openQuestions(deps, thread);
  if (ids.length === 0) return undefined;
  return {
    resume: Object.fromEntries(ids.map((id) => [id, input])),
    check: stillOpen(threadId, ids, checkpointId),
  };
}

/** What a person said in place of an answer is the conversation's next input: the question is given up. */
const bringsMessages = (input: unknown): boolean =>
  typeof input === "object" && input !== null && "messages" in input && Array.isArray(input.messages);

type Settings = Pick<
  RunRequest,
  "config" | "context" | "metadata" | "langsmith_tracer" | "checkpoint" | "keep_stopped"
>;

/**
 * What a command says of the run that it starts, besides what goes into the graph.
 * @throws ProtocolError
 */
export function readSettings(params: Params): Settings {
  params.checkBounds("config", "context", "metadata");
  const config = params.nested("config");
  const tracer = params.nested("langsmith_tracer");
  const { checkpoint, configurable } = readConfigurable(config.nested("configurable"), config);
  const [tags, metadata] = [config.texts("tags"), config.record("metadata")];
  const recursion_limit = config.count("recursion_limit", { least: 1 });
  return {
    // What is not said here is the assistant's to say.
    config: {
      configurable,
      ...(tags && { tags }),
      ...(metadata && { metadata }),
      ...(recursion_limit && { recursion_limit }),
    },
    context: params.any("context"),
    metadata: params.record("metadata"),
    langsmith_tracer: { project_name: tracer.text("project_name"), example_id: tracer.text("example_id") },
    checkpoint,
    keep_stopped: params.flag("keep_stopped"),
  };
}

/** The thread is the path's, whatever is said here; a checkpoint is where the run forks off. */
function readConfigurable(fields: Params, config: Params) {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map, ...configurable } =
    config.record("configurable") ?? {};
  const id = fields.text("checkpoint_id");
  if (!id) return { configurable, checkpoint: undefined };
  const map = fields.record("checkpoint_map");
  const ns = fields.text("checkpoint_ns");
  return {
    configurable,
    checkpoint: { checkpoint_id: id, ...(ns && { checkpoint_ns: ns }), ...(map && { checkpoint_map: map }) },
  };
}

const strategies = new Set<unknown>(["reject", "rollback", "interrupt", "enqueue"]);
const isStrategy = (given: unknown): given is MultitaskStrategy => strategies.has(given);

/** What happens when the thread is busy: waiting for its turn, unless a word that is known says otherwise. */
function readStrategy(params: Params): MultitaskStrategy {
  const given = [params.any("multitask_strategy"), params.any("multitaskStrategy")].find(isStrategy);
  return given ?? "enqueue";
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What a client sends that was told of no assistant: whichever this conversation has. */
const ANY = "_";

/**
 * The id of the assistant that a run is to have.
 * @throws ProtocolError the Agent Server was told none, or one that it does not have
 */
async function chosenAssistant(
  deps: CommandDeps,
  { threadId, params, context }: CommandCall,
): Promise<string> {
  const given = params.text("assistant_id");
  if (given && given !== ANY) {
    const found = await served(deps, given);
    if (found) return found.assistant_id;
    if (context.door === "agent") {
      throw new ProtocolError("invalid_argument", `No assistant found for "${given}": name one, or a graph`);
    }
  }
  if (!given && context.door === "agent")
    throw params.wrong("assistant_id", "an assistant's id, or a graph's");
  return threadAssistant(deps, threadId);
}

/** The assistant that a thread's last run had; on a new thread that of the project's first graph. */
export async function threadAssistant(deps: CommandDeps, threadId: string): Promise<string> {
  const last = (await findThread(deps.db, threadId))?.metadata.assistant_id;
  const found = typeof last === "string" ? await served(deps, last) : undefined;
  if (found) return found.assistant_id;
  const [first] = Object.keys(deps.project.graphs);
  if (first === undefined) throw new ProtocolError("not_supported", "This server has no graph to run");
  return assistantId(first);
}

/** An assistant by its id or its graph's name, if its graph is served. */
async function served({ assistants, project }: CommandDeps, given: string): Promise<Assistant | undefined> {
  const id = meantAssistant(project, given);
  if (!UUID.test(id)) return undefined;
  try {
    const assistant = await assistants.get(id);
    return Object.hasOwn(project.graphs, assistant.graph_id) ? assistant : undefined;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/**
 * The interrupts that stand open at a thread's newest checkpoint, or at the one named.
 * @throws ProtocolError when there is no such checkpoint
 */
export async function openQuestions(
  { states }: CommandDeps,
  thread: Thread,
  checkpoint?: RunRequest["checkpoint"],
): Promise<OpenQuestions> {
  try {
    const state = await states.state(thread, { checkpoint });
    const ids = state.interrupts.flatMap(({ id }) => id ?? []);
    return { ids, checkpointId: state.checkpoint?.checkpoint_id };
  } catch (error) {
    if (!checkpoint || !(error instanceof NotFound)) throw error;
    throw new ProtocolError("no_such_checkpoint", error.message);
  }
}

/** @returns the ids of interrupts, and the checkpoint at which they stand open */
type OpenQuestions = { ids: string[]; checkpointId: string | undefined };

/** While it was decided what a command means, its thread went on: a run ended, or another process took an answer. */
class WentOnMeanwhile extends Conflict {
  override name = "WentOnMeanwhile";
}

const MOST_TRIES = 5;

/**
 * Starts a run by what its thread is, and decides again where that was something else when the run was admitted.
 * @throws ProtocolError it went on each time
 */
export async function untilDecided(start: () => Promise<Run>): Promise<Run> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof WentOnMeanwhile)) throw error;
      if (tries === MOST_TRIES) throw new ProtocolError("invalid_argument", error.message);
    }
  }
}

/**
 * Whether interrupts that were open still are when the run is admitted that answers them.
 * @param checkpointId the thread's newest, at which they were open; undefined where another one was meant
 */
export function stillOpen(
  threadId: string,
  ids: readonly string[],
  checkpointId: string | undefined,
): AdmissionCheck {
  return async (tx) => {
    const answered = new Set((await askedInflight(tx, threadId)).flatMap(answeredBy));
    const newest = checkpointId && (await newestCheckpointId(tx, { thread_id: threadId, ns: "" }));
    if (newest !== checkpointId || ids.some((id) => answered.has(id)))
      throw new WentOnMeanwhile("The thread goes on: try again");
  };
}

/** The interrupts that runs under way have been given an answer to, which the state does not show yet. */
export async function beingAnswered({ runs }: CommandDeps, thread: Thread): Promise<Set<string>> {
  if (thread.status !== "busy") return new Set();
  const page = { limit: 100, offset: 0 };
  const pending = await runs.list(thread.thread_id, { ...page, status: "pending" });
  const running = await runs.list(thread.thread_id, { ...page, status: "running" });
  return new Set([...pending, ...running].flatMap(({ kwargs }) => answeredBy(kwargs)));
}

function answeredBy({ command }: Record<string, unknown>): string[] {
  if (typeof command !== "object" || command === null || !("resume" in command)) return [];
  const { resume } = command;
  return typeof resume === "object" && resume !== null ? Object.keys(resume) : [];
}
