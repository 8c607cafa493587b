import {
  type Assistants,
  type Clock,
  type Database,
  deleteRunsOfAssistant,
  findThread,
  inflightRuns,
  type MetadataFilter,
  NotFound,
  permits,
  type SystemAssistant,
  threadsOfAssistant,
  upsertSystemAssistant,
} from "@berth/store";
import { assistantId, type Project } from "./project/index.ts";
import type { RunQueue } from "./runs/index.ts";
import type { RemoveThread } from "./threads/index.ts";

/** The id that a caller means: the name of a graph stands for the assistant that every graph has. */
export function meantAssistant(project: Pick<Project, "graphs">, given: string): string {
  return Object.hasOwn(project.graphs, given) ? assistantId(given) : given.toLowerCase();
}

/** @throws NotFound when the project has no such graph */
export function requireGraph(project: Pick<Project, "graphs">, graphId: string): void {
  if (!Object.hasOwn(project.graphs, graphId)) throw new NotFound(`Graph "${graphId}" not found`);
}

export type RemovalDeps = {
  db: Database;
  clock: Clock;
  assistants: Assistants;
  queue: Pick<RunQueue, "cancel">;
  removeThread: RemoveThread;
  /** Those that the project's graphs have by themselves. */
  system: readonly SystemAssistant[];
};

/** Whether its threads go too, and which of them the caller may delete; all where nothing is said. */
export type RemovalOptions = { threads: boolean; permitted?: MetadataFilter | undefined };

/**
 * Deletes an assistant with its versions, runs and crons, and if asked the threads that it used last, in one
 * transaction. What it has under way is stopped first. A graph's own assistant is there again at once, as the project
 * says it: whoever names the graph means it.
 * @throws NotFound
 */
export async function removeAssistant(
  { db, clock, assistants, queue, removeThread, system }: RemovalDeps,
  id: string,
  { threads, permitted }: RemovalOptions,
): Promise<void> {
  await assistants.get(id);
  for (const runId of await inflightRuns(db, { assistant_id: id })) await queue.cancel(runId, "rollback");
  const now = clock.now();
  await assistants.delete(id, async (tx) => {
    await deleteRunsOfAssistant(tx, id, now);
    const own = system.find(({ assistant_id }) => assistant_id === id);
    if (own) await upsertSystemAssistant(tx, own, now);
    if (!threads) return;
    for (const threadId of await threadsOfAssistant(tx, id)) {
      const thread = permitted && (await findThread(tx, threadId));
      if (!thread || permits(permitted, thread.metadata)) await removeThread(tx, threadId);
    }
  });
}
