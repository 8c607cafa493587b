import {
  type Assistant,
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

/**
 * The oldest assistants that somebody may find, with those that the graphs have by themselves, which are there for
 * everybody who may run something. These are known by their ids: metadata is what whoever made an assistant says of it.
 * @param permitted what the caller may find; undefined for all
 */
export async function runnableAssistants(
  { assistants, project }: { assistants: Assistants; project: Pick<Project, "graphs"> },
  permitted: MetadataFilter | undefined,
  limit: number,
): Promise<Assistant[]> {
  const oldest = { limit, offset: 0, sort_by: "created_at", sort_order: "asc" } as const;
  const { rows } = await assistants.search({ ...oldest, permitted });
  if (!permitted) return rows;
  const known = new Set(rows.map(({ assistant_id }) => assistant_id));
  const missing = Object.keys(project.graphs)
    .map((name) => meantAssistant(project, name))
    .filter((id) => !known.has(id));
  const own = await Promise.all(missing.map((id) => assistants.get(id).catch(noneOf)));
  const all = [...rows, ...own.filter((one) => one !== undefined)];
  return all.sort(byAge).slice(0, limit);
}

/** Somebody may have deleted it. */
function noneOf(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
}

/** As the database has them. */
const byAge = (a: Assistant, b: Assistant): number =>
  a.created_at - b.created_at || (a.assistant_id < b.assistant_id ? -1 : 1);

type RemovalDeps = {
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
