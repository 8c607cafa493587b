import type { Assistant } from "@berth/server";
import { type Resource, useResource } from "./data/index.ts";

/** As many as a project is looked through for. */
const MOST = 1_000;

/** The assistants of a project. */
export function useAssistants(base: string): Resource<Assistant[]> {
  return useResource<Assistant[]>(`${base}/assistants/search`, { body: { limit: MOST }, onReturn: true });
}

/** What the server calls an assistant, in words: its name, and its graph where that is another. */
export function assistantWords(assistants: readonly Assistant[], id: string): string {
  const found = assistants.find(({ assistant_id }) => assistant_id === id);
  if (!found) return id;
  return found.name === found.graph_id || !found.name ? found.graph_id : `${found.name} (${found.graph_id})`;
}

/** All of them, to choose one. */
export const assistantOptions = (assistants: readonly Assistant[]) =>
  assistants.map(({ assistant_id }) => ({
    value: assistant_id,
    label: assistantWords(assistants, assistant_id),
  }));

/** Whether it is a graph's own one, which Berth makes by itself. */
export const isOfGraph = ({ metadata }: Assistant): boolean => metadata.created_by === "system";

/** The graphs of a project: each has an assistant of its own. */
export const graphsOf = (assistants: readonly Assistant[]): string[] =>
  [...new Set(assistants.map(({ graph_id }) => graph_id))].sort();
