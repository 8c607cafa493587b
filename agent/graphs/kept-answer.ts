import type { StateSnapshot } from "@langchain/langgraph";
import type { Graph, Saver } from "../project/index.ts";
import { checkpointRef } from "../threads/index.ts";
import type { WrittenMessage } from "./written-messages.ts";

export type KeptAnswerDeps = {
  graph: Graph;
  threadId: string;
  /** Makes a saver whose checkpoints nobody sees. */
  draft: () => Saver;
  saver: Saver;
};

/** The checkpoint that holds the answer, and the state there. */
export type KeptAnswer = {
  checkpoint: { id: string; parent_id?: string; step: number; source: "update" };
  values: unknown;
};

/** Marks a message that a model did not finish because its run was stopped. */
const STOPPED = { stopped: true };

/**
 * Puts what a stopped run had written of its answer into the thread's state, behind the last checkpoint: the next
 * message is then about something that the agent remembers having said. The nodes that were about to run stay the
 * same ones. Undefined where that cannot be: a graph without messages, one that would go another way then, one
 * whose other nodes were done with the step already, which would be done twice.
 */
export async function keepAnswer(
  written: readonly WrittenMessage[],
  deps: KeptAnswerDeps,
): Promise<KeptAnswer | undefined> {
  const { graph, saver } = deps;
  if (written.length === 0 || !("messages" in graph.channels)) return undefined;
  const before = await graph.getState(place(deps, saver));
  if (before.next.length === 0 || before.tasks.some(({ result }) => result != null)) return undefined;
  const messages = written.map(({ id, text }) => ({
    ...{ type: "ai", id, content: text },
    response_metadata: STOPPED,
  }));
  const tried = await updated(deps, deps.draft(), messages);
  if (tried.next.join() !== before.next.join()) return undefined;
  const after = await updated(deps, saver, messages);
  const id = checkpointRef(after.config)?.checkpoint_id;
  if (!id) return undefined;
  const parent_id = checkpointRef(before.config)?.checkpoint_id;
  const step = Number(after.metadata?.step ?? 0);
  return {
    checkpoint: { id, ...(parent_id && { parent_id }), step, source: "update" },
    values: after.values,
  };
}

async function updated(deps: KeptAnswerDeps, saver: Saver, messages: object[]): Promise<StateSnapshot> {
  const { graph } = deps;
  await graph.bulkUpdateState(place(deps, saver), [{ updates: [{ values: { messages } }] }]);
  return graph.getState(place(deps, saver));
}

const place = ({ threadId }: KeptAnswerDeps, saver: Saver) => ({
  configurable: { thread_id: threadId, checkpoint_ns: "", __pregel_checkpointer: saver },
});
