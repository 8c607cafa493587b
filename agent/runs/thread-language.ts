import { Conflict, languageOf, type NewRun, type Tx } from "@berth/store";
import type { ServedProject } from "../project/index.ts";

const WORDS: Record<string, string> = { python: "Python", script: "TypeScript or JavaScript" };

/**
 * Refuses a run of a graph of another language than the one that wrote its thread: neither reads the other's values.
 * @throws Conflict
 */
export async function requireSameLanguage(
  from: Tx,
  graphs: ServedProject["graphs"],
  { thread_id, graph_id, on_completion }: Pick<NewRun, "thread_id" | "graph_id" | "on_completion">,
): Promise<void> {
  if (on_completion !== null) return;
  // Where no graph is Python, nothing is asked of the database.
  if (!Object.values(graphs).some(({ language }) => language === "python")) return;
  const written = await languageOf(from, thread_id);
  const own = graphs[graph_id]?.language ?? "script";
  if (written === undefined || written === own) return;
  throw new Conflict(
    `Thread ${thread_id} was written by a graph in ${WORDS[written] ?? written}: "${graph_id}" is ${WORDS[own]} and cannot continue it`,
  );
}
