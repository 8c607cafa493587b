import { type Assistant, findThread, NotFound } from "@berth/store";
import { meantAssistant } from "../assistants.ts";
import { assistantId } from "../project/index.ts";
import type { CommandCall, CommandDeps } from "./deps.ts";
import { ProtocolError } from "./reply.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What a client sends that was told of no assistant: whichever this conversation has. */
const ANY = "_";

/**
 * The id of the assistant that a run is to have.
 * @throws ProtocolError the Agent Server was told none, or one that it does not have
 */
export async function chosenAssistant(
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
